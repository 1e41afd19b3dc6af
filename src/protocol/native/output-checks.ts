/** Check N41: how much output audio a session carries. */
import { violation } from '../findings.js'
import { expectedUnits } from '../session/unit-checks.js'
import { type SessionLog, samplesOf } from '../session-log.js'
import type { Violation } from '../verdict.js'

const AUDIO_DELTA = 'response.output_audio.delta'

/**
 * Output conservation: whole frames of one unit's length, as many as the input has units, or one more where the profile
 * says so. Only the total counts, since a codec may hold samples back from one delta to the next.
 */
export function* outputConservationChecks(log: SessionLog): Generator<Violation> {
  const { conservation, sample_rate_hz: outputRateHz } = log.profile.output
  const units = expectedUnits(log)
  const unitMs = log.profile.unit_ms
  if (conservation === 'none' || units === undefined || unitMs === null) return
  const outputSamples = log.received(AUDIO_DELTA).reduce((sum, record) => sum + samplesOf(record), 0)
  const accepted = conservation === 'frame_per_unit' ? [units] : [units, units + 1]
  // Multiplied out, so that a frame which is no whole number of samples is compared exactly, too.
  if (accepted.some((frames) => outputSamples * 1000 === frames * unitMs * outputRateHz)) return
  const frameSamples = (unitMs * outputRateHz) / 1000
  const required = accepted.map((frames) => `${frames} x ${frameSamples}`).join(' or ')
  yield violation('N41', `${outputSamples} samples of output audio were received; required are ${required}`)
}
