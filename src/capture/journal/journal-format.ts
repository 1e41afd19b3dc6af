/**
 * The journal of a sending process: what happened in all its sessions, in the order in which it happened, as bytes. While
 * packets are being sent this one file is all that is written; traces and receipts are made of it when the level is over.
 * It never outlives its level's recording, and only the version that wrote it reads it.
 *
 *   record   kind (1 byte) | session (uint32) | instant (float64, microseconds) | number (uint32) | body
 *
 * All numbers are little-endian. For the kinds that have a body, the number is its length in bytes.
 */
import type { InstantUs } from '../../base/clock.js'

export const RECORD = {
  /** The schedule is fixed; the instant is the planned start of the first packet. */
  planned: 1,
  /** A packet's write began; the number says which packet. */
  packetSent: 2,
  /** The transport had taken the next packet. */
  packetTaken: 3,
  /** Body: the JSON text of a command that was sent. */
  sent: 4,
  /** Body: a received message as it arrived, or with its secrets taken out. */
  received: 5,
  /** Body: the JSON text of an admission line. */
  admission: 6,
  /** Body: the JSON text of an error line. */
  error: 7,
  /** The session is over. Body: the outcome as JSON. */
  ended: 8,
} as const
export type RecordKind = (typeof RECORD)[keyof typeof RECORD]

export const HEADER_BYTES = 17
const FIRST_KIND_WITH_BODY = RECORD.sent

export function hasBody(kind: number): boolean {
  return kind >= FIRST_KIND_WITH_BODY
}

export function writeHeader(
  into: DataView,
  at: number,
  kind: RecordKind,
  session: number,
  atUs: InstantUs,
  number: number,
): void {
  into.setUint8(at, kind)
  into.setUint32(at + 1, session, true)
  into.setFloat64(at + 5, atUs, true)
  into.setUint32(at + 13, number, true)
}

/** Hears the records of a journal; `body` is valid during the call only. */
export interface JournalListener {
  onRecord(kind: number, session: number, atUs: InstantUs, number: number, body: Buffer): void
}

const NOTHING = Buffer.alloc(0)

/** Reads a journal that comes in pieces of any size. What a death cut off at its end is left out. */
export class JournalReader {
  readonly #listener: JournalListener
  #rest: Buffer = NOTHING

  constructor(listener: JournalListener) {
    this.#listener = listener
  }

  /** Bytes at the end that are no whole record. */
  get cutBytes(): number {
    return this.#rest.length
  }

  /** @param piece must not change until the next call */
  read(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    let at = 0
    while (bytes.length - at >= HEADER_BYTES) {
      const kind = bytes[at] as number
      const number = bytes.readUInt32LE(at + 13)
      const end = at + HEADER_BYTES + (hasBody(kind) ? number : 0)
      if (end > bytes.length) break
      const body = hasBody(kind) ? bytes.subarray(at + HEADER_BYTES, end) : NOTHING
      this.#listener.onRecord(kind, bytes.readUInt32LE(at + 1), bytes.readDoubleLE(at + 5), number, body)
      at = end
    }
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at))
  }
}
