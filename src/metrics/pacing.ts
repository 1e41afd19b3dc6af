/**
 * Did the load generator keep its schedule? Judged over the packets that were sent, in failed sessions too
 * (docs/metrics.md, section 2).
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import { secondsFromUs, US_PER_MS } from '../base/clock.js'
import type { SendReceipts } from '../capture/receipts.js'
import { PACKET_MS } from '../profile/profile.js'

/** A packet this far off its slot breaks the pacing rule; exactly this far is allowed. */
export const PACING_TOLERANCE_US = 80_000
/** A send later than this counts in `late_send_rate`. */
export const LATE_SEND_US = 20_000
export const PACKET_US = PACKET_MS * US_PER_MS

export interface SentPacket {
  readonly dueAtUs: InstantUs | undefined
  readonly startAtUs: InstantUs
  readonly doneAtUs: InstantUs | undefined
}

export interface PacingFacts {
  /** What broke the pacing rule, one sentence each; empty when the generator kept it. */
  readonly problems: readonly string[]
  /** Start of each send minus its due time, sign kept; undefined where the recording has no due times. */
  readonly latenessUs: readonly DurationUs[] | undefined
  /** Every start kept the rule, but the transport did not take a packet in time: the other side's fault. */
  readonly isInputStalled: boolean
}

/**
 * Packets as sent. A recording without receipts is read all the same: its send lines stand for start and completion.
 * @param sendsAtUs send starts of the trace, all of them
 */
export function packetsOf(receipts: SendReceipts | undefined, sendsAtUs: readonly InstantUs[]): SentPacket[] {
  if (receipts !== undefined) return sentPackets(receipts, sendsAtUs)
  return sendsAtUs.map((atUs) => ({ dueAtUs: undefined, startAtUs: atUs, doneAtUs: atUs }))
}

/**
 * Packets as sent, in order, with due times from their own receipt or from the session's planned start. A packet that
 * stands in the trace and has no receipt was sent all the same; nothing shows that the transport took it.
 * @param sendsAtUs send starts of the trace, all of them
 */
export function sentPackets(receipts: SendReceipts, sendsAtUs: readonly InstantUs[]): SentPacket[] {
  const startAtUs = receipts.startAtUs ?? receipts.packets[0]?.dueAtUs
  const dueOf = (index: number) => (startAtUs === undefined ? undefined : startAtUs + index * PACKET_US)
  const withReceipt = receipts.packets.map((packet, index) => ({
    dueAtUs: packet.dueAtUs ?? dueOf(index),
    startAtUs: packet.sendStartAtUs,
    doneAtUs: packet.sendDoneAtUs,
  }))
  const without = sendsAtUs.slice(withReceipt.length).map((atUs, offset) => ({
    dueAtUs: dueOf(withReceipt.length + offset),
    startAtUs: atUs,
    doneAtUs: undefined,
  }))
  return [...withReceipt, ...without]
}

export function judgePacing({
  packets,
  inputUs,
}: {
  packets: readonly SentPacket[]
  inputUs: DurationUs
}): PacingFacts {
  const first = packets[0]
  if (first === undefined) return { problems: [], latenessUs: [], isInputStalled: false }
  const problems: string[] = []
  const t0Us = first.startAtUs
  if (first.dueAtUs !== undefined && t0Us - first.dueAtUs > PACING_TOLERANCE_US) {
    problems.push(`packet 0 ${secondsFromUs(t0Us - first.dueAtUs).toFixed(6)} s after its due time`)
  }
  packets.forEach((packet, index) => {
    const deviationUs = Math.abs(packet.startAtUs - t0Us - index * PACKET_US)
    if (deviationUs > PACING_TOLERANCE_US) {
      problems.push(`packet ${index} ${secondsFromUs(deviationUs).toFixed(6)} s off its schedule`)
    }
  })
  const lateness = packets.flatMap((packet) =>
    packet.dueAtUs === undefined ? [] : [packet.startAtUs - packet.dueAtUs],
  )
  return {
    problems,
    latenessUs: lateness.length === packets.length ? lateness : undefined,
    isInputStalled:
      problems.length === 0 &&
      packets.some(
        ({ doneAtUs }, index) =>
          doneAtUs !== undefined && doneAtUs > t0Us + Math.min((index + 1) * PACKET_US, inputUs) + PACING_TOLERANCE_US,
      ),
  }
}
