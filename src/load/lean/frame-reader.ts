/**
 * Reads what a server sends after the handshake: WebSocket frames, cut anywhere (RFC 6455, section 5). A message that lies
 * whole in the bytes at hand is decoded where it stands; only what is cut is copied, since the bytes belong to a buffer
 * that every connection of the process reads into. The rules, and the words for a breach of them, are those of the `ws`
 * package, so that one server yields one trace with either transport.
 *
 *    0 1 2 3 4 5 6 7 8 9 . . .
 *   +-+-+-+-+-------+-+-------------+------------------------+---------+
 *   |F|R|R|R| opcode|M| length 0-125 | 126: 2, 127: 8 bytes   | payload |
 *   |I|S|S|S|  (4)  |A|  126, 127    | more of the length     |         |
 *   |N|V|V|V|       |S|              |                        |         |
 *   |   1,2,3       |K|              |                        |         |
 *   +-+-+-+-+-------+-+-------------+------------------------+---------+
 */
import { isUtf8 } from 'node:buffer'
import { VIOLATIONS, type Violation } from './frame-violations.js'
import { OPCODE } from './opcodes.js'

/** What the frames say; the reader may be stopped from within any call. */
export interface FrameSink {
  /** A message in valid UTF-8: `bytes[from, to)`, valid during the call only. */
  onText(bytes: Buffer, from: number, to: number): void
  onBinary(bytes: number): void
  /** @param payload valid during the call only */
  onPing(payload: Buffer): void
  /** The server closes; nothing follows. @param code 1005 where it gave none */
  onClose(code: number, reason: string): void
  /** The server broke the rules; nothing that follows is read. */
  onViolation(violation: Violation): void
}

/** What the next byte is. */
const OPENING = 0
const SHORT_LENGTH = 1
const LONG_LENGTH = 2
const PAYLOAD = 3

/** As many fragments as the `ws` package takes. */
const MAX_FRAGMENTS = 16 * 1024
/** Room for a cut message grows from here, so that a length alone, without its bytes, takes no memory. */
const MIN_ROOM_BYTES = 16 * 1024
const NO_STATUS = 1005
const NOTHING = Buffer.alloc(0)

export class FrameReader {
  readonly #sink: FrameSink
  readonly #maxMessageBytes: number
  #stage = OPENING
  #isDone = false
  // The frame that is being read.
  #opcode = 0
  #isFinal = false
  #length = 0
  #lengthBytesMissing = 0
  #payloadBytesRead = 0
  // The message under way; control frames may come between its fragments.
  #messageOpcode = 0
  #messageBytes = 0
  #fragments = 0
  #held = NOTHING
  #heldBytes = 0
  // A control frame that is cut.
  #control = NOTHING

  /** @param maxMessageBytes limit of all fragments of a message together */
  constructor(sink: FrameSink, maxMessageBytes: number) {
    this.#sink = sink
    this.#maxMessageBytes = maxMessageBytes
  }

  /** Whether nothing more will be read: the server closed, broke a rule, or the reader was stopped. */
  get isDone(): boolean {
    return this.#isDone
  }

  stop(): void {
    this.#isDone = true
    this.#held = NOTHING
    this.#control = NOTHING
  }

  /** Reads `bytes[from, to)`; keeps no reference to `bytes`. */
  read(bytes: Buffer, from: number, to: number): void {
    let at = from
    while (!this.#isDone) {
      if (this.#stage === PAYLOAD) {
        const end = at + this.#length - this.#payloadBytesRead
        if (end > to) {
          this.#hold(bytes, at, to)
          return
        }
        this.#stage = OPENING
        if (this.#opcode >= OPCODE.close) this.#finishControl(bytes, at, end)
        else this.#finishData(bytes, at, end)
        at = end
      } else if (at === to) {
        return
      } else {
        this.#readHeader(bytes[at] as number)
        at += 1
      }
    }
  }

  #readHeader(byte: number): void {
    if (this.#stage === OPENING) this.#readOpening(byte)
    else if (this.#stage === SHORT_LENGTH) this.#readShortLength(byte)
    else {
      // A double holds every length that could be taken, and is too large exactly when the length is.
      this.#length = this.#length * 256 + byte
      this.#lengthBytesMissing -= 1
      if (this.#lengthBytesMissing === 0) this.#beginPayload()
    }
  }

  #readOpening(byte: number): void {
    const opcode = byte & 0x0f
    this.#isFinal = (byte & 0x80) !== 0
    const breach = openingBreach(byte, opcode, this.#messageOpcode)
    if (breach !== undefined) {
      this.#fail(breach)
      return
    }
    this.#opcode = opcode
    this.#stage = SHORT_LENGTH
  }

  #readShortLength(byte: number): void {
    const length = byte & 0x7f
    const isControl = this.#opcode >= OPCODE.close
    if (isControl && (length > 125 || (this.#opcode === OPCODE.close && length === 1))) {
      this.#fail(VIOLATIONS.controlLength(length))
      return
    }
    if ((byte & 0x80) !== 0) {
      this.#fail(VIOLATIONS.masked)
      return
    }
    if (!isControl && this.#opcode !== OPCODE.continuation) this.#messageOpcode = this.#opcode
    this.#length = length < 126 ? length : 0
    this.#lengthBytesMissing = length < 126 ? 0 : length === 126 ? 2 : 8
    if (this.#lengthBytesMissing === 0) this.#beginPayload()
    else this.#stage = LONG_LENGTH
  }

  #beginPayload(): void {
    if (this.#length > Number.MAX_SAFE_INTEGER) {
      this.#fail(VIOLATIONS.frameLength)
      return
    }
    if (this.#opcode < OPCODE.close) {
      this.#messageBytes += this.#length
      this.#fragments += 1
      if (this.#messageBytes > this.#maxMessageBytes) {
        this.#fail(VIOLATIONS.messageLength)
        return
      }
    }
    this.#payloadBytesRead = 0
    this.#stage = PAYLOAD
  }

  #finishData(bytes: Buffer, from: number, to: number): void {
    if (this.#fragments > MAX_FRAGMENTS) {
      this.#fail(VIOLATIONS.fragments)
      return
    }
    if (this.#isFinal && this.#heldBytes === 0) {
      this.#finishMessage(bytes, from, to)
      return
    }
    this.#holdData(bytes, from, to)
    if (!this.#isFinal) return
    const held = this.#held
    const heldBytes = this.#heldBytes
    this.#held = NOTHING
    this.#heldBytes = 0
    this.#finishMessage(held, 0, heldBytes)
  }

  #finishMessage(bytes: Buffer, from: number, to: number): void {
    const isBinary = this.#messageOpcode === OPCODE.binary
    this.#messageOpcode = 0
    this.#messageBytes = 0
    this.#fragments = 0
    if (isBinary) {
      this.#sink.onBinary(to - from)
      return
    }
    if (isUtf8(bytes.subarray(from, to))) this.#sink.onText(bytes, from, to)
    else this.#fail(VIOLATIONS.utf8)
  }

  #finishControl(bytes: Buffer, from: number, to: number): void {
    let payload: Buffer
    if (this.#payloadBytesRead === 0) {
      payload = this.#length === 0 ? NOTHING : bytes.subarray(from, to)
    } else {
      bytes.copy(this.#control, this.#payloadBytesRead, from, to)
      payload = this.#control.subarray(0, this.#length)
    }
    if (this.#opcode === OPCODE.ping) this.#sink.onPing(payload)
    else if (this.#opcode === OPCODE.close) this.#finishClose(payload)
  }

  #finishClose(payload: Buffer): void {
    if (payload.length === 0) {
      this.stop()
      this.#sink.onClose(NO_STATUS, '')
      return
    }
    const code = payload.readUInt16BE(0)
    const reason = textOf(payload, 2, payload.length)
    if (!isSendableCode(code)) this.#fail(VIOLATIONS.closeCode(code))
    else if (reason === undefined) this.#fail(VIOLATIONS.utf8)
    else {
      this.stop()
      this.#sink.onClose(code, reason)
    }
  }

  /** Keeps the first part of a payload that is cut. */
  #hold(bytes: Buffer, from: number, to: number): void {
    if (from === to) return
    if (this.#opcode >= OPCODE.close) {
      if (this.#payloadBytesRead === 0) this.#control = Buffer.allocUnsafeSlow(this.#length)
      bytes.copy(this.#control, this.#payloadBytesRead, from, to)
    } else {
      this.#holdData(bytes, from, to)
    }
    this.#payloadBytesRead += to - from
  }

  #holdData(bytes: Buffer, from: number, to: number): void {
    const needed = this.#heldBytes + to - from
    if (needed > this.#held.length) {
      const ahead = Math.min(this.#messageBytes, Math.max(2 * this.#held.length, MIN_ROOM_BYTES))
      const room = Buffer.allocUnsafeSlow(Math.max(needed, ahead))
      this.#held.copy(room, 0, 0, this.#heldBytes)
      this.#held = room
    }
    bytes.copy(this.#held, this.#heldBytes, from, to)
    this.#heldBytes = needed
  }

  #fail(violation: Violation): void {
    this.stop()
    this.#sink.onViolation(violation)
  }
}

function openingBreach(byte: number, opcode: number, messageOpcode: number): Violation | undefined {
  if ((byte & 0x30) !== 0) return VIOLATIONS.reserved23
  if ((byte & 0x40) !== 0) return VIOLATIONS.reserved1
  switch (opcode) {
    case OPCODE.continuation:
      return messageOpcode === 0 ? VIOLATIONS.opcode(opcode) : undefined
    case OPCODE.text:
    case OPCODE.binary:
      return messageOpcode === 0 ? undefined : VIOLATIONS.opcode(opcode)
    case OPCODE.close:
    case OPCODE.ping:
    case OPCODE.pong:
      return (byte & 0x80) === 0 ? VIOLATIONS.fragmentedControl : undefined
    default:
      return VIOLATIONS.opcode(opcode)
  }
}

/**
 * The text of UTF-8 bytes; undefined where they are none. Decoding puts U+FFFD where it fails, so only a text that has one,
 * which a valid text may, needs the second look.
 */
function textOf(bytes: Buffer, from: number, to: number): string | undefined {
  const text = bytes.toString('utf8', from, to)
  if (!text.includes('\uFFFD')) return text
  return isUtf8(bytes.subarray(from, to)) ? text : undefined
}

/** RFC 6455, section 7.4, with the codes registered since. */
function isSendableCode(code: number): boolean {
  if (code >= 3000) return code <= 4999
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006
}
