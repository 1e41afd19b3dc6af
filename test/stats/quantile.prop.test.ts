import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantile, sortSamples } from '../../src/stats/quantile.js'

/** Adding 0 turns -0 into 0, which sort together but do not compare equal. */
const sample = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0)
const samples = fc.array(sample, { minLength: 1, maxLength: 60 })
const share = fc.double({ min: 0, max: 1, noNaN: true })

test('samples come out ascending and none is lost', () => {
  fc.assert(
    fc.property(samples, (values) => {
      expect(sortSamples(values)).toEqual(values.toSorted((a, b) => a - b))
    }),
  )
})

test('quantiles never fall as q rises, and stay between minimum and maximum', () => {
  fc.assert(
    fc.property(samples, share, share, (values, p, q) => {
      const sorted = sortSamples(values)
      const lower = quantile({ sorted, q: Math.min(p, q) }) as number
      const upper = quantile({ sorted, q: Math.max(p, q) }) as number
      expect(lower).toBeLessThanOrEqual(upper)
      expect(lower).toBeGreaterThanOrEqual(Math.min(...values))
      expect(upper).toBeLessThanOrEqual(Math.max(...values))
    }),
  )
})

test('at q = k / (n - 1) the quantile is the k-th order statistic, counted from 0', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 2, maxLength: 60 }), fc.nat(), (values, pick) => {
      const index = pick % values.length
      const sorted = sortSamples(values)
      const value = quantile({ sorted, q: index / (values.length - 1) }) as number
      expect(Math.abs(value - (sorted[index] as number))).toBeLessThanOrEqual(1e-3)
    }),
  )
})
