/** A binary heap of pending wake-ups, ordered by due time and, where that is equal, by order of entry. Pure. */
import type { Cancel, InstantUs } from './clock.js'

interface Entry {
  dueAtUs: InstantUs
  order: number
  wake: (() => void) | undefined
  isQueued: boolean
}

/** A wake-up that is put into the queue again and again, without a new entry each time. */
export class QueuedAlarm {
  readonly #queue: DeadlineQueue
  readonly #wake: () => void
  #entry: Entry | undefined

  constructor(queue: DeadlineQueue, wake: () => void) {
    this.#queue = queue
    this.#wake = wake
  }

  set(dueAtUs: InstantUs): void {
    this.clear()
    // An entry that was cancelled stays in the queue until its time comes.
    if (this.#entry === undefined || this.#entry.isQueued) this.#entry = this.#queue.push(dueAtUs, this.#wake)
    else this.#queue.pushAgain(this.#entry, dueAtUs, this.#wake)
  }

  clear(): void {
    if (this.#entry?.isQueued) this.#entry.wake = undefined
  }
}

export class DeadlineQueue {
  readonly #heap: Entry[] = []
  #nextOrder = 0

  /** Due time of the earliest wake-up that has not been cancelled. */
  get earliestUs(): InstantUs | undefined {
    this.#dropCancelled()
    return this.#heap[0]?.dueAtUs
  }

  add(dueAtUs: InstantUs, wake: () => void): Cancel {
    const entry = this.push(dueAtUs, wake)
    return () => {
      entry.wake = undefined
    }
  }

  /** @internal */
  push(dueAtUs: InstantUs, wake: () => void): Entry {
    const entry: Entry = { dueAtUs, order: 0, wake, isQueued: false }
    this.pushAgain(entry, dueAtUs, wake)
    return entry
  }

  /** @internal @param entry that is not in the queue */
  pushAgain(entry: Entry, dueAtUs: InstantUs, wake: () => void): void {
    entry.dueAtUs = dueAtUs
    entry.order = this.#nextOrder++
    entry.wake = wake
    entry.isQueued = true
    this.#heap.push(entry)
    this.#siftUp(this.#heap.length - 1)
  }

  /** Takes the earliest wake-up if it is due at or before `nowUs`. */
  takeDue(nowUs: InstantUs): (() => void) | undefined {
    this.#dropCancelled()
    const top = this.#heap[0]
    if (top === undefined || top.dueAtUs > nowUs) return undefined
    this.#removeTop()
    return top.wake
  }

  #dropCancelled(): void {
    while (this.#heap[0] !== undefined && this.#heap[0].wake === undefined) this.#removeTop()
  }

  #removeTop(): void {
    const top = this.#heap[0]
    if (top !== undefined) top.isQueued = false
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#siftDown(0)
  }

  #isBefore(a: Entry, b: Entry): boolean {
    return a.dueAtUs < b.dueAtUs || (a.dueAtUs === b.dueAtUs && a.order < b.order)
  }

  #siftUp(start: number): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#swapIfBefore(index, parent)) return
      index = parent
    }
  }

  #siftDown(start: number): void {
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      let first = index
      if (this.#comesBefore(left, first)) first = left
      if (this.#comesBefore(right, first)) first = right
      if (first === index) return
      this.#swapIfBefore(first, index)
      index = first
    }
  }

  #comesBefore(a: number, b: number): boolean {
    const first = this.#heap[a]
    const second = this.#heap[b]
    return first !== undefined && second !== undefined && this.#isBefore(first, second)
  }

  #swapIfBefore(a: number, b: number): boolean {
    const first = this.#heap[a]
    const second = this.#heap[b]
    if (first === undefined || second === undefined || !this.#isBefore(first, second)) return false
    this.#heap[a] = second
    this.#heap[b] = first
    return true
  }
}
