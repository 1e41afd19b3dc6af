/** The beginning of the body of an HTTP answer, as much as a message to a person needs. */
import { StringDecoder } from 'node:string_decoder'
import { MAX_REFUSAL_BODY_LENGTH } from '../transport.js'

export class RefusalBody {
  readonly #decoder = new StringDecoder('utf8')
  readonly #chunks: ChunkLines | undefined
  /** Bytes of the body, or of the chunk at hand, that are still to come. */
  #missing: number
  #text = ''
  #isComplete = false

  /** @param length bytes, or how else the end of the body is marked */
  constructor(length: number | 'chunked' | 'until-end') {
    this.#chunks = length === 'chunked' ? new ChunkLines() : undefined
    this.#missing = length === 'chunked' ? 0 : length === 'until-end' ? Number.POSITIVE_INFINITY : length
    this.#isComplete = length === 0
  }

  get text(): string {
    return this.#text.slice(0, MAX_REFUSAL_BODY_LENGTH)
  }

  /** Reads `bytes[from, to)`; true when the body is complete, broken beyond reading, or long enough. */
  read(bytes: Buffer, from: number, to: number): boolean {
    let at = from
    while (at < to && !this.#isComplete) {
      if (this.#missing > 0) {
        const end = Math.min(to, at + this.#missing)
        this.#text += this.#decoder.write(bytes.subarray(at, end))
        this.#missing -= end - at
        at = end
        const isWhole = this.#missing === 0 && this.#chunks === undefined
        if (isWhole || this.#text.length >= MAX_REFUSAL_BODY_LENGTH) this.#isComplete = true
      } else {
        const size = this.#chunks?.read(bytes[at] as number)
        at += 1
        if (size === 'end') this.#isComplete = true
        else if (size !== undefined) this.#missing = size
      }
    }
    return this.#isComplete
  }
}

/** The lines between the chunks of a body: RFC 9112, section 7.1. Extensions are skipped, trailers are not read. */
class ChunkLines {
  #line = ''

  /** The size of the chunk that begins after this byte; `end` after the last chunk, or where the line is none. */
  read(byte: number): number | 'end' | undefined {
    if (byte !== 0x0a) {
      this.#line += String.fromCharCode(byte)
      return this.#line.length > 1024 ? 'end' : undefined
    }
    const line = this.#line
    this.#line = ''
    // What ends the chunk before.
    if (line === '\r') return undefined
    const size = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?\r$/i.exec(line)?.[1]
    return size === undefined || /^0+$/.test(size) ? 'end' : Number.parseInt(size, 16)
  }
}
