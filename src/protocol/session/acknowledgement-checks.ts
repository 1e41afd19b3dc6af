/** Checks N10 to N14: answers name what they answer, and every packet is accepted at its place. */
import { violation } from '../findings.js'
import { isSameMs, msOfSamples } from '../media-time.js'
import type { Packet, SessionLog, WireRecord } from '../session-log.js'
import type { Violation } from '../verdict.js'
import { isNonEmptyString, show, valueAt } from '../wire-values.js'
import { ACCEPTED, APPEND, CLOSE, CLOSED, DRAINED, END, ENDED, UPDATE, UPDATED } from './event-types.js'

/** Server event to the client event it answers. */
const ANSWERED: ReadonlyMap<string, string> = new Map([
  [UPDATED, UPDATE],
  [ACCEPTED, APPEND],
  [ENDED, END],
  [DRAINED, END],
  [CLOSED, CLOSE],
])

export function* acknowledgementChecks(log: SessionLog): Generator<Violation> {
  yield* namingChecks(log)
  yield* acceptedChecks(log)
}

/**
 * N10, N11. `ended` and `drained` both answer the end of input, so an event is answered twice when two answers of one
 * type name it.
 */
function* namingChecks(log: SessionLog): Generator<Violation> {
  const sentById = firstSentById(log)
  const lineOfAnswer = new Map<string, number>()
  for (const record of log.wire) {
    const answeredType = ANSWERED.get(record.type)
    if (record.direction !== 'receive' || answeredType === undefined) continue
    const clientEventId = record.event.client_event_id
    const answered = isNonEmptyString(clientEventId) ? sentById.get(clientEventId) : undefined
    if (answered === undefined || answered.position > record.position || answered.type !== answeredType) {
      const found = answered === undefined ? 'no sent event' : `${answered.type} on line ${answered.line}`
      const message = `client_event_id of ${record.type} is ${show(clientEventId)}, which names ${found}`
      yield violation('N10', `${message}; an earlier ${answeredType} is required`, record)
    }
    if (!isNonEmptyString(clientEventId)) continue
    const key = `${record.type} ${clientEventId}`
    const earlierLine = lineOfAnswer.get(key)
    if (earlierLine === undefined) lineOfAnswer.set(key, record.line)
    else {
      const message = `${record.type} answers ${show(clientEventId)} again, after line ${earlierLine}`
      yield violation('N11', message, record)
    }
  }
}

/** N12 to N14. A receipt that names no packet is N10's business and is not judged further. */
function* acceptedChecks(log: SessionLog): Generator<Violation> {
  const rate = log.profile.input.sample_rate_hz
  const packetById = new Map<unknown, Packet>()
  for (const packet of log.packets) {
    const id = packet.record.event.event_id
    if (isNonEmptyString(id) && !packetById.has(id)) packetById.set(id, packet)
  }
  const accepted = new Set<Packet>()
  for (const receipt of log.received(ACCEPTED)) {
    const packet = packetById.get(receipt.event.client_event_id)
    if (packet === undefined) continue
    accepted.add(packet)
    const { seq, accepted_end_ms: acceptedEndMs } = receipt.event
    const packetSeq = valueAt(packet.record.event, 'sglang', 'seq')
    if (seq !== packetSeq) {
      yield violation('N12', `accepted.seq is ${show(seq)}; the packet it names has seq ${show(packetSeq)}`, receipt)
    }
    const requiredMs = msOfSamples(packet.endSamples, rate)
    if (!isSameMs(acceptedEndMs, requiredMs, rate)) {
      const message = `accepted_end_ms is ${show(acceptedEndMs)}; the audio up to this packet lasts ${requiredMs} ms`
      yield violation('N13', message, receipt)
    }
  }
  for (const packet of log.packets) {
    if (accepted.has(packet)) continue
    const seq = show(valueAt(packet.record.event, 'sglang', 'seq'))
    yield violation('N14', `no sglang.input_audio.accepted for the packet with seq ${seq}`, packet.record)
  }
}

function firstSentById(log: SessionLog): ReadonlyMap<string, WireRecord> {
  const byId = new Map<string, WireRecord>()
  for (const record of log.wire) {
    const id = record.event.event_id
    if (record.direction === 'send' && isNonEmptyString(id) && !byId.has(id)) byId.set(id, record)
  }
  return byId
}
