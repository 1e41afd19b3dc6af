/**
 * Numbers and serialises a session's events in the vLLM duplex dialect. Events of the session's journal carry
 * `server_event_seq`, from 1 and without gaps; the handshake and errors do not.
 */
import { EventSender } from './event-sender.js'

export class VllmJournal {
  readonly #sender: EventSender
  #seq = 0

  constructor(sendText: (text: string) => void) {
    this.#sender = new EventSender(sendText)
  }

  /** The last number given; 0 before the first. */
  get lastSeq(): number {
    return this.#seq
  }

  /** An event of the journal. */
  record(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#sender.send(type, { ...fields, server_event_seq: ++this.#seq })
  }

  /** An event beside the journal. */
  send(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#sender.send(type, fields)
  }
}
