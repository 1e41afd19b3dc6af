/**
 * One connection of the null server, from its upgrade request to its close frame: as little work for each packet as can be.
 * A packet of the usual length is counted and not looked into. Pure: bytes in, bytes out.
 */
import { createHash } from 'node:crypto'
import { isObject, type WireEvent } from '../../capture/trace-record.js'
import type { NullFrames } from './null-frames.js'

/** RFC 6455, section 1.3. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const HEAD_END = Buffer.from('\r\n\r\n')
const HEAD_BYTES_MAX = 16 * 1024
/** No command is longer, and no packet shorter than its audio. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024
const OPCODE = { text: 1, close: 8, ping: 9 } as const
const MASK_BYTES = 4
/** What the number of a packet may add to its length. */
const DIGITS_MAX = 6
const NOTHING = Buffer.alloc(0)

export interface NullSessionEvents {
  write(bytes: Buffer): void
  /** Nothing more will be said or heard. */
  end(): void
}

export class NullSession {
  readonly #frames: NullFrames
  readonly #group: number
  readonly #events: NullSessionEvents
  #rest = NOTHING
  #isOpen = false
  #isOver = false
  /** Bytes of the first packet's message; packets like it are whole ones. */
  #packetBytes = 0
  #packets = 0
  #samples = 0

  /** @param group which units are answered with audio, from 0 to GROUPS - 1 */
  constructor(frames: NullFrames, group: number, events: NullSessionEvents) {
    this.#frames = frames
    this.#group = group
    this.#events = events
  }

  get packets(): number {
    return this.#packets
  }

  /** @param bytes kept only where a message is cut, as a copy */
  read(bytes: Buffer): void {
    if (this.#isOver) return
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = this.#isOpen ? 0 : this.#readHead(all)
    if (!this.#isOpen) {
      this.#rest = Buffer.from(all)
      return
    }
    for (;;) {
      const next = this.#readFrame(all, at)
      if (next === at || this.#isOver) break
      at = next
    }
    this.#rest = at === all.length ? NOTHING : Buffer.from(all.subarray(at))
  }

  /** @returns where the first frame begins; 0 while the head is not whole */
  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      if (bytes.length > HEAD_BYTES_MAX) this.#refuse()
      return 0
    }
    const key = /^sec-websocket-key:\s*(\S+)\s*$/im.exec(bytes.toString('latin1', 0, end))?.[1]
    if (key === undefined) {
      this.#refuse()
      return 0
    }
    const accept = createHash('sha1')
      .update(key + ACCEPT_SUFFIX)
      .digest('base64')
    const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
    this.#isOpen = true
    this.#events.write(Buffer.concat([Buffer.from(head), this.#frames.created()]))
    return end + HEAD_END.length
  }

  /** @returns where the next frame begins; `at` itself while this one is not whole */
  #readFrame(bytes: Buffer, at: number): number {
    const known = bytes.length - at
    if (known < 2) return at
    if (((bytes[at + 1] as number) & 0x80) === 0) {
      // A client has to mask.
      this.#end()
      return at
    }
    const opcode = (bytes[at] as number) & 0x0f
    const short = (bytes[at + 1] as number) & 0x7f
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8
    const payloadAt = at + 2 + lengthBytes + MASK_BYTES
    if (bytes.length < payloadAt) return at
    const length =
      lengthBytes === 0
        ? short
        : lengthBytes === 2
          ? bytes.readUInt16BE(at + 2)
          : bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6)
    if (length > MESSAGE_BYTES_MAX) {
      this.#end()
      return at
    }
    if (bytes.length < payloadAt + length) return at
    this.#onFrame(opcode, bytes, payloadAt, length)
    return payloadAt + length
  }

  #onFrame(opcode: number, bytes: Buffer, at: number, length: number): void {
    if (opcode === OPCODE.text) {
      const isPacket = this.#packetBytes > 0 && length >= this.#packetBytes && length <= this.#packetBytes + DIGITS_MAX
      if (isPacket) this.#onWholePacket()
      else this.#onMessage(unmasked(bytes, at, length))
    } else if (opcode === OPCODE.ping) {
      const payload = unmasked(bytes, at, length)
      this.#events.write(Buffer.concat([Buffer.from([0x8a, payload.length & 0x7f]), payload]))
    } else if (opcode === OPCODE.close) {
      this.#events.write(Buffer.from([0x88, 2, 0x03, 0xe8]))
      this.#end()
    }
  }

  #onWholePacket(): void {
    const { packetSamples } = this.#frames
    if (this.#samples !== this.#packets * packetSamples) {
      this.#onPacketOf(packetSamples)
      return
    }
    this.#events.write(this.#frames.afterPacket(this.#group, this.#packets))
    this.#packets += 1
    this.#samples += packetSamples
  }

  #onPacketOf(samples: number): void {
    const [packet, before, after] = [this.#packets, this.#samples, this.#samples + samples]
    this.#events.write(this.#frames.afterSamples(this.#group, { packet, before, after }))
    this.#packets += 1
    this.#samples = after
  }

  #onMessage(payload: Buffer): void {
    const event = eventOf(payload)
    switch (event?.type) {
      case 'session.update':
        this.#events.write(this.#frames.updated(event.event_id))
        break
      case 'input_audio_buffer.append': {
        const samples = Math.floor((String(event.audio).replace(/=+$/, '').length * 3) / 8)
        if (samples === this.#frames.packetSamples) {
          if (this.#packetBytes === 0) this.#packetBytes = payload.length
          this.#onWholePacket()
          break
        }
        this.#onPacketOf(samples)
        break
      }
      case 'sglang.input_audio.end':
        this.#events.write(this.#frames.drained(this.#group, this.#samples, event.event_id))
        break
      case 'session.close':
        this.#events.write(this.#frames.closed(event.event_id))
        break
      default:
    }
  }

  #refuse(): void {
    this.#events.write(Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'))
    this.#end()
  }

  #end(): void {
    this.#isOver = true
    this.#rest = NOTHING
    this.#events.end()
  }
}

function unmasked(bytes: Buffer, at: number, length: number): Buffer {
  const payload = Buffer.allocUnsafe(length)
  for (let index = 0; index < length; index += 1) {
    payload[index] = (bytes[at + index] as number) ^ (bytes[at - MASK_BYTES + (index & 3)] as number)
  }
  return payload
}

function eventOf(payload: Buffer): WireEvent | undefined {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
