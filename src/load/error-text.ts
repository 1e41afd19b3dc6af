/** How the end of a session reads in its trace. Pure. */
import type { OutcomeKind, SessionOutcome } from './session-ports.js'

/** By convention an error line begins with a class name (docs/formats.md, "Trace"). */
const ERROR_CLASS: Record<OutcomeKind, string> = {
  completed: 'Completed',
  denied: 'AdmissionDenied',
  server_error: 'ServerError',
  server_closed: 'ServerClosed',
  disconnected: 'Disconnected',
  left: 'Interrupted',
  refused: 'UpgradeRefused',
  unreachable: 'ConnectionFailed',
  timeout: 'SessionTimeout',
  undecodable: 'UndecodableFrame',
  not_recorded: 'NotRecorded',
  sender_died: 'SenderDied',
}

/** The text of a session's error line in its trace. */
export function errorText(outcome: SessionOutcome): string {
  return `${ERROR_CLASS[outcome.kind]}: ${outcome.message}`
}
