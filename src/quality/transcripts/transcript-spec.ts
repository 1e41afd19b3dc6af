/** What `--transcripts` may say: where the words of a tree come from. Text in, one of five kinds out. Pure. */
import { UserError } from '../../base/errors.js'
import { redactUrl } from '../../base/redact.js'
import { splitCommand } from './split-command.js'
import { TRANSCRIPT_FILE } from './transcript.js'

/** Something that is handed audio and answers with words. */
export type RecognizerSpec =
  | {
      readonly kind: 'openai'
      /** The full address of the transcription endpoint. May hold secrets. */
      readonly url: string
      readonly model: string | null
    }
  | { readonly kind: 'parakeet'; readonly directory: string }
  | { readonly kind: 'command'; readonly program: string; readonly arguments: readonly string[] }

export type TranscriptSpec =
  | {
      readonly kind: 'tree'
      /** Name of the file beside each `output.wav`. */
      readonly file: string
    }
  | { readonly kind: 'vad' }
  | RecognizerSpec

const FORMS = 'tree, tree:FILE-NAME, vad, openai:URL[#MODEL], parakeet:DIR, command:PROGRAM ARGS'

/**
 * Reads a specification; a plain http(s) URL is an OpenAI-compatible endpoint too.
 * @throws UserError USAGE with what was given and what is allowed
 */
export function parseTranscriptSpec(text: string): TranscriptSpec {
  const [head = ''] = text.split(':', 1)
  const rest = text.slice(head.length + 1).trim()
  const hasRest = text.length > head.length
  if (text === 'tree') return { kind: 'tree', file: TRANSCRIPT_FILE }
  if (text === 'vad') return { kind: 'vad' }
  if (head === 'http' || head === 'https') return endpoint(text)
  if (!hasRest) throw wrong(text, 'is no source of words')
  switch (head) {
    case 'tree':
      return { kind: 'tree', file: plainFileName(text, rest) }
    case 'openai':
      return endpoint(rest)
    case 'parakeet':
      if (rest === '') throw wrong(text, 'names no model directory')
      return { kind: 'parakeet', directory: rest }
    case 'command':
      return command(text, rest)
    default:
      throw wrong(text, 'is no source of words')
  }
}

function plainFileName(text: string, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\]/.test(name)) {
    throw wrong(text, 'must name a file beside output.wav, without a folder')
  }
  if (!name.endsWith('.json')) throw wrong(text, 'must name a .json file')
  return name
}

/**
 * `http://host:8000/v1#model`. The base is completed to the endpoint: a bare host gets `/v1/audio/transcriptions`, a path
 * that does not end in it yet `/audio/transcriptions`.
 */
function endpoint(text: string): RecognizerSpec {
  const shown = redactUrl(text)
  if (!URL.canParse(text)) throw wrong(shown, 'is no URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw wrong(shown, 'must begin with http:// or https://')
  const model = url.hash === '' ? null : decoded(url.hash.slice(1))
  url.hash = ''
  const path = url.pathname.replace(/\/+$/, '')
  if (path === '') url.pathname = '/v1/audio/transcriptions'
  else if (!path.endsWith('/audio/transcriptions')) url.pathname = `${path}/audio/transcriptions`
  else url.pathname = path
  return { kind: 'openai', url: url.href, model }
}

function command(text: string, line: string): RecognizerSpec {
  const split = splitCommand(line)
  if (!split.ok) throw wrong(text, split.problem)
  const [program, ...rest] = split.words
  if (program === undefined || program === '') throw wrong(text, 'names no program')
  return { kind: 'command', program, arguments: rest }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function wrong(shown: string, problem: string): UserError {
  return new UserError({
    code: 'USAGE',
    message: `transcripts "${shown.length > 120 ? `${shown.slice(0, 117)}...` : shown}" ${problem}`,
    fix: `give one of: ${FORMS}`,
  })
}
