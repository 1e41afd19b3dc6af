/** Checks O8 and O9: speech boundaries on the timeline of the audio sent, and turns that are taken in when they end. */
import { violation } from '../findings.js'
import { msOfSamples } from '../media-time.js'
import { APPEND, type SessionLog, samplesOf, type WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonNegativeNumber, show, valueAt } from '../wire-values.js'
import {
  COMMIT,
  COMMITTED,
  CREATED,
  SPEECH_STARTED,
  SPEECH_STOPPED,
  TIMEOUT_TRIGGERED,
  UPDATED,
} from './event-names.js'
import { turnDetectionOf } from './session-settings.js'

/**
 * O8. A start names the beginning of what the model hears, which reaches back by the prefix padding in force: by that much
 * it may lie before the end of the turn before. Servers write whole milliseconds, so the audio sent is rounded up to one.
 */
export function* speechChecks(log: SessionLog): Generator<Violation> {
  const rateHz = log.profile.input.sample_rate_hz
  let appendedSamples = 0
  let prefixPaddingMs = 0
  let isSpeaking = false
  let lastMs = 0
  for (const record of log.wire) {
    const { type, direction, event } = record
    if (direction === 'send' && type === APPEND) appendedSamples += samplesOf(record)
    if (setsTurnDetection(record)) {
      const padding = valueAt(turnDetectionOf(event), 'prefix_padding_ms')
      prefixPaddingMs = isNonNegativeNumber(padding) ? padding : 0
    }
    if (direction !== 'receive' || (type !== SPEECH_STARTED && type !== SPEECH_STOPPED)) continue
    const starts = type === SPEECH_STARTED
    if (starts === isSpeaking) {
      yield violation('O8', `${type} although speech was ${starts ? 'already' : 'not'} going on`, record)
    }
    isSpeaking = starts
    const key = starts ? 'audio_start_ms' : 'audio_end_ms'
    const ms = event[key]
    if (!isNonNegativeNumber(ms)) {
      yield violation('O8', `${key} of ${type} is ${show(ms)}; a number of milliseconds is required`, record)
      continue
    }
    const earliestMs = starts ? lastMs - prefixPaddingMs : lastMs
    if (ms < earliestMs) {
      yield violation('O8', `${key} of ${type} is ${ms}; the boundary before was at ${lastMs} ms`, record)
    }
    const appendedMs = Math.ceil(msOfSamples(appendedSamples, rateHz))
    if (ms > appendedMs) {
      yield violation('O8', `${key} of ${type} is ${ms}; only ${appendedMs} ms of audio had been sent`, record)
    }
    lastMs = ms
  }
}

/** O9. Turns that the client commits itself, or that the server ends for their silence, have no `speech_stopped`. */
export function* committedChecks(log: SessionLog): Generator<Violation> {
  const endedItems = new Set<unknown>()
  let commitsSent = 0
  let turnDetection: unknown
  for (const record of log.wire) {
    const { type, direction, event } = record
    if (direction === 'send') {
      if (type === COMMIT) commitsSent += 1
      continue
    }
    if (setsTurnDetection(record)) turnDetection = valueAt(turnDetectionOf(event), 'type')
    if (type === SPEECH_STOPPED || type === TIMEOUT_TRIGGERED) endedItems.add(event.item_id)
    if (type !== COMMITTED) continue
    const itemId = event.item_id
    if (itemId !== undefined && endedItems.has(itemId)) continue
    if (commitsSent > 0) commitsSent -= 1
    else if (turnDetection === 'server_vad') {
      yield violation('O9', `committed names item ${show(itemId)}, for which no speech_stopped came before`, record)
    }
  }
}

function setsTurnDetection({ direction, type }: WireRecord): boolean {
  return direction === 'receive' && (type === CREATED || type === UPDATED)
}
