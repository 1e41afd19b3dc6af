/** The verdict on a turn-based session: checks C1 to C9, the N checks of the session protocol, and T1 to T10. */
import { commonChecks } from '../common-checks.js'
import { verdictOf } from '../findings.js'
import { readResponses } from '../response-checks.js'
import { SPEECH_STARTED, SPEECH_STOPPED, TRANSCRIPTION_COMPLETED, TRANSCRIPTION_DELTA } from '../session/event-types.js'
import { SESSION_RESPONSE_RULES } from '../session/response-rules.js'
import { sharedSessionChecks } from '../session/shared-checks.js'
import { readSessionLog } from '../session-log.js'
import type { JudgeSession } from '../verdict.js'
import { turnBasedResponseChecks } from './response-checks.js'
import { turnBasedSessionChecks } from './session-checks.js'
import { speechNotes } from './speech-notes.js'

/** Events of turns. The two about voiced text name a reply but are no `response.*` events, so N29 does not ask them. */
const TURN_EVENTS: readonly string[] = [
  SPEECH_STARTED,
  SPEECH_STOPPED,
  TRANSCRIPTION_DELTA,
  TRANSCRIPTION_COMPLETED,
  'sglang.response.progress',
  'sglang.response.heard',
]

export const judgeTurnBasedSession: JudgeSession = (input) => {
  const log = readSessionLog(input)
  const { responses, violations } = readResponses(log, SESSION_RESPONSE_RULES)
  return verdictOf({
    violations: [
      ...commonChecks(log),
      ...sharedSessionChecks(log, TURN_EVENTS),
      ...violations,
      ...turnBasedSessionChecks(log),
      ...turnBasedResponseChecks(log, responses),
    ],
    notes: speechNotes(log),
  })
}
