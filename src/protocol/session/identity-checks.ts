/** Check N15: the server names the session and keeps the name. */
import { violation } from '../findings.js'
import type { SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import { CREATED, UPDATED } from './event-types.js'

export function* sessionIdChecks(log: SessionLog): Generator<Violation> {
  for (const created of log.received(CREATED)) {
    const id = valueAt(created.event, 'session', 'id')
    if (isNonEmptyString(id)) continue
    yield violation('N15', `session.id of session.created is ${show(id)}; a non-empty string is required`, created)
  }
  const created = log.received(CREATED)[0]
  const createdId = created === undefined ? undefined : valueAt(created.event, 'session', 'id')
  // Without a name to keep there is nothing to compare; that it is missing has been said above or by N9.
  if (!isNonEmptyString(createdId)) return
  for (const updated of log.received(UPDATED)) {
    const id = valueAt(updated.event, 'session', 'id')
    if (id === createdId) continue
    yield violation('N15', `session.id of session.updated is ${show(id)}; ${show(createdId)} was created`, updated)
  }
}
