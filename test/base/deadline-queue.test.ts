import { describe, expect, it } from 'vitest'
import { DeadlineQueue } from '../../src/base/deadline-queue.js'

function queueOf(...duesUs: number[]) {
  const queue = new DeadlineQueue()
  const woken: number[] = []
  const cancels = duesUs.map((dueUs, index) => queue.add(dueUs, () => woken.push(index)))
  const runUntil = (nowUs: number) => {
    for (let wake = queue.takeDue(nowUs); wake !== undefined; wake = queue.takeDue(nowUs)) wake()
  }
  return { queue, woken, cancels, runUntil }
}

describe('the queue of deadlines', () => {
  it('takes a wake-up at its due time and not before', () => {
    const { queue, woken, runUntil } = queueOf(100)
    runUntil(99)
    expect(woken).toEqual([])
    runUntil(100)
    expect(woken).toEqual([0])
    expect(queue.earliestUs).toBeUndefined()
  })

  it('takes wake-ups due together in the order they were asked for', () => {
    const { woken, runUntil } = queueOf(5, 5, 1, 5, 1)
    runUntil(5)
    expect(woken).toEqual([2, 4, 0, 1, 3])
  })

  it('takes one that is added while others are taken, in its turn', () => {
    const { queue, woken, runUntil } = queueOf(10, 30)
    queue.add(15, () => queue.add(20, () => woken.push(99)))
    runUntil(40)
    expect(woken).toEqual([0, 99, 1])
  })

  it('forgets what was cancelled, and cancelling again or too late does no harm', () => {
    const { queue, woken, cancels, runUntil } = queueOf(1, 2, 3)
    cancels[0]?.()
    cancels[0]?.()
    expect(queue.earliestUs).toBe(2)
    runUntil(2)
    cancels[1]?.()
    cancels[2]?.()
    expect(queue.earliestUs).toBeUndefined()
    runUntil(9)
    expect(woken).toEqual([1])
  })
})
