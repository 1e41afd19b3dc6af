import { describe, expect, test } from 'vitest'
import { clusterBootstrapRate } from '../../src/stats/bootstrap.js'
import { seededRandom } from '../../src/stats/random.js'
import { type RateCluster, totalsOf } from '../../src/stats/rate-cluster.js'

const bootstrap = (pairs: readonly (readonly [number, number])[], resamples = 20_000, seed: number | string = 1) => {
  const clusters: RateCluster[] = pairs.map(([successes, trials]) => ({ successes, trials }))
  return clusterBootstrapRate({ clusters, resamples, seed })
}

describe('the bootstrap interval', () => {
  // All S^S draws enumerated in Python; the 2.5% and 97.5% points of their distribution. Rows are chosen so that each
  // point lies well inside one atom of it: at 20,000 draws the nearest edge of an atom is five standard errors away
  // or more.
  test.each([
    {
      name: 'draws whole clusters',
      clusters: [
        [10, 10],
        [0, 10],
        [0, 10],
      ],
      low: 0,
      high: 1,
    },
    {
      name: 'divides summed successes by summed trials',
      clusters: [
        [3, 30],
        [0, 20],
        [1, 60],
        [9, 45],
      ],
      low: 2 / 160,
      high: 27 / 155,
    },
  ] as const)('$name', ({ clusters, low, high }) => {
    expect(bootstrap(clusters)).toEqual({ low, high })
  })

  // unit_miss_bootstrap95 of test/vectors/serving/*/expected.json: both ranges are single values
  test.each([
    {
      level: '01',
      clusters: [
        [0, 2],
        [0, 1],
      ],
      low: 0,
      high: 0,
    },
    {
      level: '02',
      clusters: [
        [1, 2],
        [2, 2],
      ],
      low: 0.5,
      high: 1,
    },
    { level: '03', clusters: [[0, 1]], low: 0, high: 0 },
    { level: '04', clusters: [[1, 4]], low: 0.25, high: 0.25 },
    { level: '05', clusters: [[0, 5]], low: 0, high: 0 },
    {
      level: '08',
      clusters: [
        [0, 1],
        [0, 1],
      ],
      low: 0,
      high: 0,
    },
  ] as const)('lies in the ranges of recorded level $level', ({ clusters, low, high }) => {
    expect(bootstrap(clusters)).toEqual({ low, high })
  })

  test('leaves out clusters without trials', () => {
    expect(
      bootstrap([
        [1, 2],
        [0, 0],
        [2, 2],
      ]),
    ).toEqual(
      bootstrap([
        [1, 2],
        [2, 2],
      ]),
    )
  })

  // Ranks worked out by hand: m / 40 and 39 m / 40, rounded up.
  test.each([
    { resamples: 1, lowRank: 1, highRank: 1 },
    { resamples: 39, lowRank: 1, highRank: 39 },
    { resamples: 40, lowRank: 1, highRank: 39 },
    { resamples: 41, lowRank: 2, highRank: 40 },
    { resamples: 1000, lowRank: 25, highRank: 975 },
  ])('of $resamples resamples takes ranks $lowRank and $highRank', ({ resamples, lowRank, highRank }) => {
    const clusters = Array.from({ length: 9 }, (_, index) => ({ successes: index, trials: 8 + index ** 2 }))
    const random = seededRandom('ranks')
    const rates = Array.from({ length: resamples }, () => {
      const drawn = clusters.map(() => clusters[random.integer(clusters.length)] as RateCluster)
      const total = totalsOf(drawn)
      return total.successes / total.trials
    }).sort((a, b) => a - b)
    const expected = { low: rates[lowRank - 1], high: rates[highRank - 1] }
    expect(clusterBootstrapRate({ clusters, resamples, seed: 'ranks' })).toEqual(expected)
  })

  test('is the same for the same seed and another for another', () => {
    const rows = Array.from({ length: 30 }, (_, index) => [index % 7, 20 + index] as const)
    expect(bootstrap(rows, 500, 'a')).toEqual(bootstrap(rows, 500, 'a'))
    expect(bootstrap(rows, 500, 'a')).not.toEqual(bootstrap(rows, 500, 'b'))
  })

  test('does not exist without trials', () => {
    expect(bootstrap([])).toBeUndefined()
    expect(bootstrap([[0, 0]])).toBeUndefined()
  })

  test.each([0, 1.5, -3])('of %s resamples throws', (resamples) => {
    expect(() => bootstrap([[1, 2]], resamples)).toThrow('resamples')
  })
})
