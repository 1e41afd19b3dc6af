import { describe, expect, it } from 'vitest'
import { latencyMetric, NEVER_US, pooledMetric, shareMetric } from '../../../src/quality/unified/metric-kinds.js'
import { medianRank, p90Rank } from '../../../src/quality/unified/rank.js'

const FIGURE = { subset: 'candor_turn_taking', metric: 'response_latency_s' }

it('ranks of the median and of p90', () => {
  expect([1, 2, 3, 4, 5].map(medianRank)).toEqual([1, 1, 2, 2, 3])
  expect([1, 9, 10, 11, 20, 21].map(p90Rank)).toEqual([1, 9, 9, 10, 18, 19])
})

describe('a share', () => {
  it.each([
    [0, 10, [0, 0.2775327999]],
    [10, 10, [0.7224672001, 1]],
    [2, 3, [0.2076596008, 0.9385080553]],
  ])('%i of %i', (count, n, expected) => {
    const { interval } = shareMetric({ count, n, unknown: 0, selected: n })
    expect(interval?.map((end) => Number(end.toFixed(10)))).toEqual(expected)
  })

  it('of nothing has no value, and its bounds say that nothing is known', () => {
    expect(shareMetric({ count: 0, n: 0, unknown: 4, selected: 4 })).toEqual({
      value: null,
      interval: null,
      count: 0,
      n: 0,
      selected_bounds: [0, 1],
    })
  })
})

describe('a latency', () => {
  it('without samples is no data, which is not the same as never', () => {
    expect(latencyMetric(FIGURE, [])).toEqual({ value: null, interval: null, p90: null, n: 0 })
    const never = { value: 'not_reached', interval: ['not_reached', 'not_reached'], p90: 'not_reached', n: 1 }
    expect(latencyMetric(FIGURE, [NEVER_US])).toEqual(never)
  })

  it('does not depend on the order of the samples', () => {
    const latencies = [900_000, NEVER_US, 400_000, 700_000, NEVER_US]
    expect(latencyMetric(FIGURE, latencies.toReversed())).toEqual(latencyMetric(FIGURE, latencies))
  })

  it('has an interval where the resampled medians lie', () => {
    // The median of 101 distinct values: its 95% interval by order statistics is the 41st to the 61st.
    const { interval } = latencyMetric(
      FIGURE,
      Array.from({ length: 101 }, (_, index) => (index + 1) * 1_000_000),
    )
    expect(interval?.[0]).toBeGreaterThanOrEqual(38)
    expect(interval?.[0]).toBeLessThanOrEqual(43)
    expect(interval?.[1]).toBeGreaterThanOrEqual(59)
    expect(interval?.[1]).toBeLessThanOrEqual(64)
  })
})

describe('a pooled ratio', () => {
  it('divides sums, and resamples whole samples', () => {
    const parts = [
      { numerator: 1, denominator: 1 },
      { numerator: 0, denominator: 3 },
    ]
    expect(pooledMetric(FIGURE, { parts, scale: 'count' })).toEqual({
      value: 0.25,
      interval: [0, 1],
      n: 2,
      numerator: 1,
      denominator: 4,
    })
  })

  it('leaves out resamples without a denominator, and has no value without any', () => {
    const empty = { numerator: 0, denominator: 0 }
    const parts = [empty, { numerator: 1_000_000, denominator: 2_000_000 }]
    expect(pooledMetric(FIGURE, { parts, scale: 'seconds' })).toMatchObject({ value: 0.5, interval: [0.5, 0.5] })
    expect(pooledMetric(FIGURE, { parts: [empty], scale: 'seconds' })).toMatchObject({ value: null, interval: null })
  })
})
