/** Rules on what was sent and when: packets, pacing, receipts. Pure. */
import { US_PER_S, usFromSeconds } from '../../base/clock.js'
import { isObject } from '../../base/json.js'
import type { SendReceipts } from '../../capture/receipts.js'
import { PACING_TOLERANCE_US, PACKET_US } from '../../metrics/pacing.js'
import { PACKET_MS, type ProtocolName } from '../../profile/profile.js'
import type { Reason } from './reasons.js'
import type { WindowAppend } from './window-record.js'

/** Appends of these carry a sequence number and their media time. */
const NUMBERED: ReadonlySet<ProtocolName> = new Set(['native', 'turn-based', 'legacy-half-duplex'])

const MEDIA_TIME_TOLERANCE_MS = 1e-9

export interface PacketOptions {
  readonly appends: readonly WindowAppend[]
  readonly protocol: ProtocolName
  readonly inputPcm: Uint8Array
  readonly inputRateHz: number
  readonly samplesPerPacket: number
}

/** The number of packets, what they say of themselves, and their audio. */
export function* packetReasons(options: PacketOptions): Generator<Reason> {
  const { appends, protocol, inputPcm, samplesPerPacket } = options
  const expected = Math.ceil(inputPcm.byteLength / 2 / samplesPerPacket)
  if (appends.length !== expected) {
    yield { code: 'packet_count', detail: `${appends.length} packets were sent; the input has ${expected}` }
  }
  if (NUMBERED.has(protocol)) {
    for (const [index, { event }] of appends.entries()) {
      const problem = fieldProblem(event.sglang, index)
      if (problem !== undefined) yield { code: 'packet_fields', detail: `packet ${index}: ${problem}` }
    }
  }
  const differsAt = firstDifference(appends, inputPcm)
  if (differsAt !== undefined) {
    yield { code: 'input_differs', detail: `the audio sent differs from the recorded input in packet ${differsAt}` }
  }
}

function fieldProblem(sglang: unknown, index: number): string | undefined {
  const { seq, t_start_ms: startMs } = isObject(sglang) ? sglang : {}
  if (typeof seq !== 'number' || typeof startMs !== 'number') return 'has no seq or no t_start_ms'
  if (seq !== index) return `its seq is ${seq}`
  return Math.abs(startMs - index * PACKET_MS) > MEDIA_TIME_TOLERANCE_MS ? `its t_start_ms is ${startMs}` : undefined
}

/** The first packet whose audio is not that of the input, or that is beyond its end; undefined when all is as recorded. */
function firstDifference(appends: readonly WindowAppend[], inputPcm: Uint8Array): number | undefined {
  let offset = 0
  for (const [index, { bytes }] of appends.entries()) {
    if (bytes === undefined) return index
    const end = offset + bytes.byteLength
    if (end > inputPcm.byteLength || Buffer.compare(bytes, inputPcm.subarray(offset, end)) !== 0) return index
    offset = end
  }
  return offset === inputPcm.byteLength ? undefined : appends.length
}

/** Pacing, by the start of each send. */
export function* pacingReasons(appends: readonly WindowAppend[]): Generator<Reason> {
  const [first] = appends
  if (first === undefined) return
  const startUs = usFromSeconds(first.timeS)
  for (const [index, { timeS }] of appends.entries()) {
    const offUs = usFromSeconds(timeS) - startUs - index * PACKET_US
    if (Math.abs(offUs) > PACING_TOLERANCE_US) {
      yield { code: 'pacing', detail: `packet ${index} left ${(offUs / US_PER_S).toFixed(6)} s off its schedule` }
    }
  }
}

export interface ReceiptOptions extends PacketOptions {
  readonly receipts: SendReceipts
}

/** Whether the receipts belong to the trace, and show that every packet was handed over in time. */
export function* receiptReasons(options: ReceiptOptions): Generator<Reason> {
  const { appends, receipts, inputPcm, inputRateHz } = options
  const { packets } = receipts
  if (packets.length !== appends.length) {
    yield { code: 'receipts_differ', detail: `${packets.length} receipts for ${appends.length} packets` }
  }
  const startUs = usFromSeconds(appends[0]?.timeS ?? 0)
  const inputUs = (inputPcm.byteLength / 2 / inputRateHz) * US_PER_S
  let beforeUs = 0
  for (const [index, receipt] of packets.entries()) {
    const append = appends[index]
    if (append === undefined) return
    const { event_id: id, sglang } = append.event
    const seq = isObject(sglang) && sglang.seq !== undefined ? sglang.seq : index
    const isOwn = receipt.sendStartAtUs === usFromSeconds(append.timeS) && receipt.seq === seq && receipt.eventId === id
    if (!isOwn) yield { code: 'receipts_differ', detail: `receipt ${index} is not that of packet ${index}` }
    const doneUs = receipt.sendDoneAtUs
    if (doneUs === undefined) {
      yield { code: 'send_not_completed', detail: `packet ${index} was not taken by the transport` }
      continue
    }
    if (doneUs < receipt.sendStartAtUs || doneUs < beforeUs) {
      yield { code: 'receipts_differ', detail: `the completion of packet ${index} is out of order` }
    }
    beforeUs = Math.max(beforeUs, doneUs)
    const dueUs = startUs + Math.min((index + 1) * PACKET_US, inputUs) + PACING_TOLERANCE_US
    if (doneUs > dueUs) {
      const lateS = ((doneUs - dueUs) / US_PER_S).toFixed(6)
      yield { code: 'send_completed_late', detail: `packet ${index} was taken ${lateS} s too late` }
    }
  }
}
