/**
 * The verdict on a session of vLLM-Omni's duplex endpoint: checks C1 to C9 and V1 to V8. A refusal comes in band here, as
 * an `error` in place of `session.created`; it fails by V1 and V5, and the metrics tell it from other failures.
 */
import { commonChecks } from '../common-checks.js'
import { verdictOf } from '../findings.js'
import { readReplies } from '../openai-realtime/replies.js'
import { didInputOverlapOutput } from '../output-overlap.js'
import { readSessionLog } from '../session-log.js'
import type { JudgeSession } from '../verdict.js'
import { readInputPackets } from './input-audio.js'
import { continuousOutputChecks, replyChecks, VLLM_REPLY_RULES } from './reply-checks.js'
import { sessionChecks } from './session-checks.js'

export const judgeVllmDuplexSession: JudgeSession = (input) => {
  const log = readSessionLog(input)
  const packets = readInputPackets(log)
  const { replies, violations } = readReplies(log, VLLM_REPLY_RULES)
  return verdictOf({
    violations: [
      ...commonChecks(log, { areClientIdsOptional: true }),
      ...sessionChecks(log, packets),
      ...violations,
      ...replyChecks(log, replies),
      ...continuousOutputChecks(log, replies, packets),
    ],
    statusIfClean: log.profile.output.continuous && !didInputOverlapOutput(log) ? 'not_exercised' : 'pass',
  })
}
