/** Pauses of this process's garbage collector: how many, how long, and when the long ones were. */
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { type Clock, secondsFromUs, US_PER_MS } from '../base/clock.js'
import type { GcTotals, SenderRecord } from '../capture/self-monitoring.js'

type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

/** Pauses kept one by one; a process with more of them has worse troubles. */
const LONG_PAUSES_MAX = 10_000
/** `NODE_PERFORMANCE_GC_…`: the constants stand on no type, and the numbers are part of the interface. */
const KINDS: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weak_callbacks' }

export class GcWatch {
  readonly #longMs: number
  readonly #originUs: number
  readonly #observer: PerformanceObserver
  readonly #total = { pauses: 0, ms: 0, maxMs: 0 }
  #window = { pauses: 0, ms: 0, maxMs: 0 }
  /** Begin, end (seconds on the clock) and kind of each pause of at least `longMs`. */
  readonly longPauses: SenderRecord['gc_pauses'] = []

  /** Begins to watch. */
  constructor(clock: Clock, longMs: number) {
    this.#longMs = longMs
    // Entries count from the start of the process, in the steps of the same monotonic clock.
    this.#originUs = clock.nowUs() - performance.now() * US_PER_MS
    this.#observer = new PerformanceObserver((list) => this.#take(list.getEntries()))
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /** Ends the watch. Node tells of a pause one turn of the loop later, so one in this very turn is not heard of. */
  stop(): void {
    this.#take(this.#observer.takeRecords())
    this.#observer.disconnect()
  }

  get totals(): GcTotals {
    return rounded(this.#total)
  }

  /** What was seen since the last call. An observer hears of a pause a little after it. */
  closeWindow(): GcTotals {
    const window = rounded(this.#window)
    this.#window = { pauses: 0, ms: 0, maxMs: 0 }
    return window
  }

  #take(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      const { startTime, duration } = entry
      for (const sum of [this.#total, this.#window]) {
        sum.pauses += 1
        sum.ms += duration
        sum.maxMs = Math.max(sum.maxMs, duration)
      }
      if (duration < this.#longMs || this.longPauses.length >= LONG_PAUSES_MAX) continue
      const at = (ms: number) => secondsFromUs(Math.round(this.#originUs + ms * US_PER_MS))
      const { kind } = (entry as GcEntry).detail
      this.longPauses.push([at(startTime), at(startTime + duration), KINDS[kind] ?? 'other'])
    }
  }
}

function rounded({ pauses, ms, maxMs }: { readonly pauses: number; readonly ms: number; readonly maxMs: number }) {
  return { pauses, total_ms: Math.round(ms * 1000) / 1000, max_ms: Math.round(maxMs * 1000) / 1000 }
}
