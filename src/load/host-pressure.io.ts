/** Reads once a second what the host says of its own load, where it does: Linux, for the most part. */
import { readFile } from 'node:fs/promises'
import type { Cancel, Clock } from '../base/clock.js'
import type { HostRecord } from '../capture/self-monitoring.js'
import {
  HOST_INTERVAL_US,
  type HostReading,
  hostRecord,
  parseLoad,
  parsePressure,
  parseProcessorTicks,
} from './host-pressure.js'

/** The text of a file of the system; undefined where there is none. */
export type ReadSystemFile = (path: string) => Promise<string | undefined>

export class HostWatch {
  readonly #clock: Clock
  readonly #read: ReadSystemFile
  readonly #readings: HostReading[] = []
  #pending: Promise<void> = Promise.resolve()
  #cancel: Cancel | undefined
  #isRunning = true

  private constructor(clock: Clock, read: ReadSystemFile) {
    this.#clock = clock
    this.#read = read
  }

  /** Begins to watch. For the coordinating process: where packets are sent it would be in their way. */
  static start(clock: Clock, read: ReadSystemFile = readSystemFile): HostWatch {
    const watch = new HostWatch(clock, read)
    watch.#readAndWait()
    return watch
  }

  /** Ends the watch; null where the host offers none of it. Harmless to call twice. */
  async stop(): Promise<HostRecord | null> {
    if (this.#isRunning) {
      this.#isRunning = false
      this.#cancel?.()
      this.#pending = this.#pending.then(() => this.#takeReading())
    }
    await this.#pending
    return hostRecord(this.#readings)
  }

  #readAndWait(): void {
    this.#pending = this.#takeReading().then(() => {
      if (!this.#isRunning) return
      this.#cancel = this.#clock.at(this.#clock.nowUs() + HOST_INTERVAL_US, () => this.#readAndWait())
    })
  }

  async #takeReading(): Promise<void> {
    const atUs = this.#clock.nowUs()
    const [cpu, memory, io, stat, load] = await Promise.all(
      ['pressure/cpu', 'pressure/memory', 'pressure/io', 'stat', 'loadavg'].map((name) => this.#read(`/proc/${name}`)),
    )
    this.#readings.push({
      atUs,
      cpu: parsePressure(cpu),
      memory: parsePressure(memory),
      io: parsePressure(io),
      ticks: parseProcessorTicks(stat),
      load1: parseLoad(load),
    })
  }
}

/** Pressure files may exist and refuse to be read where the kernel was told to keep no account. */
function readSystemFile(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
