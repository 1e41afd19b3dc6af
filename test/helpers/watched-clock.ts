/** Passes a clock through and counts the wake-ups that are still to come: whoever has ended must have cancelled its own. */
import type { Cancel, Clock, InstantUs } from '../../src/base/clock.js'

export class WatchedClock implements Clock {
  readonly #inner: Clock
  readonly #pending = new Set<object>()

  constructor(inner: Clock) {
    this.#inner = inner
  }

  get pending(): number {
    return this.#pending.size
  }

  nowUs(): InstantUs {
    return this.#inner.nowUs()
  }

  at(dueAtUs: InstantUs, wake: () => void): Cancel {
    const entry = {}
    this.#pending.add(entry)
    const cancel = this.#inner.at(dueAtUs, () => {
      this.#pending.delete(entry)
      wake()
    })
    return () => {
      this.#pending.delete(entry)
      cancel()
    }
  }
}
