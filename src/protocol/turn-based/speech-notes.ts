/** Check T10, reported and never failed: speech boundaries alternate and lie within the audio accepted so far. */
import { violation } from '../findings.js'
import { ACCEPTED, SPEECH_STARTED, SPEECH_STOPPED } from '../session/event-types.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'

export function* speechNotes(log: SessionLog): Generator<Violation> {
  let acceptedMs = 0
  let isSpeaking = false
  for (const record of log.wire) {
    if (record.direction !== 'receive') continue
    const { type, event } = record
    if (type === ACCEPTED && typeof event.accepted_end_ms === 'number') {
      acceptedMs = Math.max(acceptedMs, event.accepted_end_ms)
    }
    if (type !== SPEECH_STARTED && type !== SPEECH_STOPPED) continue
    const starts = type === SPEECH_STARTED
    if (starts === isSpeaking)
      yield violation('T10', `${type} although speech was ${starts ? '' : 'not '}going on`, record)
    isSpeaking = starts
    const key = starts ? 'audio_start_ms' : 'audio_end_ms'
    const ms = event[key]
    if (typeof ms !== 'number' || ms > acceptedMs) {
      yield violation('T10', `${key} of ${type} is ${show(ms)}; ${acceptedMs} ms were accepted so far`, record)
    }
  }
}
