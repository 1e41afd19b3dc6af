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

/** How the lines of packets begin that the recorder of this house writes, up to their time and from their event on. */
const PACKET_HEAD = '{"direction":"send","time_s":'
const PACKET_EVENT = ',"event":{"type":"input_audio_buffer.append","event_id":"'
const PACKET_AUDIO = '","audio":"'
const PACKET_END = '"}}'
/** As JSON writes a number that is neither negative nor in exponents. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
const PLAIN_ID = /^[\w.-]+$/

/** Most lines of most traces are of this one shape, and need no parser. */
function parsePacketLine(text: string): AudioLine | undefined {
  if (!text.startsWith(PACKET_HEAD) || !text.endsWith(PACKET_END)) return undefined
  const timeEnd = text.indexOf(',', PACKET_HEAD.length)
  const idAt = timeEnd + PACKET_EVENT.length
  if (!text.startsWith(PACKET_EVENT, timeEnd)) return undefined
  const idEnd = text.indexOf('"', idAt)
  const audioAt = idEnd + PACKET_AUDIO.length
  if (!text.startsWith(PACKET_AUDIO, idEnd)) return undefined
  const time = text.slice(PACKET_HEAD.length, timeEnd)
  const id = text.slice(idAt, idEnd)
  const audio = text.slice(audioAt, text.length - PACKET_END.length)
  if (!PLAIN_NUMBER.test(time) || !PLAIN_ID.test(id) || base64ByteLength(audio) === undefined) return undefined
  const event = { type: 'input_audio_buffer.append', event_id: id, audio }
  return { value: { direction: 'send', time_s: Number(time), event }, rest: '' }
}

/** @returns undefined where the line is no such line: parse it */
export function parseAudioLine(text: string): AudioLine | undefined {
  if (text.length < MIN_LENGTH) return undefined
  const packet = parsePacketLine(text)
  if (packet !== undefined) return packet
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
