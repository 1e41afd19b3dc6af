/** Keeps what a session leaves behind: the lines of its trace, and its packets as receipts tell of them. */
import type { InstantUs } from '../../src/base/clock.js'
import type { SendReceipts } from '../../src/capture/receipts.js'
import { traceLine } from '../../src/capture/trace-line.js'
import type { SessionResult, SessionSink } from '../../src/load/session-ports.js'
import { PACKET_MS } from '../../src/profile/profile.js'
import type { WirePackets } from '../../src/protocol/script.js'

export interface SentPacket {
  readonly eventId: string
  readonly dueAtUs: InstantUs
  readonly startAtUs: InstantUs
  readonly doneAtUs: InstantUs | undefined
}

export class MemorySink implements SessionSink {
  readonly lines: string[] = []
  finishes = 0
  readonly #packets: WirePackets
  readonly #linesStored: number
  readonly #onFinish: (result: SessionResult) => void
  readonly #sentAtUs: InstantUs[] = []
  readonly #takenAtUs: InstantUs[] = []
  #startAtUs: InstantUs | undefined

  /** @param options.linesStored lines after which it takes no more */
  constructor(options: {
    readonly packets: WirePackets
    readonly linesStored?: number | undefined
    readonly onFinish?: (result: SessionResult) => void
  }) {
    this.#packets = options.packets
    this.#linesStored = options.linesStored ?? Number.POSITIVE_INFINITY
    this.#onFinish = options.onFinish ?? (() => undefined)
  }

  planned(startAtUs: InstantUs): void {
    this.#startAtUs = startAtUs
  }

  packetSent(index: number, startAtUs: InstantUs): boolean {
    if (index !== this.#sentAtUs.length) throw new Error(`packet ${index} is stored as number ${this.#sentAtUs.length}`)
    this.#sentAtUs.push(startAtUs)
    return this.#store(traceLine('send', startAtUs, String(this.#packets.frames[index])))
  }

  packetTaken(doneAtUs: InstantUs): void {
    this.#takenAtUs.push(doneAtUs)
  }

  line(direction: 'send' | 'admission' | 'error', atUs: InstantUs, event: string): boolean {
    return this.#store(traceLine(direction, atUs, event))
  }

  received(atUs: InstantUs, bytes: Buffer, from: number, to: number): boolean {
    const event = bytes.toString('utf8', from, to).replace(/[\r\n]+/g, ' ')
    return this.#store(traceLine('receive', atUs, event))
  }

  finish(result: SessionResult): void {
    this.finishes += 1
    this.#onFinish(result)
  }

  get sentPackets(): SentPacket[] {
    return this.#sentAtUs.map((startAtUs, index) => ({
      eventId: this.#packets.eventIds[index] ?? '',
      dueAtUs: (this.#startAtUs ?? 0) + index * PACKET_MS * 1000,
      startAtUs,
      doneAtUs: this.#takenAtUs[index],
    }))
  }

  get receipts(): SendReceipts {
    return {
      startAtUs: this.#startAtUs,
      packets: this.sentPackets.map(({ eventId, dueAtUs, startAtUs, doneAtUs }, seq) => ({
        ...{ seq, eventId, dueAtUs },
        ...{ sendStartAtUs: startAtUs, sendDoneAtUs: doneAtUs },
      })),
    }
  }

  #store(line: string): boolean {
    if (this.finishes > 0) throw new Error(`a line after the end: ${line}`)
    if (this.lines.length >= this.#linesStored) return false
    this.lines.push(line)
    return true
  }
}
