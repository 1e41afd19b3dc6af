/**
 * Lines of a trace whose event carries audio are long for one string alone. It is cut out before the rest is parsed and put
 * back as a slice of the text: the same value as parsing the whole line gives, in a fraction of the time. Whatever is not
 * plainly such a line is left to the parser.
 */
import { base64ByteLength } from '../base/base64.js'
import { isObject } from '../base/json.js'

export interface AudioLine {
  readonly value: unknown
  /** The line without its audio: everything else that can be said of its text. */
  readonly rest: string
}

/** Shorter lines are parsed as they are. */
const MIN_LENGTH = 512
/** Where audio stands in events: docs/protocols.md. */
const AUDIO_KEYS = ['audio', 'delta'] as const
/** What stands before it is short. */
const KEY_AT_MAX = 400

/** @returns undefined where the line is no such line: parse it */
export function parseAudioLine(text: string): AudioLine | undefined {
  if (text.length < MIN_LENGTH) return undefined
  const head = text.slice(0, KEY_AT_MAX)
  for (const key of AUDIO_KEYS) {
    const opening = `"${key}":"`
    const keyAt = head.indexOf(opening)
    if (keyAt < 0) continue
    const from = keyAt + opening.length
    const to = text.indexOf('"', from)
    const audio = text.slice(from, to)
    // Base64 has no quote, no escape and no control character: the string is what it looks like.
    if (to < 0 || base64ByteLength(audio) === undefined) return undefined
    return withAudio(text.slice(0, from) + text.slice(to), key, audio)
  }
  return undefined
}

function withAudio(rest: string, key: string, audio: string): AudioLine | undefined {
  // A second key of this name would take the place of the first, and could be spelled with escapes.
  if (rest.indexOf(`"${key}"`) !== rest.lastIndexOf(`"${key}"`) || rest.includes('\\u')) return undefined
  let value: unknown
  try {
    value = JSON.parse(rest)
  } catch {
    return undefined
  }
  const event = isObject(value) ? (value.event as Record<string, unknown>) : undefined
  // It may stand deeper than the event itself; then the parser has to say where.
  if (!isObject(event) || event[key] !== '') return undefined
  event[key] = audio
  return { value, rest }
}
