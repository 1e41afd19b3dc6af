/** Checks T1 to T4: the grant, turn detection, the flushed tail, and receipts that account for the input. */
import { violation } from '../findings.js'
import { drainedSumChecks, tailPolicyChecks } from '../session/end-of-input-checks.js'
import { UPDATE, UPDATED } from '../session/event-types.js'
import { formatRequirements, type GrantRequirement, grantFieldChecks, grantOf } from '../session/grant-fields.js'
import { unitSumChecks } from '../session/unit-checks.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isStringListWith, show, valueAt } from '../wire-values.js'

const TURN_DETECTION_TYPE = ['session', 'audio', 'input', 'turn_detection', 'type'] as const

export function* turnBasedSessionChecks(log: SessionLog): Generator<Violation> {
  yield* grantChecks(log)
  yield* turnDetectionChecks(log)
  yield* tailPolicyChecks(log, 'T3', 'flush')
  // A flushed tail is processed as it is: nothing is padded.
  yield* drainedSumChecks(log, 'T3', 0)
  yield* unitSumChecks(log, { count: 'T4', empty: 'T4', sum: 'T4' })
}

function* grantChecks(log: SessionLog): Generator<Violation> {
  const requirements: readonly GrantRequirement[] = [
    ['interaction', 'turn_based'],
    ...formatRequirements(log.profile),
    ['tail_policy', 'flush'],
  ]
  for (const updated of log.received(UPDATED)) {
    yield* grantFieldChecks('T1', updated, requirements)
    const granted = grantOf(updated)
    if (granted === undefined) continue
    const { output_modalities: modalities, supports_truncate: truncate } = granted
    if (!isStringListWith(modalities, 'audio')) {
      const message = `granted.output_modalities is ${show(modalities)}; a list of strings with "audio" is required`
      yield violation('T1', message, updated)
    }
    if (typeof truncate !== 'boolean') {
      yield violation('T1', `granted.supports_truncate is ${show(truncate)}; a boolean is required`, updated)
    }
  }
}

/** T2. An answer is compared with the last update sent before it; more than one of each is N9's business. */
function* turnDetectionChecks(log: SessionLog): Generator<Violation> {
  for (const update of log.sent(UPDATE)) {
    const asked = valueAt(update.event, ...TURN_DETECTION_TYPE)
    if (typeof asked === 'string') continue
    yield violation(
      'T2',
      `${TURN_DETECTION_TYPE.join('.')} of the update is ${show(asked)}; a string is required`,
      update,
    )
  }
  for (const updated of log.received(UPDATED)) {
    const update = log.sent(UPDATE).findLast((sent) => sent.position < updated.position)
    const asked = update === undefined ? undefined : valueAt(update.event, ...TURN_DETECTION_TYPE)
    const echoed = valueAt(updated.event, ...TURN_DETECTION_TYPE)
    if (typeof asked !== 'string' || echoed === asked) continue
    const message = `session.updated has ${TURN_DETECTION_TYPE.join('.')} ${show(echoed)}; asked for was ${show(asked)}`
    yield violation('T2', message, updated)
  }
}
