/** Reading the grant in `session.updated` and comparing it, for checks N16 and T1. */
import { isObject } from '../../capture/trace-record.js'
import type { Profile } from '../../profile/profile.js'
import type { CheckId } from '../check-catalog.js'
import { violation } from '../findings.js'
import type { WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show, valueAt } from '../wire-values.js'

/** A path below `granted` and the value that must stand there, with exactly its JSON type. */
export type GrantRequirement = readonly [path: string, required: string | number | boolean | null]

/** The grant of one `session.updated`; undefined where it is no object. */
export function grantOf(updated: WireRecord): Readonly<Record<string, unknown>> | undefined {
  const granted = valueAt(updated.event, 'session', 'sglang', 'granted')
  return isObject(granted) ? granted : undefined
}

/** Formats and unit, which both session protocols take from the profile. */
export function formatRequirements(profile: Profile): readonly GrantRequirement[] {
  return [
    ['input_audio_format.type', 'audio/pcm'],
    ['input_audio_format.rate', profile.input.sample_rate_hz],
    ['output_audio_format.type', 'audio/pcm'],
    ['output_audio_format.rate', profile.output.sample_rate_hz],
    ['native_unit_ms', profile.unit_ms],
  ]
}

export function* grantFieldChecks(
  check: CheckId,
  updated: WireRecord,
  requirements: readonly GrantRequirement[],
): Generator<Violation> {
  const granted = grantOf(updated)
  if (granted === undefined) {
    const found = show(valueAt(updated.event, 'session', 'sglang', 'granted'))
    yield violation(check, `session.sglang.granted is ${found}; an object is required`, updated)
    return
  }
  for (const [path, required] of requirements) {
    const found = valueAt(granted, ...path.split('.'))
    if (found === required) continue
    yield violation(check, `granted.${path} is ${show(found)}; required is ${show(required)}`, updated)
  }
  // Rates stand elsewhere in the event too, so how the grant spells its own cannot be told; the unit stands only there.
  if (updated.nonIntegerLiterals.includes('native_unit_ms')) {
    yield violation(check, 'native_unit_ms of session.updated is not written as an integer', updated)
  }
}
