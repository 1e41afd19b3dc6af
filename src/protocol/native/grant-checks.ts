/** Checks N16 to N18: the server granted a native session in the formats of the profile. */
import type { Profile } from '../../profile/profile.js'
import { violation } from '../findings.js'
import { UPDATED } from '../session/event-types.js'
import { formatRequirements, type GrantRequirement, grantFieldChecks, grantOf } from '../session/grant-fields.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isStringListWith, show } from '../wire-values.js'

export function* nativeGrantChecks(log: SessionLog): Generator<Violation> {
  const requirements = requirementsOf(log.profile)
  for (const updated of log.received(UPDATED)) {
    yield* grantFieldChecks('N16', updated, requirements)
    const granted = grantOf(updated)
    if (granted === undefined) continue
    const modalities = granted.output_modalities
    if (!isStringListWith(modalities, 'audio')) {
      const message = `granted.output_modalities is ${show(modalities)}; a list of strings with "audio" is required`
      yield violation('N17', message, updated)
    }
    // Older servers say false, newer ones true: the type is all that can be asked for.
    const truncate = granted.supports_truncate
    if (typeof truncate !== 'boolean') {
      yield violation('N18', `granted.supports_truncate is ${show(truncate)}; a boolean is required`, updated)
    }
  }
}

function requirementsOf(profile: Profile): readonly GrantRequirement[] {
  return [
    ['interaction', 'native'],
    ['native_full_duplex', true],
    ...formatRequirements(profile),
    ['tail_policy', 'pad'],
    ['microturn_ms', null],
    ['client_commit', false],
    ['proactive_output', false],
    ['pressure_policy', 'reject'],
    ['strict_order', true],
    ['supports_server_interrupt', false],
    ['supports_resume', false],
  ]
}
