/** Writes the frames of a client: RFC 6455, section 5. Every frame is a buffer of its own that nobody changes afterwards. */
import { OPCODE } from './opcodes.js'

const MASK_BYTES = 4

export class FrameWriter {
  readonly #mask: Buffer

  /**
   * One mask for all frames, so that a packet is framed and masked once and the same bytes go to every session. A mask hides
   * nothing from the server. It is there to keep somebody whose text a browser sends from choosing the bytes on the wire,
   * and so from feeding a proxy on the way what it would take for HTTP (RFC 6455, section 10.3). A load generator sends
   * nobody's text but its own. The mask is drawn once for each process and never zero, which some servers know and would
   * save their work of unmasking for: the load would be lighter than that of real clients.
   *
   * @param mask four bytes
   */
  constructor(mask: Buffer) {
    if (mask.length !== MASK_BYTES) throw new Error(`a mask has ${MASK_BYTES} bytes, not ${mask.length}`)
    this.#mask = mask
  }

  /** A message in one frame. */
  text(text: Buffer | string): Buffer {
    return this.#frame(OPCODE.text, typeof text === 'string' ? Buffer.from(text) : text)
  }

  /** The answer to a ping. */
  pong(payload: Buffer): Buffer {
    return this.#frame(OPCODE.pong, payload)
  }

  /** @param code as in the close frame; 1005 means a frame without one */
  close(code: number, reason: string): Buffer {
    if (code === 1005) return this.#frame(OPCODE.close, Buffer.alloc(0))
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
    payload.writeUInt16BE(code, 0)
    payload.write(reason, 2)
    return this.#frame(OPCODE.close, payload)
  }

  #frame(opcode: number, payload: Buffer): Buffer {
    const lengthBytes = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8
    const start = 2 + lengthBytes + MASK_BYTES
    // Not from Node's shared pool: frames of packets live as long as the process, and would keep all of it.
    const frame = Buffer.allocUnsafeSlow(start + payload.length)
    frame[0] = 0x80 | opcode
    frame[1] = 0x80 | (lengthBytes === 0 ? payload.length : lengthBytes === 2 ? 126 : 127)
    if (lengthBytes === 2) frame.writeUInt16BE(payload.length, 2)
    else if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(payload.length), 2)
    this.#mask.copy(frame, start - MASK_BYTES)
    for (let index = 0; index < payload.length; index += 1) {
      frame[start + index] = (payload[index] as number) ^ (this.#mask[index & 3] as number)
    }
    return frame
  }
}
