/** The verdict on a legacy half-duplex session: checks C1 to C9 and L1 to L15. */
import { commonChecks } from '../common-checks.js'
import { verdictOf } from '../findings.js'
import { readResponses } from '../response-checks.js'
import { readSessionLog } from '../session-log.js'
import type { JudgeSession } from '../verdict.js'
import { LEGACY_RESPONSE_RULES } from './event-types.js'
import { replyChecks } from './reply-checks.js'
import { setupChecks } from './setup-checks.js'

export const judgeLegacySession: JudgeSession = (input) => {
  const log = readSessionLog(input)
  const { responses, violations } = readResponses(log, LEGACY_RESPONSE_RULES)
  return verdictOf({
    violations: [...commonChecks(log), ...setupChecks(log), ...violations, ...replyChecks(log, responses)],
  })
}
