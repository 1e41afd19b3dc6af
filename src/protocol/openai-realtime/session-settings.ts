/** Reads a `session` object of either shape: nested as in the GA interface, or flat as in the beta. */
import type { WireEvent } from '../../capture/trace-record.js'
import { isObject } from '../../capture/trace-record.js'
import { show, valueAt } from '../wire-values.js'

/** The only rate of PCM in this interface, where a format does not name one. */
const PCM_RATE_HZ = 24_000

const BETA_FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['pcm16', formatText('audio/pcm', PCM_RATE_HZ)],
  ['g711_ulaw', 'audio/pcmu'],
  ['g711_alaw', 'audio/pcma'],
])

/** The turn detection; null where turns are manual, undefined where the session object does not speak of it. */
export function turnDetectionOf(event: WireEvent): unknown {
  const nested = valueAt(event, 'session', 'audio', 'input', 'turn_detection')
  return nested === undefined ? valueAt(event, 'session', 'turn_detection') : nested
}

/** The output format as one comparable text, `audio/pcm 24000`; undefined where the session object does not speak of it. */
export function outputFormatOf(event: WireEvent): string | undefined {
  const nested = valueAt(event, 'session', 'audio', 'output', 'format')
  const format = nested === undefined ? valueAt(event, 'session', 'output_audio_format') : nested
  if (format === undefined || format === null) return undefined
  if (!isObject(format)) return BETA_FORMATS.get(format) ?? show(format)
  const { type, rate } = format
  if (typeof type !== 'string') return show(type)
  return type === 'audio/pcm' ? formatText(type, rate ?? PCM_RATE_HZ) : type
}

export function formatText(type: string, rateHz: unknown): string {
  return `${type} ${show(rateHz)}`
}
