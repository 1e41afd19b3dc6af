/** Checks L1 to L7: two updates, the second one a probe that proves the server alive, and the audio between them. */
import { isObject } from '../../capture/trace-record.js'
import { violation } from '../findings.js'
import { packetNumberChecks } from '../packet-checks.js'
import { firstPosition, type SessionLog, type WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, isStringListWith, show, valueAt } from '../wire-values.js'
import { APPEND, CREATED, UPDATE, UPDATED } from './event-types.js'

export function* setupChecks(log: SessionLog): Generator<Violation> {
  yield* countChecks(log)
  yield* firstUpdateChecks(log)
  yield* probeChecks(log)
  yield* answerChecks(log)
  yield* grantChecks(log)
  yield* appendChecks(log)
  yield* packetNumberChecks(log, { seq: 'L6', startTime: 'L6' })
  for (const record of log.wire) {
    const { type, direction } = record
    if (direction !== 'send' || type === '' || type === UPDATE || type === APPEND) continue
    yield violation('L7', `client command ${show(type)}; allowed are ${UPDATE} and ${APPEND}`, record)
  }
}

/** L1. */
function* countChecks(log: SessionLog): Generator<Violation> {
  const created = log.received(CREATED)
  const updates = log.sent(UPDATE)
  const answers = log.received(UPDATED)
  for (const [name, records, required] of [
    [`receive ${CREATED}`, created, 1],
    [`send ${UPDATE}`, updates, 2],
    [`receive ${UPDATED}`, answers, 2],
  ] as const) {
    if (records.length === required) continue
    yield violation('L1', `${records.length} x ${name}; exactly ${required} is required`, records[required])
  }
  for (const record of created) {
    const id = valueAt(record.event, 'session', 'id')
    if (isNonEmptyString(id)) continue
    yield violation('L1', `session.id of session.created is ${show(id)}; a non-empty string is required`, record)
  }
}

/** L2. */
function* firstUpdateChecks(log: SessionLog): Generator<Violation> {
  const update = log.sent(UPDATE)[0]
  if (update === undefined) return
  if (update.position < firstPosition(log.received(CREATED))) {
    yield violation('L2', 'the first session.update was sent before session.created was received', update)
  }
  const type = turnDetectionTypeOf(update)
  if (typeof type !== 'string') {
    yield violation('L2', `session.turn_detection.type of the update is ${show(type)}; a string is required`, update)
  }
  yield* modalityChecks('L2', update)
}

/** L3. */
function* probeChecks(log: SessionLog): Generator<Violation> {
  const probe = log.sent(UPDATE)[1]
  if (probe === undefined) return
  const session = probe.event.session
  if (!isObject(session) || Object.keys(session).length > 0) {
    const found = isObject(session) ? `has the keys ${show(Object.keys(session))}` : `is ${show(session)}`
    yield violation('L3', `session of the second session.update ${found}; an empty object is required`, probe)
  }
  if (probe.position < firstPosition(log.sent(APPEND))) {
    yield violation('L3', 'the second session.update was sent before any input_audio_buffer.append', probe)
  }
}

/** L4. Answers carry no client event id: the n-th answers the n-th update. */
function* answerChecks(log: SessionLog): Generator<Violation> {
  const created = log.received(CREATED)[0]
  const createdId = created === undefined ? undefined : valueAt(created.event, 'session', 'id')
  let unanswered = 0
  for (const record of log.wire) {
    if (record.direction === 'send' && record.type === UPDATE) unanswered += 1
    if (record.direction !== 'receive' || record.type !== UPDATED) continue
    if (unanswered === 0) yield violation('L4', 'session.updated was received while no update was unanswered', record)
    else unanswered -= 1
    const id = valueAt(record.event, 'session', 'id')
    if (isNonEmptyString(createdId) && id !== createdId) {
      yield violation('L4', `session.id of session.updated is ${show(id)}; ${show(createdId)} was created`, record)
    }
  }
}

/** L5: a server that falls back to text or to another turn detection says so only here. */
function* grantChecks(log: SessionLog): Generator<Violation> {
  const update = log.sent(UPDATE)[0]
  const answer = log.received(UPDATED)[0]
  if (update === undefined || answer === undefined) return
  const asked = turnDetectionTypeOf(update)
  const echoed = turnDetectionTypeOf(answer)
  if (typeof asked === 'string' && echoed !== asked) {
    const message = `session.turn_detection.type of the first session.updated is ${show(echoed)}; asked for was ${show(asked)}`
    yield violation('L5', message, answer)
  }
  yield* modalityChecks('L5', answer)
}

/** L6, as far as the place of an append goes. */
function* appendChecks(log: SessionLog): Generator<Violation> {
  const answeredAt = firstPosition(log.received(UPDATED))
  const probeAt = log.sent(UPDATE)[1]?.position ?? Number.POSITIVE_INFINITY
  for (const { record } of log.packets) {
    if (record.position < answeredAt) {
      yield violation('L6', 'input_audio_buffer.append was sent before session.updated was received', record)
    }
    if (record.position > probeAt) yield violation('L6', 'input_audio_buffer.append was sent after the probe', record)
  }
}

function* modalityChecks(check: 'L2' | 'L5', record: WireRecord): Generator<Violation> {
  const modalities = valueAt(record.event, 'session', 'modalities')
  if (isStringListWith(modalities, 'audio')) return
  const message = `session.modalities of ${record.type} is ${show(modalities)}; a list with "audio" is required`
  yield violation(check, message, record)
}

function turnDetectionTypeOf(record: WireRecord): unknown {
  return valueAt(record.event, 'session', 'turn_detection', 'type')
}
