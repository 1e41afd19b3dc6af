/** Checks V1 to V3 and V6: the client speaks first, nothing of the journal is lost, packets are timed, and a clean close. */
import { violation } from '../findings.js'
import { isSameMs } from '../media-time.js'
import { CREATED, UPDATE, UPDATED } from '../openai-realtime/event-names.js'
import { firstPosition, type SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import type { InputPacket } from './input-audio.js'

const RESUME = 'session.resume'
const CLOSED = 'session.closed'
const CLOSED_BY_CLIENT = 'client_close'

export function* sessionChecks(log: SessionLog, packets: readonly InputPacket[]): Generator<Violation> {
  yield* openingChecks(log)
  yield* journalChecks(log)
  for (const packet of packets) yield* packetTimeChecks(packet)
  yield* closedChecks(log)
}

/** V1. */
function* openingChecks(log: SessionLog): Generator<Violation> {
  const first = log.wire.find(({ direction }) => direction === 'send')
  if (first?.type !== UPDATE && first?.type !== RESUME) {
    const found = first === undefined ? 'nothing was sent' : `the first event sent is ${show(first.type)}`
    yield violation('V1', `${found}; ${UPDATE} is required`, first)
  }
  const created = log.received(CREATED)
  if (created.length !== 1) {
    yield violation('V1', `${created.length} x receive ${CREATED}; exactly 1 is required`, created[1])
  }
  for (const record of created) {
    const id = valueAt(record.event, 'session', 'id')
    if (isNonEmptyString(id)) continue
    yield violation('V1', `session.id of session.created is ${show(id)}; a non-empty string is required`, record)
  }
  const createdAt = firstPosition(created)
  const updated = log.received(UPDATED)[0]
  if (updated === undefined) yield violation('V1', `${UPDATED} was never received`)
  else if (updated.position < createdAt) yield violation('V1', `${UPDATED} was received before ${CREATED}`, updated)
  for (const { record } of log.packets) {
    if (record.position > createdAt) continue
    yield violation('V1', `input_audio_buffer.append was sent before ${CREATED} was received`, record)
  }
}

/** V2. Events outside the journal carry no number. */
function* journalChecks(log: SessionLog): Generator<Violation> {
  let previous: number | undefined
  for (const record of log.wire) {
    const seq = record.event.server_event_seq
    if (record.direction !== 'receive' || seq === undefined || seq === null) continue
    if (typeof seq !== 'number' || !Number.isSafeInteger(seq)) {
      yield violation('V2', `server_event_seq of ${record.type} is ${show(seq)}; an integer is required`, record)
      continue
    }
    if (previous !== undefined && seq !== previous + 1) {
      const message = `server_event_seq of ${record.type} is ${seq}; the next one is ${previous + 1}`
      yield violation('V2', message, record)
    }
    // Counting on from what was received keeps one gap one finding.
    previous = seq
  }
}

/** V3. */
function* packetTimeChecks({ record, rateHz, ms, endMs }: InputPacket): Generator<Violation> {
  for (const [key, requiredMs] of [['duration_ms', ms] as const, ['audio_end_ms', endMs] as const]) {
    const found = record.event[key]
    if (found === undefined || isSameMs(found, requiredMs, rateHz)) continue
    yield violation('V3', `${key} of the append is ${show(found)}; ${requiredMs} ms is required`, record)
  }
}

/** V6. */
function* closedChecks(log: SessionLog): Generator<Violation> {
  const closed = log.received(CLOSED)[0]
  if (closed === undefined) {
    yield violation('V6', `${CLOSED} was never received`)
    return
  }
  if (closed.event.reason !== CLOSED_BY_CLIENT) {
    const message = `reason of ${CLOSED} is ${show(closed.event.reason)}; "${CLOSED_BY_CLIENT}" is required`
    yield violation('V6', message, closed)
  }
  for (const record of log.wire.slice(closed.position + 1)) {
    yield violation(
      'V6',
      `${record.direction} ${record.type || 'event'} after ${CLOSED} on line ${closed.line}`,
      record,
    )
  }
}
