/**
 * Words from a Parakeet TDT model on this machine, by way of sherpa-onnx-node, which the user installs. The library runs in
 * a child process (parakeet-child.io.ts); when that ends, whatever the reason, the window at hand fails with its last words.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert, UserError } from '../../base/errors.js'
import type { FromParakeet, ToParakeet } from './parakeet-messages.js'
import { parakeetModel } from './parakeet-model.io.js'
import { modelName } from './recognizer-name.js'
import { wordsOfTokens } from './token-words.js'
import { shortLine, shortTail, transcriptionError } from './transcription-error.js'
import type { WordRequest, WordSource } from './word-source.js'

export interface ParakeetSourceOptions {
  readonly directory: string
  /** CPU threads of one recognition. */
  readonly threads?: number | undefined
  /** Of one window. */
  readonly timeoutMs?: number | undefined
  readonly loadTimeoutMs?: number
  /** Stands in for sherpa-onnx-node: the path of a module. */
  readonly module?: string
  /** The child's script; the compiled one beside this file by default. */
  readonly script?: string
}

const PACKAGE = 'sherpa-onnx-node'
const SCRIPT = fileURLToPath(new URL('./parakeet-child.io.js', import.meta.url))
const DEFAULT_THREADS = 2
const DEFAULT_TIMEOUT_MS = 300_000
const LOAD_TIMEOUT_MS = 300_000
const STDERR_CHARACTERS_KEPT = 4_000

/**
 * Starts the process and loads the model.
 * @throws UserError FILE_UNREADABLE for a folder without a model, USAGE where the package is missing or cannot use the model
 */
export async function parakeetSource(options: ParakeetSourceOptions): Promise<WordSource> {
  const { directory, timeoutMs = DEFAULT_TIMEOUT_MS, threads = DEFAULT_THREADS, module = PACKAGE } = options
  const model = await parakeetModel(directory)
  const child = new ParakeetProcess(options.script ?? SCRIPT)
  const load: ToParakeet = { kind: 'load', module, files: model.files, threads }
  const loaded = await child.ask(load, options.loadTimeoutMs ?? LOAD_TIMEOUT_MS)
  if (loaded.kind !== 'ready') {
    child.stop()
    throw loadError(loaded, directory, child.lastWords)
  }
  /** One window after the other. */
  let last: Promise<unknown> = Promise.resolve()
  const wordsOf = async ({ sample, pcm }: WordRequest, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    const answer = await child.ask({ kind: 'transcribe', id: 0, pcm: Int16Array.from(pcm) }, timeoutMs, signal)
    signal?.throwIfAborted()
    if (answer.kind === 'tokens') {
      const read = wordsOfTokens(answer)
      if (read.ok) return { text: answer.text.trim(), words: read.words }
      throw transcriptionError({ sample, problem: `the local recognizer ${read.problem}` })
    }
    const said = 'message' in answer ? shortLine(answer.message) : answer.kind
    throw transcriptionError({ sample, problem: `the local recognizer failed: ${said}`, fix: 'run it again' })
  }
  return {
    identity: {
      kind: 'parakeet',
      name: modelName(resolve(directory)),
      details: { runtime: PACKAGE, version: loaded.version, files: model.sha256, decoding: 'greedy_search' },
    },
    concurrency: 1,
    wordsOf: (request, signal) => {
      const mine = last.then(() => wordsOf(request, signal))
      last = mine.catch(() => undefined)
      return mine
    },
    close: async () => child.stop(),
  }
}

type Answer = FromParakeet | { readonly kind: 'died'; readonly message: string }

class ParakeetProcess {
  readonly #child: ChildProcess
  #stderr = ''
  #pending: ((answer: Answer) => void) | undefined
  #death: Answer | undefined

  constructor(script: string) {
    this.#child = fork(script, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], serialization: 'advanced' })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#stderr = (this.#stderr + chunk).slice(-STDERR_CHARACTERS_KEPT)
      })
    }
    this.#child.on('message', (message: FromParakeet) => this.#settle(message))
    this.#child.on('error', (error) => this.#die(`its process failed: ${error.message}`))
    // `close`, not `exit`: its last words have arrived.
    this.#child.on('close', (code, signal) => this.#die(`its process ended (${signal ?? `exit code ${code}`})`))
  }

  /** The end of what the process has printed. */
  get lastWords(): string {
    return shortTail(this.#stderr)
  }

  /** Asks one thing and waits for its answer; a process that is gone is an answer too. */
  ask(message: ToParakeet, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
    if (this.#death !== undefined) return Promise.resolve(this.#death)
    assert(this.#pending === undefined, 'one request at a time')
    return new Promise<Answer>((resolve) => {
      const giveUp = (problem: string) => {
        this.#die(problem)
        this.stop()
      }
      const timer = setTimeout(() => giveUp(`no answer within ${timeoutMs / 1000} s`), timeoutMs)
      const onAbort = () => giveUp('it was stopped')
      this.#pending = (answer) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        resolve(answer)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#child.send(message, (error) => {
        if (error !== null) this.#die(`its process cannot be reached: ${error.message}`)
      })
    })
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }

  #settle(answer: Answer): void {
    const pending = this.#pending
    this.#pending = undefined
    pending?.(answer)
  }

  #die(problem: string): void {
    const words = this.lastWords
    this.#death ??= { kind: 'died', message: words === '' ? problem : `${problem}; it said: ${words}` }
    this.#settle(this.#death)
  }
}

function loadError(answer: Answer, directory: string, lastWords: string): UserError {
  if (answer.kind === 'absent') {
    return new UserError({
      code: 'USAGE',
      message: `parakeet:${directory} needs the package ${PACKAGE}, which is not installed`,
      fix: `npm install ${PACKAGE}`,
    })
  }
  const reason = 'message' in answer ? answer.message : answer.kind
  const said = answer.kind === 'died' || lastWords === '' ? '' : `; it said: ${lastWords}`
  return new UserError({
    code: 'USAGE',
    message: `${PACKAGE} cannot use the model in ${directory}: ${shortLine(reason + said)}`,
    fix: 'give the unpacked folder of a sherpa-onnx export of Parakeet TDT (docs/transcripts.md)',
  })
}
