/** Frames of a server read and spoilt, each in one respect. Pure; what does not fit is left alone (`undefined`). */
import { decodeBase64 } from './pcm16.js'

/** A server event, of any protocol. */
export type Frame = Readonly<Record<string, unknown>>

/** A session sends nothing but JSON objects. */
export function readFrame(text: string): Frame {
  return JSON.parse(text) as Frame
}

/** Both names that the field has for it. */
export function isAudioDelta(frame: Frame): boolean {
  return frame.type === 'response.output_audio.delta' || frame.type === 'response.audio.delta'
}

/** The text of the frame with its first number replaced by `NaN`, which JSON does not know. */
export function withNonFiniteNumber(frame: Frame): string | undefined {
  const place = 'here stands a number'
  let isReplaced = false
  const text = JSON.stringify(frame, (_key, value: unknown) => {
    if (typeof value !== 'number' || isReplaced) return value
    isReplaced = true
    return place
  })
  return isReplaced ? text.replace(JSON.stringify(place), 'NaN') : undefined
}

/** An audio delta whose base64 lacks its last character, so that its length is no multiple of four. */
export function withTruncatedBase64(frame: Frame): Frame | undefined {
  if (!isAudioDelta(frame) || typeof frame.delta !== 'string') return undefined
  return { ...frame, delta: frame.delta.slice(0, -1) }
}

/** An audio delta that lacks its last byte: correct base64 of half a sample too little. */
export function withOddBytes(frame: Frame): Frame | undefined {
  if (!isAudioDelta(frame) || typeof frame.delta !== 'string') return undefined
  const bytes = decodeBase64(frame.delta)
  if (bytes === undefined || bytes.length === 0) return undefined
  return { ...frame, delta: bytes.subarray(0, -1).toString('base64') }
}

/** Where a session names the rate of its output, and an audio delta its own. */
const SESSION_RATE_PATHS = [
  ['session', 'audio', 'output', 'format', 'rate'],
  ['session', 'audio', 'output', 'sample_rate_hz'],
  ['session', 'sglang', 'granted', 'output_audio_format', 'rate'],
]
const DELTA_RATE_PATHS = [['sample_rate_hz']]

/** The frame with every output rate in it replaced by another one; undefined where it names none. */
export function withOtherOutputRate(frame: Frame): Frame | undefined {
  const isSession = frame.type === 'session.created' || frame.type === 'session.updated'
  const paths = isSession ? SESSION_RATE_PATHS : isAudioDelta(frame) ? DELTA_RATE_PATHS : []
  const changed = paths.reduce((before, path) => replaceNumber(before, path, otherRate), frame)
  return changed === frame ? undefined : changed
}

function otherRate(rateHz: number): number {
  return rateHz === 16_000 ? 24_000 : 16_000
}

/** @returns the very frame that was given where no number stands at that path */
function replaceNumber(frame: Frame, [key = '', ...rest]: readonly string[], by: (value: number) => number): Frame {
  const value = frame[key]
  if (rest.length === 0) return typeof value === 'number' ? { ...frame, [key]: by(value) } : frame
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return frame
  const inner = replaceNumber(value as Frame, rest, by)
  return inner === value ? frame : { ...frame, [key]: inner }
}
