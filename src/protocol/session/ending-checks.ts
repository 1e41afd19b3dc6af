/** Checks N38 to N40: no error, no unknown event, and an orderly close. */
import { violation } from '../findings.js'
import { serverErrorMessage } from '../server-error.js'
import { firstPosition, type SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show, valueAt } from '../wire-values.js'
import { ACCEPTED, CLOSED, CREATED, DRAINED, ENDED, ERROR, UNIT_DONE, UPDATED } from './event-types.js'

/**
 * What a server sends in a load trace, which is audio only. Receipts of images and of a cleared buffer exist in the
 * protocol, but answer commands that N7 forbids: here nobody asked for them, so they are unknown events.
 */
const SERVER_EVENTS: ReadonlySet<string> = new Set([
  ...[CREATED, UPDATED, ACCEPTED, ENDED, UNIT_DONE, DRAINED, CLOSED, ERROR],
])

export function* endingChecks(log: SessionLog, extraServerEvents: readonly string[] = []): Generator<Violation> {
  yield* errorChecks(log)
  yield* eventTypeChecks(log, extraServerEvents)
  const drainedAt = firstPosition(log.received(DRAINED))
  for (const closed of log.received(CLOSED)) {
    if (closed.position < drainedAt) {
      yield violation('N40', 'session.closed was received before sglang.input_audio.drained', closed)
    }
    const reason = closed.event.reason
    if (reason !== 'client_closed') {
      yield violation('N40', `reason of session.closed is ${show(reason)}; "client_closed" is required`, closed)
    }
  }
}

/** N38. A fatal error is the server's last word: whatever the client still sends is part of the same fault. */
function* errorChecks(log: SessionLog): Generator<Violation> {
  const errors = log.received(ERROR)
  for (const record of errors) yield violation('N38', serverErrorMessage(record), record)
  const fatal = errors.find((record) => valueAt(record.event, 'sglang', 'fatal') === true)
  if (fatal === undefined) return
  for (const record of log.wire.slice(fatal.position + 1)) {
    if (record.direction !== 'send') continue
    yield violation('N38', `${show(record.type)} was sent after the fatal error on line ${fatal.line}`, record)
  }
}

/** N39. Types that begin with `response.` are N34's, so that each unknown event is reported once. */
function* eventTypeChecks(log: SessionLog, extraServerEvents: readonly string[]): Generator<Violation> {
  for (const record of log.wire) {
    const { type } = record
    if (record.direction !== 'receive' || type === '' || type.startsWith('response.')) continue
    if (SERVER_EVENTS.has(type) || extraServerEvents.includes(type)) continue
    yield violation('N39', `unknown server event ${show(type)}`, record)
  }
}
