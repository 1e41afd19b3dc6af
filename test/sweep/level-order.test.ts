import { describe, expect, it } from 'vitest'
import { plannedLevels, sessionsOfLevel } from '../../src/sweep/level-order.js'

const config = { levels: [4, 1, 16, 2], repeats: 1, sessions: 'all', seed: 0 } as const
const levelsOf = (planned: readonly { concurrency: number }[]) => planned.map(({ concurrency }) => concurrency)

describe('the order of the levels', () => {
  it.each([
    { order: 'ascending', expected: [1, 2, 4, 16] },
    { order: 'descending', expected: [16, 4, 2, 1] },
    { order: 'as_given', expected: [4, 1, 16, 2] },
  ] as const)('$order', ({ order, expected }) => {
    expect(levelsOf(plannedLevels({ ...config, levels: [...config.levels], order }, 10))).toEqual(expected)
  })

  it('a repeat comes after all levels of the one before', () => {
    const planned = plannedLevels({ ...config, levels: [1, 2], order: 'ascending', repeats: 2 }, 10)
    expect(planned.map(({ concurrency, repeat }) => `${concurrency} r${repeat}`)).toEqual([
      '1 r1',
      '2 r1',
      '1 r2',
      '2 r2',
    ])
  })

  it('shuffled orders hold every level once, differ between repeats, and come again with the seed', () => {
    const levels = [1, 2, 4, 8, 16, 32, 64]
    const shuffled = (seed: number) => plannedLevels({ ...config, levels, order: 'shuffled', repeats: 2, seed }, 10)
    const first = levelsOf(shuffled(7)).slice(0, 7)
    const second = levelsOf(shuffled(7)).slice(7)
    expect([...first].sort((a, b) => a - b)).toEqual(levels)
    expect([...second].sort((a, b) => a - b)).toEqual(levels)
    expect(second).not.toEqual(first)
    expect(shuffled(7)).toEqual(shuffled(7))
    expect(shuffled(8)).not.toEqual(shuffled(7))
  })

  it('leaves the given list as it was', () => {
    const levels = [4, 1, 2]
    plannedLevels({ ...config, levels, order: 'ascending' }, 10)
    expect(levels).toEqual([4, 1, 2])
  })
})

describe('the sessions of a level', () => {
  it.each([
    { sessions: 'all', concurrency: 4, inputs: 10, expected: 10 },
    { sessions: 'all', concurrency: 4, inputs: 8, expected: 8 },
    { sessions: 'all', concurrency: 4, inputs: 7, expected: 8 },
    { sessions: 'all', concurrency: 64, inputs: 10, expected: 128 },
    { sessions: { count: 3 }, concurrency: 64, inputs: 10, expected: 3 },
    { sessions: { per_slot: 5 }, concurrency: 4, inputs: 10, expected: 20 },
  ] as const)(
    '$sessions at $concurrency with $inputs inputs are $expected',
    ({ sessions, concurrency, inputs, expected }) => {
      expect(sessionsOfLevel(sessions, concurrency, inputs)).toBe(expected)
    },
  )
})
