/** From a specification to something that gives words. */
import { UserError } from '../../base/errors.js'
import { commandSource } from './command-source.io.js'
import { openAiSource } from './openai-source.io.js'
import { parakeetSource } from './parakeet-source.io.js'
import type { RecognizerSpec } from './transcript-spec.js'
import type { WordSource } from './word-source.js'

export interface WordSourceOptions {
  /** Model name for an endpoint whose specification names none. */
  readonly model?: string | undefined
  /** Name of the environment variable that holds the endpoint's key. The key itself is stored nowhere. */
  readonly keyVariable?: string | undefined
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** ISO-639-1 code, for an endpoint. */
  readonly language?: string | undefined
  /** Requests open at once: 4 for an endpoint, 1 for a command; a local model always takes one. */
  readonly concurrency?: number | undefined
  /** Of one window. */
  readonly timeoutMs?: number | undefined
  /** CPU threads of a local model. */
  readonly threads?: number | undefined
}

/**
 * @throws UserError USAGE or FILE_UNREADABLE where it cannot be used as given; nothing was sent
 */
export async function openWordSource(spec: RecognizerSpec, options: WordSourceOptions = {}): Promise<WordSource> {
  const { concurrency, timeoutMs } = options
  switch (spec.kind) {
    case 'openai': {
      const model = spec.model ?? options.model
      if (model === undefined || model === '') {
        throw new UserError({
          code: 'USAGE',
          message: 'the transcription endpoint needs a model name',
          fix: 'give it with --asr-model, or after a # in the URL (openai:http://HOST:PORT/v1#MODEL)',
        })
      }
      const { language } = options
      return openAiSource({ url: spec.url, model, key: keyOf(options), language, concurrency, timeoutMs })
    }
    case 'parakeet':
      return parakeetSource({ directory: spec.directory, timeoutMs, threads: options.threads })
    case 'command':
      return commandSource({ program: spec.program, arguments: spec.arguments, concurrency, timeoutMs })
    default:
      return spec satisfies never
  }
}

function keyOf({ keyVariable, environment = process.env }: WordSourceOptions): string | undefined {
  if (keyVariable === undefined) return undefined
  const key = environment[keyVariable]
  if (key !== undefined && key !== '') return key
  throw new UserError({
    code: 'USAGE',
    message: `the environment variable ${keyVariable} is not set`,
    fix: `export ${keyVariable}=KEY, or leave out --asr-key-env`,
  })
}
