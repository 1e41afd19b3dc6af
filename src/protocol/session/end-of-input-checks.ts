/** Check N20, and what `drained` must add up to (N21, T3). */
import type { CheckId } from '../check-catalog.js'
import { violation } from '../findings.js'
import { isSameMs, msOfSamples } from '../media-time.js'
import { firstPosition, type SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'
import { DRAINED, ENDED } from './event-types.js'

export function* drainedOrderChecks(log: SessionLog): Generator<Violation> {
  const endedAt = firstPosition(log.received(ENDED))
  for (const drained of log.received(DRAINED)) {
    if (drained.position > endedAt) continue
    yield violation('N20', 'sglang.input_audio.drained was received before sglang.input_audio.ended', drained)
  }
}

export function* tailPolicyChecks(log: SessionLog, check: CheckId, required: string): Generator<Violation> {
  for (const ended of log.received(ENDED)) {
    const tailPolicy = ended.event.tail_policy
    if (tailPolicy === required) continue
    yield violation(check, `ended.tail_policy is ${show(tailPolicy)}; required is ${show(required)}`, ended)
  }
}

/** All input was accepted and consumed, none discarded, and the last unit padded by so many samples. */
export function* drainedSumChecks(log: SessionLog, check: CheckId, paddingSamples: number): Generator<Violation> {
  const rate = log.profile.input.sample_rate_hz
  const inputMs = msOfSamples(log.inputSamples, rate)
  const requirements: readonly (readonly [string, number])[] = [
    ['accepted_end_ms', inputMs],
    ['consumed_ms', inputMs],
    ['discarded_ms', 0],
    ['padding_ms', msOfSamples(paddingSamples, rate)],
  ]
  for (const drained of log.received(DRAINED)) {
    for (const [key, requiredMs] of requirements) {
      const found = drained.event[key]
      if (isSameMs(found, requiredMs, rate)) continue
      const message = `drained.${key} is ${show(found)}; ${requiredMs} is required for ${inputMs} ms of input`
      yield violation(check, message, drained)
    }
  }
}
