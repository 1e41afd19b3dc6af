/**
 * Appends traces to disk without ever blocking a send: lines are gathered in memory and written in batches, one batch at
 * a time per file. The memory is bounded; a session whose lines find no room is told so, never slowed.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, outputError } from '../base/atomic-file.io.js'
import type { UserError } from '../base/errors.js'

const FLUSH_INTERVAL_MS = 100
/** Unwritten lines of all sessions of a process, in characters. */
const MAX_PENDING = 256 * 1024 * 1024

export class TraceStore {
  readonly #dirty = new Set<TraceFile>()
  readonly #busy = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #pending = 0
  #bytesWritten = 0
  #failure: UserError | undefined

  /** The first write that failed; everything after it is refused. */
  get failure(): UserError | undefined {
    return this.#failure
  }

  get bytesWritten(): number {
    return this.#bytesWritten
  }

  /** A trace at this path; its folder is made when the first lines are written. */
  create(path: string): TraceFile {
    return new TraceFile(path, this)
  }

  /** Waits until everything that was appended is on disk, or has failed. */
  async drain(): Promise<void> {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#dirty.size > 0 || this.#busy.size > 0) {
      this.#flush()
      await Promise.all(this.#busy)
    }
  }

  /** @internal */
  accepts(length: number): boolean {
    return this.#failure === undefined && this.#pending + length <= MAX_PENDING
  }

  /** @internal */
  noteAppended(file: TraceFile, length: number): void {
    this.#pending += length
    this.#dirty.add(file)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, FLUSH_INTERVAL_MS)
  }

  #flush(): void {
    for (const file of this.#dirty) {
      if (file.isBusy) continue
      this.#dirty.delete(file)
      const { text, length } = file.take()
      const work = file
        .write(text)
        .then((bytes) => {
          this.#bytesWritten += bytes
        })
        .catch((thrown: unknown) => {
          this.#failure ??= outputError(file.path, thrown)
        })
        .finally(() => {
          this.#pending -= length
          this.#busy.delete(work)
        })
      this.#busy.add(work)
    }
    if (this.#dirty.size > 0) this.#timer ??= setTimeout(() => this.#onTimer(), FLUSH_INTERVAL_MS)
  }

  #onTimer(): void {
    this.#timer = undefined
    this.#flush()
  }
}

export class TraceFile {
  readonly path: string
  readonly #store: TraceStore
  #lines: string[] = []
  #length = 0
  #handle: FileHandle | undefined
  #isClosing = false
  isBusy = false

  constructor(path: string, store: TraceStore) {
    this.path = path
    this.#store = store
  }

  /** Takes one line without its line feed; false when there is no room or writing has failed. */
  append(line: string): boolean {
    if (!this.#store.accepts(line.length + 1)) return false
    this.#lines.push(line)
    this.#length += line.length + 1
    this.#store.noteAppended(this, line.length + 1)
    return true
  }

  /** No further lines; the file is closed once everything is written. */
  finish(): void {
    this.#isClosing = true
    this.#store.noteAppended(this, 0)
  }

  /** @internal */
  take(): { text: string; length: number } {
    const text = this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`
    const length = this.#length
    this.#lines = []
    this.#length = 0
    return { text, length }
  }

  /** @internal */
  async write(text: string): Promise<number> {
    this.isBusy = true
    try {
      if (this.#handle === undefined) {
        await makeFolder(dirname(this.path))
        this.#handle = await open(this.path, 'a')
      }
      const bytes = Buffer.from(text, 'utf8')
      if (bytes.length > 0) await this.#handle.writeFile(bytes)
      if (this.#isClosing && this.#lines.length === 0) {
        await this.#handle.close()
        this.#handle = undefined
      }
      return bytes.length
    } catch (thrown) {
      await this.#handle?.close().catch(() => undefined)
      this.#handle = undefined
      throw thrown
    } finally {
      this.isBusy = false
    }
  }
}
