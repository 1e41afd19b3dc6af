/** Checks N19 and N21: the server took all input, and padded the last unit to its full length. */
import { samplesPerUnit } from '../../profile/profile.js'
import { violation } from '../findings.js'
import { isSameMs, msOfSamples } from '../media-time.js'
import { drainedSumChecks, tailPolicyChecks } from '../session/end-of-input-checks.js'
import { ENDED } from '../session/event-types.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'

export function* nativeEndOfInputChecks(log: SessionLog): Generator<Violation> {
  const rate = log.profile.input.sample_rate_hz
  const inputMs = msOfSamples(log.inputSamples, rate)
  for (const ended of log.received(ENDED)) {
    const found = ended.event.accepted_end_ms
    if (isSameMs(found, inputMs, rate)) continue
    yield violation('N19', `ended.accepted_end_ms is ${show(found)}; the input lasts ${inputMs} ms`, ended)
  }
  yield* tailPolicyChecks(log, 'N19', 'pad')
  yield* drainedSumChecks(log, 'N21', paddingSamplesOf(log))
}

function paddingSamplesOf(log: SessionLog): number {
  const perUnit = samplesPerUnit(log.profile)
  return perUnit === undefined ? 0 : Math.ceil(log.inputSamples / perUnit) * perUnit - log.inputSamples
}
