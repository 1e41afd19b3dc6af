/**
 * A clock that moves only when told. Wake-ups happen in due order; promises and immediates are let run between two of
 * them, so that logic written with promises behaves as on the real clock.
 */
import type { Cancel, Clock, InstantUs } from '../../src/base/clock.js'
import { DeadlineQueue } from '../../src/base/deadline-queue.js'

export class VirtualClock implements Clock {
  #nowUs: InstantUs
  readonly #queue = new DeadlineQueue()

  constructor(startUs: InstantUs = 1_000_000) {
    this.#nowUs = startUs
  }

  nowUs(): InstantUs {
    return this.#nowUs
  }

  at(dueAtUs: InstantUs, wake: () => void): Cancel {
    return this.#queue.add(dueAtUs, wake)
  }

  /** Holds the clock's owner up: the next wake-ups come late by this much, as when an event loop is blocked. */
  stall(durationUs: number): void {
    this.#nowUs += durationUs
  }

  /** Lets everything happen that is due up to `untilUs`, in order, and ends at that instant. */
  async runUntil(untilUs: InstantUs): Promise<void> {
    await settle()
    for (;;) {
      const dueUs = this.#queue.earliestUs
      if (dueUs === undefined || dueUs > untilUs) break
      if (dueUs > this.#nowUs) this.#nowUs = dueUs
      this.#queue.takeDue(this.#nowUs)?.()
      await settle()
    }
    if (untilUs > this.#nowUs) this.#nowUs = untilUs
  }

  /** Runs until `promise` settles; complains when nothing is left to happen and it has not. */
  async runUntilSettled<T>(promise: Promise<T>, limitUs = 3_600_000_000): Promise<T> {
    let settled = false
    const mark = () => {
      settled = true
    }
    promise.then(mark, mark)
    const endUs = this.#nowUs + limitUs
    await settle()
    while (!settled) {
      const dueUs = this.#queue.earliestUs
      if (dueUs === undefined) throw new Error('the test waits and nothing is scheduled on the virtual clock')
      if (dueUs > endUs) throw new Error('the test waits longer than its limit on the virtual clock')
      await this.runUntil(dueUs)
    }
    return promise
  }
}

/** Lets pending promise callbacks and immediates run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
