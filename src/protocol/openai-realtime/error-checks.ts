/**
 * Check O10: errors. This interface has no fatal flag and answers a client that was merely too late with an `error`; two
 * such races are part of every barge-in, and are reported without failing the session.
 */
import { violation } from '../findings.js'
import { serverErrorMessage } from '../server-error.js'
import type { SessionLog, WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, valueAt } from '../wire-values.js'
import { CANCEL, ERROR, TRUNCATE } from './event-names.js'
import { isOpenAt, type Reply } from './replies.js'

/** How a server says that an item is shorter than where it was to be cut, or has no audio yet. */
const TRUNCATION = /truncat|already shorter than/i
/** How it says that the reply to be cancelled is over. */
const NOTHING_TO_CANCEL = /response_cancel_not_active|no active response/i

export function* errorChecks(log: SessionLog, replies: readonly Reply[]): Generator<Violation> {
  for (const error of log.received(ERROR)) {
    if (raceOf(log, replies, error) !== undefined) continue
    const code = valueAt(error.event, 'error', 'code')
    const message =
      code === 'session_expired'
        ? 'the session reached the longest time the server allows (session_expired) and was ended by it'
        : serverErrorMessage(error)
    yield violation('O10', message, error)
  }
}

export function* errorNotes(log: SessionLog, replies: readonly Reply[]): Generator<Violation> {
  for (const error of log.received(ERROR)) {
    const race = raceOf(log, replies, error)
    if (race !== undefined) yield violation('O10', `${race}: ${serverErrorMessage(error)}`, error)
  }
}

/** Which race an error tells of; undefined where it tells of none. An error that names its cause is taken at its word. */
function raceOf(log: SessionLog, replies: readonly Reply[], error: WireRecord): string | undefined {
  const [causeId, ...words] = ['event_id', 'code', 'message'].map((key) => valueAt(error.event, 'error', key))
  const text = words.filter((word) => typeof word === 'string').join(' ')
  const sentBefore = log.wire.filter(({ direction, position }) => direction === 'send' && position < error.position)
  const cause = isNonEmptyString(causeId) ? sentBefore.find(({ event }) => event.event_id === causeId) : undefined
  const wasSent = (type: string) => cause === undefined && sentBefore.some((sent) => sent.type === type)

  if (cause?.type === TRUNCATE || (wasSent(TRUNCATE) && TRUNCATION.test(text))) return 'truncated too late'
  const isNothingOpen = !replies.some((reply) => isOpenAt(reply, error))
  if (cause?.type === CANCEL && (isNothingOpen || NOTHING_TO_CANCEL.test(text))) return 'cancelled too late'
  if (wasSent(CANCEL) && NOTHING_TO_CANCEL.test(text)) return 'cancelled too late'
  return undefined
}
