/** What native and turn-based sessions have in common: N1 to N15, N20, N22 to N24, N38 to N40 (responses apart). */
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { acknowledgementChecks } from './acknowledgement-checks.js'
import { drainedOrderChecks } from './end-of-input-checks.js'
import { endingChecks } from './ending-checks.js'
import { sessionIdChecks } from './identity-checks.js'
import { orderChecks } from './order-checks.js'
import { unitReceiptChecks } from './unit-checks.js'

/** @param extraServerEvents event types that a protocol allows beside those of the session protocol (N39) */
export function* sharedSessionChecks(log: SessionLog, extraServerEvents: readonly string[] = []): Generator<Violation> {
  yield* orderChecks(log)
  yield* acknowledgementChecks(log)
  yield* sessionIdChecks(log)
  yield* drainedOrderChecks(log)
  yield* unitReceiptChecks(log)
  yield* endingChecks(log, extraServerEvents)
}
