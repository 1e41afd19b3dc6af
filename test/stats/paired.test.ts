import { describe, expect, it } from 'vitest'
import { pairedMedians } from '../../src/stats/paired-quantiles.js'
import { exactMcNemar, pairedShareBounds95, pairsToBound } from '../../src/stats/paired-shares.js'

const Z_975 = 1.959963984540054

describe('exact McNemar', () => {
  it.each([
    // scipy: binomtest(k, n, 0.5).
    { gained: 0, lost: 0, pGained: 1, pTwoSided: 1 },
    { gained: 5, lost: 0, pGained: 0.03125, pTwoSided: 0.0625 },
    { gained: 6, lost: 0, pGained: 0.015625, pTwoSided: 0.03125 },
    { gained: 0, lost: 6, pGained: 1, pTwoSided: 0.03125 },
    { gained: 7, lost: 1, pGained: 0.03515625, pTwoSided: 0.0703125 },
    { gained: 3, lost: 3, pGained: 0.65625, pTwoSided: 1 },
  ])('$gained gained, $lost lost', ({ gained, lost, pGained, pTwoSided }) => {
    const found = exactMcNemar({ pairs: 20, gained, lost })
    expect(found.pGained).toBeCloseTo(pGained, 12)
    expect(found.pTwoSided).toBeCloseTo(pTwoSided, 12)
  })

  it('does not overflow for many samples', () => {
    const { pTwoSided } = exactMcNemar({ pairs: 10_000, gained: 2_600, lost: 2_400 })
    expect(pTwoSided).toBeGreaterThan(0.0045)
    expect(pTwoSided).toBeLessThan(0.0052)
  })
})

describe('bounds of a paired difference', () => {
  it('gives the published interval of a trial of 21 children', () => {
    // Fagerland, Lydersen and Laake (2014): 1 of 21 gained, 7 lost; Tango's 95% interval is -0.517 to -0.026.
    const bounds = pairedShareBounds95({ pairs: 21, gained: 1, lost: 7 }, Z_975)
    expect(bounds?.low).toBeCloseTo(-0.517, 3)
    expect(bounds?.high).toBeCloseTo(-0.026, 3)
  })

  it('has a width when nothing differs', () => {
    const bounds = pairedShareBounds95({ pairs: 12, gained: 0, lost: 0 })
    expect(bounds?.high).toBeCloseTo(2.705543 / (12 + 2.705543), 5)
    expect(bounds?.low).toBeCloseTo(-(bounds?.high ?? 0), 12)
  })

  it('mirrors when before and after change places', () => {
    for (const [gained, lost] of [
      [0, 5],
      [3, 1],
      [12, 0],
      [4, 4],
    ] as const) {
      const one = pairedShareBounds95({ pairs: 12, gained, lost })
      const other = pairedShareBounds95({ pairs: 12, gained: lost, lost: gained })
      expect(one?.low).toBeCloseTo(-(other?.high ?? Number.NaN), 9)
      expect(one?.high).toBeCloseTo(-(other?.low ?? Number.NaN), 9)
    }
  })

  it('holds the difference seen and stays within [-1, 1]', () => {
    for (let pairs = 1; pairs <= 9; pairs += 1) {
      for (let gained = 0; gained <= pairs; gained += 1) {
        for (let lost = 0; lost + gained <= pairs; lost += 1) {
          const { low, high } = pairedShareBounds95({ pairs, gained, lost }) ?? { low: Number.NaN, high: Number.NaN }
          const seen = (gained - lost) / pairs
          expect(low).toBeGreaterThanOrEqual(-1)
          expect(low).toBeLessThanOrEqual(seen)
          expect(high).toBeGreaterThanOrEqual(seen)
          expect(high).toBeLessThanOrEqual(1)
        }
      }
    }
  })

  it('says how many pairs a margin takes at least', () => {
    for (const margin of [0.05, 0.1, 0.25, 0.5]) {
      const pairs = pairsToBound(margin)
      expect(pairedShareBounds95({ pairs, gained: 0, lost: 0 })?.high).toBeLessThanOrEqual(margin + 1e-12)
      expect(pairedShareBounds95({ pairs: pairs - 1, gained: 0, lost: 0 })?.high).toBeGreaterThan(margin)
    }
    expect(pairsToBound(0.1)).toBe(25)
  })

  it('has none without pairs', () => {
    expect(pairedShareBounds95({ pairs: 0, gained: 0, lost: 0 })).toBeUndefined()
  })
})

describe('paired medians', () => {
  const pairs = [1, 1.2, 1.4, 1.6, 1.8, 2].map((before) => ({ before, after: before + 0.5 }))

  it('finds a common shift, with bounds around it', () => {
    const found = pairedMedians({ pairs, resamples: 2000, seed: 'x' })
    expect(found.before).toBe(1.4)
    expect(found.difference).toBeCloseTo(0.5, 12)
    expect(found.bounds?.low).toBeCloseTo(0.5, 9)
    expect(found.bounds?.high).toBeCloseTo(0.5, 9)
  })

  it('counts what never happened as infinitely late', () => {
    const late = pairs.map(({ before }, index) => ({ before, after: index < 4 ? Number.POSITIVE_INFINITY : before }))
    const found = pairedMedians({ pairs: late, resamples: 500, seed: 1 })
    expect(found.difference).toBe(Number.POSITIVE_INFINITY)
    expect(found.bounds?.high).toBe(Number.POSITIVE_INFINITY)
  })

  it('compares no two medians that were both not reached', () => {
    const never = [{ before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY }]
    expect(pairedMedians({ pairs: never, resamples: 10, seed: 1 })).toMatchObject({
      difference: undefined,
      bounds: undefined,
    })
  })

  it('is the same for the same seed', () => {
    const mixed = pairs.map(({ before }, index) => ({ before, after: before + (index % 3) * 0.3 }))
    const draw = (seed: number) => pairedMedians({ pairs: mixed, resamples: 300, seed })
    expect(draw(3)).toEqual(draw(3))
  })
})
