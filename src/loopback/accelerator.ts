/**
 * The simulated accelerator: one queue, served in batches, on an injected clock.
 *
 *   idle ──a unit is ready──► running ──its time is over──► units done, in order ──► running again, or idle
 *
 * A batch holds the ready units of all sessions in order of arrival, at most one per session (a unit needs the state
 * that the session's previous one left behind) and at most `maxBatch`. It takes
 *
 *   (baseMs + perUnitMs * size) * (1 + jitter * u),   u seeded and uniform in [-1, 1]
 *
 * and only then is any of its units done. Units that are ready at the same instant share a batch: the start is asked for
 * from the clock, so whatever else is due at that instant comes first.
 *
 * Batches are timed from the instant at which they could start, not from the one at which a timer fired, so timers that
 * fire late delay single results and never add up to a slower accelerator.
 */
import type { Clock, InstantUs } from '../base/clock.js'
import { US_PER_MS, US_PER_S } from '../base/clock.js'
import { seededRandom } from '../stats/random.js'

export interface AcceleratorSettings {
  readonly baseMs: number
  readonly perUnitMs: number
  /** Share of a batch's time by which it varies, 0 to 1. */
  readonly jitter: number
  /** Most units in one batch; null for no limit. */
  readonly maxBatch: number | null
  readonly seed: number | string
  /** Once in this many seconds one batch takes `stallMs` longer; null for never. */
  readonly stallEveryS: number | null
  readonly stallMs: number
  /** Memory ends when a batch would hold, or the open sessions reach, this many; null for never. */
  readonly oomAt: number | null
}

/** One unit of one session, ready to be computed. Exactly one of the two is called, unless the session is cancelled. */
export interface AcceleratorJob {
  readonly sessionId: string
  readonly onDone: () => void
  readonly onFailed: (code: string) => void
}

export const OUT_OF_MEMORY_CODE = 'cuda_out_of_memory'

/** Running totals, for metrics; read them, do not change them. */
export interface AcceleratorCounters {
  batches: number
  units: number
  busyUs: number
  stalls: number
  outOfMemory: number
}

interface Queued {
  readonly job: AcceleratorJob
  readonly order: number
  readonly readyAtUs: InstantUs
}

export class Accelerator {
  readonly counters: AcceleratorCounters = { batches: 0, units: 0, busyUs: 0, stalls: 0, outOfMemory: 0 }
  /** Told the size of each batch when it starts. */
  onBatch: ((size: number) => void) | undefined

  readonly #clock: Clock
  readonly #settings: AcceleratorSettings
  readonly #random: { next(): number }
  /** Waiting units of each session, oldest first; a session without any has no entry. */
  readonly #waiting = new Map<string, Queued[]>()
  readonly #openSessions = new Set<string>()
  #running: Queued[] | undefined
  #cancelledWhileRunning = new Set<string>()
  #startAsked = false
  #nextOrder = 0
  #freeAtUs: InstantUs
  #nextStallAtUs: InstantUs

  constructor(clock: Clock, settings: AcceleratorSettings) {
    this.#clock = clock
    this.#settings = settings
    this.#random = seededRandom(settings.seed)
    this.#freeAtUs = clock.nowUs()
    this.#nextStallAtUs =
      settings.stallEveryS === null ? Number.POSITIVE_INFINITY : clock.nowUs() + settings.stallEveryS * US_PER_S
  }

  /** Units that wait for a batch; those of the running one are not counted. */
  get queueLength(): number {
    let length = 0
    for (const queue of this.#waiting.values()) length += queue.length
    return length
  }

  get batchSize(): number {
    return this.#running?.length ?? 0
  }

  get openSessions(): number {
    return this.#openSessions.size
  }

  /** The session holds memory from here on. */
  openSession(sessionId: string): void {
    this.#openSessions.add(sessionId)
  }

  closeSession(sessionId: string): void {
    this.cancelSession(sessionId)
    this.#openSessions.delete(sessionId)
  }

  submit(job: AcceleratorJob): void {
    const queued: Queued = { job, order: this.#nextOrder++, readyAtUs: this.#clock.nowUs() }
    const queue = this.#waiting.get(job.sessionId)
    if (queue === undefined) this.#waiting.set(job.sessionId, [queued])
    else queue.push(queued)
    this.#askForStart()
  }

  /** Forgets the session's waiting units and the results of its running one; the running batch takes its time all the same. */
  cancelSession(sessionId: string): void {
    this.#waiting.delete(sessionId)
    if (this.#running?.some((queued) => queued.job.sessionId === sessionId)) this.#cancelledWhileRunning.add(sessionId)
  }

  #askForStart(): void {
    if (this.#startAsked || this.#running !== undefined || this.#waiting.size === 0) return
    this.#startAsked = true
    this.#clock.at(this.#clock.nowUs(), () => {
      this.#startAsked = false
      this.#startBatch()
    })
  }

  #startBatch(): void {
    const batch = this.#takeBatch()
    const first = batch[0]
    if (first === undefined) return
    if (this.#isOutOfMemory(batch.length)) {
      this.counters.outOfMemory += 1
      this.#askForStart()
      for (const { job } of batch) job.onFailed(OUT_OF_MEMORY_CODE)
      return
    }
    const startAtUs = Math.max(this.#freeAtUs, first.readyAtUs)
    const durationUs = this.#durationUs(batch.length, startAtUs)
    this.#freeAtUs = startAtUs + durationUs
    this.counters.batches += 1
    this.counters.units += batch.length
    this.counters.busyUs += durationUs
    this.#running = batch
    this.onBatch?.(batch.length)
    this.#clock.at(this.#freeAtUs, () => this.#endBatch(batch))
  }

  #endBatch(batch: readonly Queued[]): void {
    this.#running = undefined
    const cancelled = this.#cancelledWhileRunning
    this.#cancelledWhileRunning = new Set()
    // Asked for first, so that a batch whose units were waiting never depends on what the callbacks below do.
    this.#askForStart()
    for (const { job } of batch) {
      if (!cancelled.has(job.sessionId)) job.onDone()
    }
  }

  /** The oldest waiting unit of every session, in order of arrival. */
  #takeBatch(): Queued[] {
    const heads: Queued[] = []
    for (const queue of this.#waiting.values()) {
      const head = queue[0]
      if (head !== undefined) heads.push(head)
    }
    heads.sort((a, b) => a.order - b.order)
    const batch = heads.slice(0, this.#settings.maxBatch ?? heads.length)
    for (const { job } of batch) {
      const queue = this.#waiting.get(job.sessionId)
      queue?.shift()
      if (queue?.length === 0) this.#waiting.delete(job.sessionId)
    }
    return batch
  }

  #isOutOfMemory(size: number): boolean {
    const { oomAt } = this.#settings
    return oomAt !== null && (size >= oomAt || this.#openSessions.size >= oomAt)
  }

  #durationUs(size: number, startAtUs: InstantUs): number {
    const { baseMs, perUnitMs, jitter, stallEveryS, stallMs } = this.#settings
    const factor = 1 + jitter * (2 * this.#random.next() - 1)
    let durationMs = (baseMs + perUnitMs * size) * factor
    if (stallEveryS !== null && startAtUs >= this.#nextStallAtUs) {
      this.counters.stalls += 1
      durationMs += stallMs
      while (this.#nextStallAtUs <= startAtUs) this.#nextStallAtUs += stallEveryS * US_PER_S
    }
    return Math.round(durationMs * US_PER_MS)
  }
}
