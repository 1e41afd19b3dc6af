import { expect, test } from 'vitest'
import { WaveBarrier } from '../../src/load/wave-barrier.js'

function barrier(waves: readonly number[]) {
  const seen: string[] = []
  const made = new WaveBarrier(new Map(waves.map((count, sender) => [sender, count])), {
    onComplete: (wave, senders) => seen.push(`start ${wave}: ${senders.join()}`),
    onNext: (wave, senders) => seen.push(`next ${wave}: ${senders.join()}`),
  })
  return { made, seen }
}

test('a wave starts when all wait, the next begins when all are over', () => {
  const { made, seen } = barrier([2, 2])
  made.waiting(1, 0)
  expect(seen).toEqual([])
  made.waiting(0, 0)
  made.over(0, 0)
  expect(seen).toEqual(['start 0: 0,1'])
  made.over(1, 0)
  expect(seen).toEqual(['start 0: 0,1', 'next 1: 0,1'])
  made.waiting(0, 1)
  made.waiting(1, 1)
  expect(seen.at(-1)).toBe('start 1: 0,1')
})

test('a sender without a part in the last wave is not waited for', () => {
  const { made, seen } = barrier([2, 1])
  for (const sender of [0, 1]) made.waiting(sender, 0)
  made.over(0, 0)
  made.gone(1)
  made.waiting(0, 1)
  expect(seen).toEqual(['start 0: 0,1', 'next 1: 0', 'start 1: 0'])
})

test('a sender that dies is not waited for, before a start or after it', () => {
  const { made, seen } = barrier([3, 3, 3])
  made.waiting(0, 0)
  made.waiting(1, 0)
  made.gone(2)
  expect(seen).toEqual(['start 0: 0,1'])
  made.over(0, 0)
  made.gone(1)
  expect(seen).toEqual(['start 0: 0,1', 'next 1: 0'])
})

test('words of another wave change nothing', () => {
  const { made, seen } = barrier([2])
  made.over(0, 1)
  made.waiting(0, 1)
  expect(seen).toEqual([])
})
