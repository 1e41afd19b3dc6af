/**
 * The verdict on a session of OpenAI's Realtime interface or of a server compatible with it: checks C1 to C9 and O1 to
 * O12. No public verdict exists; these rules ask what the interface documents, and tolerate events they do not know.
 */
import { commonChecks } from '../common-checks.js'
import { verdictOf } from '../findings.js'
import { readSessionLog } from '../session-log.js'
import type { JudgeSession } from '../verdict.js'
import { errorChecks, errorNotes } from './error-checks.js'
import { readReplies } from './replies.js'
import { OPENAI_REPLY_RULES, replyChecks, replyNotes } from './reply-checks.js'
import { sessionChecks } from './session-checks.js'
import { committedChecks, speechChecks } from './speech-checks.js'

export const judgeOpenAiRealtimeSession: JudgeSession = (input) => {
  const log = readSessionLog(input)
  const { replies, violations } = readReplies(log, OPENAI_REPLY_RULES)
  return verdictOf({
    violations: [
      ...commonChecks(log, { areClientIdsOptional: true, isDeniedByAnyStatus: true }),
      ...sessionChecks(log),
      ...violations,
      ...replyChecks(log, replies),
      ...speechChecks(log),
      ...committedChecks(log),
      ...errorChecks(log, replies),
    ],
    notes: [...replyNotes(replies), ...errorNotes(log, replies)],
  })
}
