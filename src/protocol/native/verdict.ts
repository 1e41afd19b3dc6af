/**
 * The verdict on a native session: checks C1 to C9 and N1 to N41. It knows servers only through the profile, and reads
 * nothing but the trace: no clock, no file, none of the client's own bookkeeping.
 */
import { commonChecks } from '../common-checks.js'
import { verdictOf } from '../findings.js'
import { didInputOverlapOutput } from '../output-overlap.js'
import { readResponses } from '../response-checks.js'
import { SESSION_RESPONSE_RULES } from '../session/response-rules.js'
import { sharedSessionChecks } from '../session/shared-checks.js'
import { unitSumChecks } from '../session/unit-checks.js'
import { readSessionLog } from '../session-log.js'
import type { JudgeSession } from '../verdict.js'
import { nativeEndOfInputChecks } from './end-of-input-checks.js'
import { nativeGrantChecks } from './grant-checks.js'
import { outputConservationChecks } from './output-checks.js'
import { nativeResponseChecks } from './response-checks.js'

export const judgeNativeSession: JudgeSession = (input) => {
  const log = readSessionLog(input)
  const { responses, violations } = readResponses(log, SESSION_RESPONSE_RULES)
  return verdictOf({
    violations: [
      ...commonChecks(log),
      ...sharedSessionChecks(log),
      ...violations,
      ...nativeGrantChecks(log),
      ...nativeEndOfInputChecks(log),
      ...unitSumChecks(log, { count: 'N25', empty: 'N26', sum: 'N27' }),
      ...nativeResponseChecks(log, responses),
      ...outputConservationChecks(log),
    ],
    statusIfClean: log.profile.output.continuous && !didInputOverlapOutput(log) ? 'not_exercised' : 'pass',
  })
}
