/**
 * Writes a journal: records are gathered in one buffer that goes to the file when it is full, and at the latest a quarter
 * of a second after its first record. The write is synchronous: handing 256 KB to the page cache takes less than the thread
 * hop and the promise of an asynchronous one, and the memory is bounded by the buffer.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { outputError } from '../../base/atomic-file.io.js'
import type { InstantUs } from '../../base/clock.js'
import type { UserError } from '../../base/errors.js'
import { HEADER_BYTES, type RecordKind, writeHeader } from './journal-format.js'

const BUFFER_BYTES = 256 * 1024
const FLUSH_AFTER_MS = 250

export class JournalFile {
  readonly path: string
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  readonly #view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, BUFFER_BYTES)
  readonly #onTimer = () => this.flush()
  #file: number | undefined
  #length = 0
  #bytesWritten = 0
  #failure: UserError | undefined
  #timer: NodeJS.Timeout | undefined

  /** @throws UserError when the file cannot be made */
  constructor(path: string) {
    this.path = path
    try {
      this.#file = openSync(path, 'wx')
    } catch (thrown) {
      throw outputError(path, thrown)
    }
  }

  /** The first write that failed; everything after it is refused. */
  get failure(): UserError | undefined {
    return this.#failure
  }

  /** Bytes that wait in memory. */
  get pendingBytes(): number {
    return this.#length
  }

  get bytesWritten(): number {
    return this.#bytesWritten
  }

  /** A record without a body. @returns false when nothing can be stored any more */
  note(kind: RecordKind, session: number, atUs: InstantUs, number: number): boolean {
    if (!this.#makeRoom(HEADER_BYTES)) return false
    writeHeader(this.#view, this.#length, kind, session, atUs, number)
    this.#length += HEADER_BYTES
    return true
  }

  /** A record whose body is `bytes[from, to)`. */
  append(kind: RecordKind, session: number, atUs: InstantUs, bytes: Buffer, from: number, to: number): boolean {
    const length = to - from
    if (!this.#makeRoom(HEADER_BYTES + length)) return false
    writeHeader(this.#view, this.#length, kind, session, atUs, length)
    this.#length += HEADER_BYTES
    if (length > BUFFER_BYTES - this.#length) {
      // Longer than the buffer itself: the header first, then the body from where it is.
      this.flush()
      this.#write(bytes, from, length)
      return this.#failure === undefined
    }
    bytes.copy(this.#buffer, this.#length, from, to)
    this.#length += length
    return true
  }

  /** Hands what waits to the system. */
  flush(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    const length = this.#length
    this.#length = 0
    if (length > 0) this.#write(this.#buffer, 0, length)
  }

  /** Flushes and closes; harmless to call twice. */
  close(): void {
    this.flush()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #makeRoom(bytes: number): boolean {
    if (this.#failure !== undefined || this.#file === undefined) return false
    if (this.#length + bytes > BUFFER_BYTES && this.#length > 0) this.flush()
    this.#timer ??= setTimeout(this.#onTimer, FLUSH_AFTER_MS)
    return this.#failure === undefined
  }

  #write(bytes: Buffer, from: number, length: number): void {
    if (this.#file === undefined || this.#failure !== undefined) return
    try {
      for (let done = 0; done < length; ) done += writeSync(this.#file, bytes, from + done, length - done)
      this.#bytesWritten += length
    } catch (thrown) {
      this.#failure = outputError(this.path, thrown)
    }
  }
}
