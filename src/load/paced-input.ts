/**
 * Sends one session's packets on absolute deadlines. Packet k is due at `start + k * 80 ms`, fixed before the first send; it
 * is never sent before it is due, a late one goes out at once, and the schedule does not move. The end of the input is a
 * point of the same schedule, and never before the last packet has had its time.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import { US_PER_S } from '../base/clock.js'
import type { WirePackets } from '../protocol/script.js'

export interface PacketTiming {
  readonly eventId: string
  readonly dueAtUs: InstantUs
  /** Taken immediately before the write. */
  readonly startAtUs: InstantUs
  /** When the transport had taken all bytes; undefined while it has not. */
  doneAtUs: InstantUs | undefined
}

export interface PacedInputOptions {
  readonly clock: Clock
  readonly packets: WirePackets
  readonly sampleRateHz: number
  readonly packetUs: DurationUs
  /** Hands a packet to the transport; `onTaken` is called when it has taken all bytes. */
  readonly send: (frame: Buffer, onTaken: (error?: Error | null) => void) => void
  /** A packet was handed over: store it. */
  readonly onSent: (timing: PacketTiming, text: string) => void
  /** The input has come to its end. */
  readonly onEnd: () => void
}

export class PacedInput {
  readonly timings: PacketTiming[] = []
  readonly #options: PacedInputOptions
  #startAtUs: InstantUs | undefined
  #isStopped = false
  #cancel: Cancel = () => undefined
  // Made once, not for every packet: in a large level garbage costs more than anything else here.
  readonly #wakeToSend = () => {
    if (!this.#isStopped && this.#startAtUs !== undefined) this.#sendDue(this.#startAtUs)
  }
  readonly #wakeToEnd = () => {
    if (!this.#isStopped) this.#end()
  }

  constructor(options: PacedInputOptions) {
    this.#options = options
  }

  /** Planned start of the first packet, once it is known. */
  get startAtUs(): InstantUs | undefined {
    return this.#startAtUs
  }

  /** Fixes the schedule. Without effect once stopped: a session that has been told to stop while it waited never sends. */
  start(startAtUs: InstantUs): void {
    if (this.#isStopped || this.#startAtUs !== undefined) return
    this.#startAtUs = startAtUs
    this.#wakeAt(startAtUs, this.#wakeToSend)
  }

  /** Sends nothing more, for good. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  #sendDue(startAtUs: InstantUs): void {
    const { clock, packets, packetUs } = this.#options
    while (!this.#isStopped && this.timings.length < packets.frames.length) {
      const index = this.timings.length
      const dueAtUs = startAtUs + index * packetUs
      if (clock.nowUs() < dueAtUs) {
        this.#wakeAt(dueAtUs, this.#wakeToSend)
        return
      }
      this.#sendPacket(index, dueAtUs)
    }
    if (!this.#isStopped) this.#wakeAt(this.#endAtUs(startAtUs), this.#wakeToEnd)
  }

  #sendPacket(index: number, dueAtUs: InstantUs): void {
    const { clock, packets, send, onSent } = this.#options
    const frame = packets.frames[index]
    const text = packets.texts[index]
    const eventId = packets.eventIds[index]
    if (frame === undefined || text === undefined || eventId === undefined) return
    const timing: PacketTiming = { eventId, dueAtUs, startAtUs: clock.nowUs(), doneAtUs: undefined }
    this.timings.push(timing)
    send(frame, (error) => {
      if (error === undefined || error === null) timing.doneAtUs = clock.nowUs()
    })
    // After the write: the stamp is taken, and storing must not delay the packet.
    onSent(timing, text)
  }

  #endAtUs(startAtUs: InstantUs): InstantUs {
    const { packets, sampleRateHz } = this.#options
    const usOf = (samples: number) => Math.ceil((samples * US_PER_S) / sampleRateHz)
    const fullPackets = Math.max(0, packets.frames.length - 1)
    const inputUs = usOf(fullPackets * packets.samplesPerPacket + packets.lastPacketSamples)
    const lastStartAtUs = this.timings.at(-1)?.startAtUs ?? startAtUs
    return Math.max(startAtUs + inputUs, lastStartAtUs + usOf(packets.lastPacketSamples))
  }

  #end(): void {
    this.stop()
    this.#options.onEnd()
  }

  #wakeAt(dueAtUs: InstantUs, wake: () => void): void {
    this.#cancel = this.#options.clock.at(dueAtUs, wake)
  }
}
