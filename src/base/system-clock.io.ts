/**
 * The real clock. One timer for the whole process, armed for the earliest pending wake-up: Node timers have a
 * resolution of a millisecond and may fire up to a millisecond early, so the clock is read again on waking and the timer
 * armed again when it is not yet time.
 */
import type { Alarm, Cancel, Clock, InstantUs } from './clock.js'
import { US_PER_MS } from './clock.js'
import { DeadlineQueue, QueuedAlarm } from './deadline-queue.js'

/**
 * From this process's `performance.now()` to the host's monotonic clock, which all its processes share. Both count the same
 * nanoseconds, from different origins; reading one as a number costs a fraction of reading the other as a BigInt. Of a few
 * bracketed readings the narrowest is taken.
 */
function monotonicOffsetUs(): number {
  let offsetUs = 0
  let narrowestMs = Number.POSITIVE_INFINITY
  for (let reading = 0; reading < 16; reading += 1) {
    const beforeMs = performance.now()
    const nowNs = process.hrtime.bigint()
    const afterMs = performance.now()
    if (afterMs - beforeMs >= narrowestMs) continue
    narrowestMs = afterMs - beforeMs
    offsetUs = Number(nowNs) / 1000 - ((beforeMs + afterMs) / 2) * US_PER_MS
  }
  return offsetUs
}

const OFFSET_US = monotonicOffsetUs()

export class SystemClock implements Clock {
  readonly #queue = new DeadlineQueue()
  #timer: NodeJS.Timeout | undefined
  #armedForUs = Number.POSITIVE_INFINITY
  #isWaking = false
  readonly #onTimerDue = () => this.#onTimer()

  nowUs(): InstantUs {
    return Math.floor(performance.now() * US_PER_MS + OFFSET_US)
  }

  at(dueAtUs: InstantUs, wake: () => void): Cancel {
    const cancel = this.#queue.add(dueAtUs, wake)
    // After the calls that are due it is armed once.
    if (!this.#isWaking) this.#arm()
    return () => {
      cancel()
      // With nothing left to wake for, an armed timer would only keep the process alive.
      if (this.#queue.earliestUs === undefined) this.#arm()
    }
  }

  alarm(wake: () => void): Alarm {
    const alarm = new QueuedAlarm(this.#queue, wake)
    return {
      set: (dueAtUs) => {
        alarm.set(dueAtUs)
        if (!this.#isWaking) this.#arm()
      },
      clear: () => {
        alarm.clear()
        if (this.#queue.earliestUs === undefined) this.#arm()
      },
    }
  }

  #arm(): void {
    const earliestUs = this.#queue.earliestUs
    if (earliestUs === undefined) {
      if (this.#timer !== undefined) clearTimeout(this.#timer)
      this.#timer = undefined
      this.#armedForUs = Number.POSITIVE_INFINITY
      return
    }
    if (earliestUs >= this.#armedForUs) return
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#armedForUs = earliestUs
    const delayMs = Math.max(0, Math.floor((earliestUs - this.nowUs()) / 1000))
    this.#timer = setTimeout(this.#onTimerDue, Math.min(delayMs, 2 ** 31 - 1))
  }

  #onTimer(): void {
    this.#timer = undefined
    this.#armedForUs = Number.POSITIVE_INFINITY
    this.#isWaking = true
    try {
      for (;;) {
        const wake = this.#queue.takeDue(this.nowUs())
        if (wake === undefined) return
        wake()
      }
    } finally {
      this.#isWaking = false
      this.#arm()
    }
  }
}

/** Wall-clock time for manifests alone; never subtracted from anything. */
export function wallIso(): string {
  return new Date().toISOString()
}
