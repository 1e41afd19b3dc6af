import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { climb } from '../../../src/sweep/calibration/ladder.js'

const OPTIONS = { first: 250, most: 100_000, tolerance: 0.05, tries: 3 }

/** A host that drives so many sessions, with bad moments at these tries. */
function host(limit: number, badTries: readonly number[] = []) {
  const tried: number[] = []
  return {
    tried,
    holds: async (sessions: number) => {
      tried.push(sessions)
      return sessions <= limit && !badTries.includes(tried.length)
    },
  }
}

describe('the ladder', () => {
  test('doubles, closes the gap, and looks again at what it found', async () => {
    const { tried, holds } = host(1800)
    expect(await climb({ ...OPTIONS, holds })).toEqual({ sessions: 1750, isAtMost: false })
    expect(tried).toEqual([250, 500, 1000, 2000, 2000, 1500, 1750, 1875, 1875, 1813, 1813, 1750].slice(0, tried.length))
    expect(tried.at(-1)).toBe(1750)
  })

  test.each([
    { name: 'one that nothing stops', limit: 1e6, most: 3000, expected: { sessions: 3000, isAtMost: true } },
    {
      name: 'one with less room than the first rung',
      limit: 1e6,
      most: 40,
      expected: { sessions: 40, isAtMost: true },
    },
    { name: 'one below the first rung', limit: 100, most: 3000, expected: { sessions: 98, isAtMost: false } },
    { name: 'one that drives one session', limit: 1, most: 3000, expected: { sessions: 1, isAtMost: false } },
    { name: 'one that drives nothing', limit: 0, most: 3000, expected: { sessions: 0, isAtMost: false } },
  ])('knows the end of $name', async ({ limit, most, expected }) => {
    expect(await climb({ ...OPTIONS, most, holds: host(limit).holds })).toEqual(expected)
  })

  test('does not believe a single bad moment', async () => {
    const { holds } = host(1e6, [1, 5])
    expect(await climb({ ...OPTIONS, most: 1000, holds })).toEqual({ sessions: 1000, isAtMost: true })
  })

  test('steps down from what held once and does not hold again', async () => {
    let tries = 0
    const holds = async (sessions: number) => {
      tries += 1
      return sessions < 1000 || (sessions === 1000 && tries === 3)
    }
    expect((await climb({ ...OPTIONS, most: 1000, holds })).sessions).toBe(950)
  })

  test('is within its tolerance of any host, and never above it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50_000 }), async (limit) => {
        const { sessions } = await climb({ ...OPTIONS, holds: host(limit).holds })
        expect(sessions).toBeLessThanOrEqual(limit)
        expect(sessions).toBeGreaterThanOrEqual(Math.floor(limit * 0.94) - 1)
      }),
    )
  })
})
