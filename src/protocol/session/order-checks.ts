/** Checks N1 to N9: who may send what when, and that every milestone happens exactly once. */
import { violation } from '../findings.js'
import { packetNumberChecks } from '../packet-checks.js'
import { firstPosition, type SessionLog } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { show } from '../wire-values.js'
import { APPEND, CLOSE, CLOSED, CREATED, DRAINED, END, ENDED, UPDATE, UPDATED } from './event-types.js'

const CLIENT_COMMANDS: ReadonlySet<string> = new Set([UPDATE, APPEND, END, CLOSE])

/** In order of a session's life. */
const MILESTONES: readonly (readonly ['send' | 'receive', string])[] = [
  ['receive', CREATED],
  ['send', UPDATE],
  ['receive', UPDATED],
  ['send', END],
  ['receive', ENDED],
  ['receive', DRAINED],
  ['send', CLOSE],
  ['receive', CLOSED],
]

export function* orderChecks(log: SessionLog): Generator<Violation> {
  yield* sendOrderChecks(log)
  yield* packetNumberChecks(log, { seq: 'N3', startTime: 'N4' })
  yield* afterCloseChecks(log)
  yield* milestoneChecks(log)
}

function* sendOrderChecks(log: SessionLog): Generator<Violation> {
  const createdAt = firstPosition(log.received(CREATED))
  const updatedAt = firstPosition(log.received(UPDATED))
  const drainedAt = firstPosition(log.received(DRAINED))
  const endAt = firstPosition(log.sent(END))
  for (const record of log.wire) {
    if (record.direction !== 'send') continue
    const { position, type } = record
    if (type === UPDATE && position < createdAt) {
      yield violation('N1', 'session.update was sent before session.created was received', record)
    }
    if (type === APPEND && position < updatedAt) {
      yield violation('N2', 'input_audio_buffer.append was sent before session.updated was received', record)
    }
    if (type === APPEND && position > endAt) {
      yield violation('N2', 'input_audio_buffer.append was sent after sglang.input_audio.end', record)
    }
    if (type === END && position < updatedAt) {
      yield violation('N5', 'sglang.input_audio.end was sent before session.updated was received', record)
    }
    if (type === CLOSE && position < drainedAt) {
      yield violation('N6', 'session.close was sent before sglang.input_audio.drained was received', record)
    }
    if (type !== '' && !CLIENT_COMMANDS.has(type)) {
      yield violation('N7', `client command ${show(type)}; allowed are ${[...CLIENT_COMMANDS].join(', ')}`, record)
    }
  }
}

function* afterCloseChecks(log: SessionLog): Generator<Violation> {
  const closed = log.received(CLOSED)[0]
  if (closed === undefined) return
  for (const record of log.wire.slice(closed.position + 1)) {
    const what = `${record.direction} ${record.type || 'event without type'}`
    yield violation('N8', `${what} after session.closed on line ${closed.line}`, record)
  }
}

function* milestoneChecks(log: SessionLog): Generator<Violation> {
  for (const [direction, type] of MILESTONES) {
    const records = direction === 'send' ? log.sent(type) : log.received(type)
    if (records.length === 1) continue
    // The first repetition is the line a person wants to see; a missing milestone has none.
    yield violation('N9', `${records.length} x ${direction} ${type}; exactly 1 is required`, records[1])
  }
}
