/**
 * Sends one session's packets on absolute deadlines. Packet k is due at `start + k * 80 ms`, fixed before the first send; it
 * is never sent before it is due, a late one goes out at once, and the schedule does not move. The end of the input is a
 * point of the same schedule, and never before the last packet has had its time.
 */
import type { Alarm, Clock, DurationUs, InstantUs } from '../base/clock.js'
import { alarmOn, US_PER_S } from '../base/clock.js'
import type { WirePackets } from '../protocol/script.js'

export interface PacedInputOptions {
  readonly clock: Clock
  readonly packets: WirePackets
  readonly sampleRateHz: number
  readonly packetUs: DurationUs
  /** Hands a packet to the transport. */
  readonly send: (frame: Buffer) => void
  /** A packet was handed over: store it. `startAtUs` was taken immediately before the write. */
  readonly onSent: (index: number, startAtUs: InstantUs, dueAtUs: InstantUs) => void
  /** The input has come to its end. */
  readonly onEnd: () => void
}

export class PacedInput {
  readonly #options: PacedInputOptions
  #startAtUs: InstantUs | undefined
  #lastSendAtUs: InstantUs | undefined
  #nextPacket = 0
  #isStopped = false
  // One for all packets: in a large level garbage costs more than anything else here.
  readonly #alarm: Alarm

  constructor(options: PacedInputOptions) {
    this.#options = options
    this.#alarm = alarmOn(options.clock, () => this.#onDue())
  }

  /** Planned start of the first packet, once it is known. */
  get startAtUs(): InstantUs | undefined {
    return this.#startAtUs
  }

  /**
   * Fixes the schedule. Without effect once stopped: a session that has been told to stop while it waited never sends.
   * @returns whether this is the start that counts
   */
  start(startAtUs: InstantUs): boolean {
    if (this.#isStopped || this.#startAtUs !== undefined) return false
    this.#startAtUs = startAtUs
    this.#alarm.set(startAtUs)
    return true
  }

  /** Sends nothing more, for good. */
  stop(): void {
    this.#isStopped = true
    this.#alarm.clear()
  }

  #onDue(): void {
    if (this.#isStopped || this.#startAtUs === undefined) return
    if (this.#nextPacket < this.#options.packets.frames.length) this.#sendDue(this.#startAtUs)
    else this.#end()
  }

  #sendDue(startAtUs: InstantUs): void {
    const { clock, packets, packetUs } = this.#options
    while (!this.#isStopped && this.#nextPacket < packets.frames.length) {
      const dueAtUs = startAtUs + this.#nextPacket * packetUs
      const nowUs = clock.nowUs()
      if (nowUs < dueAtUs) {
        this.#alarm.set(dueAtUs)
        return
      }
      this.#sendPacket(this.#nextPacket, nowUs, dueAtUs)
    }
    if (!this.#isStopped) this.#alarm.set(this.#endAtUs(startAtUs))
  }

  #sendPacket(index: number, nowUs: InstantUs, dueAtUs: InstantUs): void {
    const { packets, send, onSent } = this.#options
    const frame = packets.frames[index]
    this.#nextPacket += 1
    if (frame === undefined) return
    this.#lastSendAtUs = nowUs
    send(frame)
    // After the write: the stamp is taken, and storing must not delay the packet.
    onSent(index, nowUs, dueAtUs)
  }

  #endAtUs(startAtUs: InstantUs): InstantUs {
    const { packets, sampleRateHz } = this.#options
    const usOf = (samples: number) => Math.ceil((samples * US_PER_S) / sampleRateHz)
    const fullPackets = Math.max(0, packets.frames.length - 1)
    const inputUs = usOf(fullPackets * packets.samplesPerPacket + packets.lastPacketSamples)
    return Math.max(startAtUs + inputUs, (this.#lastSendAtUs ?? startAtUs) + usOf(packets.lastPacketSamples))
  }

  #end(): void {
    this.stop()
    this.#options.onEnd()
  }
}
