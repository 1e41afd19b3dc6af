/**
 * Keeps what a session leaves behind, made into a trace and receipts by the code that does it for a sender: the lines of its
 * trace, and its packets as the receipts tell of them.
 */
import type { InstantUs } from '../../src/base/clock.js'
import { RECORD, type RecordKind } from '../../src/capture/journal/journal-format.js'
import { parseReceipts, type SendReceipts } from '../../src/capture/receipts.js'
import type { SessionResult, SessionSink } from '../../src/load/session-ports.js'
import { SessionStory } from '../../src/load/session-story.js'
import type { WirePackets } from '../../src/protocol/script.js'

export interface SentPacket {
  readonly eventId: string
  readonly dueAtUs: InstantUs
  readonly startAtUs: InstantUs
  readonly doneAtUs: InstantUs | undefined
}

const LINE_RECORD = { send: RECORD.sent, admission: RECORD.admission, error: RECORD.error } as const

export class MemorySink implements SessionSink {
  finishes = 0
  readonly #story: SessionStory
  readonly #linesStored: number
  readonly #onFinish: (result: SessionResult) => void
  #trace = ''
  #stored = 0

  /** @param options.linesStored lines after which it takes no more */
  constructor(options: {
    readonly packets: WirePackets
    readonly linesStored?: number | undefined
    readonly onFinish?: (result: SessionResult) => void
  }) {
    this.#story = new SessionStory(options.packets, (bytes) => {
      this.#trace += bytes.toString('utf8')
    })
    this.#linesStored = options.linesStored ?? Number.POSITIVE_INFINITY
    this.#onFinish = options.onFinish ?? (() => undefined)
  }

  planned(startAtUs: InstantUs): void {
    this.#story.tell(RECORD.planned, startAtUs, 0, Buffer.alloc(0))
  }

  packetSent(index: number, startAtUs: InstantUs): boolean {
    return this.#store(RECORD.packetSent, startAtUs, index, '')
  }

  packetTaken(doneAtUs: InstantUs): void {
    this.#story.tell(RECORD.packetTaken, doneAtUs, 0, Buffer.alloc(0))
  }

  line(direction: 'send' | 'admission' | 'error', atUs: InstantUs, event: string): boolean {
    return this.#store(LINE_RECORD[direction], atUs, 0, event)
  }

  received(atUs: InstantUs, bytes: Buffer, from: number, to: number): boolean {
    return this.#store(RECORD.received, atUs, 0, bytes.toString('utf8', from, to))
  }

  /** A session may turn out to have ended earlier than it knew. */
  finish(result: SessionResult): void {
    this.finishes += 1
    this.#story.tell(RECORD.ended, 0, 0, Buffer.alloc(0))
    const { amendedEnd } = this.#story
    this.#onFinish(amendedEnd === undefined ? result : { ...result, outcome: amendedEnd.outcome })
  }

  get lines(): string[] {
    this.#story.finish()
    return this.#trace === '' ? [] : this.#trace.trimEnd().split('\n')
  }

  get receipts(): SendReceipts {
    const receipts = parseReceipts(this.#story.receiptsText())
    if ('problem' in receipts) throw new Error(`the receipts ${receipts.problem}`)
    return receipts
  }

  get sentPackets(): SentPacket[] {
    return this.receipts.packets.map(({ eventId = '', dueAtUs = 0, sendStartAtUs, sendDoneAtUs }) => ({
      ...{ eventId, dueAtUs, startAtUs: sendStartAtUs, doneAtUs: sendDoneAtUs },
    }))
  }

  #store(kind: RecordKind, atUs: InstantUs, number: number, body: string): boolean {
    if (this.finishes > 0) throw new Error(`a line after the end: ${body}`)
    if (this.#stored >= this.#linesStored) return false
    this.#stored += 1
    this.#story.tell(kind, atUs, number, Buffer.from(body))
    return true
  }
}
