import { describe, expect, it } from 'vitest'
import { holmAdjusted } from '../../src/stats/holm.js'
import { percentileInterval95 } from '../../src/stats/percentile-interval.js'
import { permutationPValue } from '../../src/stats/permutation-test.js'
import { PooledSamples } from '../../src/stats/pooled-samples.js'
import { quantile, sortSamples } from '../../src/stats/quantile.js'
import { seededRandom } from '../../src/stats/random.js'
import { rateDifferenceInterval95 } from '../../src/stats/rate-difference.js'
import { runAgreement } from '../../src/stats/run-agreement.js'
import { type DesignedCluster, type Side, twoSampleDesign } from '../../src/stats/two-sample-design.js'

/** As many pairs as asked for, one run on each side. */
const pairs = (count: number): DesignedCluster[] =>
  ([0, 1] as const).flatMap((side) => Array.from({ length: count }, (_, stratum) => ({ side, stratum, run: 0 })))

describe('quantiles of pooled samples', () => {
  it.each([0, 0.1, 0.5, 0.9, 0.95, 0.99, 1])('are those of each side by itself, q = %f', (q) => {
    const random = seededRandom(`pooled ${q}`)
    for (let round = 0; round < 30; round += 1) {
      // Ties, empty clusters and weights among them.
      const clusters = Array.from({ length: 9 }, () =>
        Array.from({ length: random.integer(5) }, () => random.integer(12)),
      )
      const sides = Uint8Array.from(clusters, (_, index) => (index < 5 ? 0 : 1))
      const weights = Int32Array.from(clusters, () => random.integer(4))
      const own = (side: number) =>
        quantile({
          sorted: sortSamples(
            clusters.flatMap((values, index) =>
              sides[index] === side ? Array.from({ length: weights[index] ?? 0 }, () => values).flat() : [],
            ),
          ),
          q,
        })
      const found = new PooledSamples(clusters).quantiles(q, sides, weights)
      for (const [value, side] of [
        [found.old, 0],
        [found.new, 1],
      ] as const) {
        const expected = own(side)
        if (expected === undefined) expect(value).toBeNaN()
        else expect(value).toBeCloseTo(expected, 12)
      }
    }
  })
})

describe('the design', () => {
  it.each([
    { name: 'three pairs', clusters: pairs(3), exchanged: 'clusters' as const, smallestP: 2 / 8 },
    {
      name: 'one stratum of two old and three new',
      clusters: [0, 0, 1, 1, 1].map((side) => ({ side: side as Side, stratum: 0, run: 0 })),
      exchanged: 'clusters' as const,
      smallestP: 1 / 10,
    },
    {
      name: 'two runs against two',
      clusters: [0, 1].flatMap((side) =>
        [0, 1].flatMap((run) =>
          pairs(4)
            .slice(0, 4)
            .map(({ stratum }) => ({ side: side as Side, stratum, run })),
        ),
      ),
      exchanged: 'runs' as const,
      smallestP: 2 / 6,
    },
    {
      name: 'strata of one side alone',
      clusters: [0, 1].map((side) => ({ side: side as Side, stratum: side, run: 0 })),
      exchanged: 'clusters' as const,
      smallestP: 1,
    },
  ])('$name: the least p-value is $smallestP', ({ clusters, exchanged, smallestP }) => {
    expect(twoSampleDesign(clusters, exchanged).smallestP).toBeCloseTo(smallestP, 12)
  })

  it('deals every arrangement of pairs equally often, and draws pairs together', () => {
    const design = twoSampleDesign(pairs(3), 'clusters')
    const random = seededRandom('deal')
    const sides = design.sides.slice()
    const seen = new Map<string, number>()
    for (let round = 0; round < 8000; round += 1) {
      design.deal(random, sides)
      seen.set(sides.join(''), (seen.get(sides.join('')) ?? 0) + 1)
    }
    expect(seen.size).toBe(8)
    expect(Math.min(...seen.values())).toBeGreaterThan(850)
    const weights = new Int32Array(6)
    design.draw(random, weights)
    expect(weights.slice(0, 3)).toEqual(weights.slice(3))
    expect(weights.slice(0, 3).reduce((sum, weight) => sum + weight, 0)).toBe(3)
  })

  it('keeps the clusters of a run on one side where runs are exchanged', () => {
    const clusters = [0, 1].flatMap((side) =>
      [0, 1].flatMap((run) => [0, 1, 2].map((stratum) => ({ side: side as Side, stratum, run }))),
    )
    const design = twoSampleDesign(clusters, 'runs')
    const sides = design.sides.slice()
    design.deal(seededRandom(3), sides)
    for (let run = 0; run < 4; run += 1) expect(new Set(sides.slice(3 * run, 3 * run + 3)).size).toBe(1)
  })
})

describe('the permutation test', () => {
  const pOf = (values: readonly number[][], seed: string) => {
    const clusters = pairs(values.length / 2)
    const design = twoSampleDesign(clusters, 'clusters')
    const pooled = new PooledSamples(values)
    return permutationPValue({
      observed: pooled.difference(0.5, design.sides),
      differenceOf: (sides) => pooled.difference(0.5, sides),
      design,
      permutations: 2000,
      random: seededRandom(seed),
    })
  }

  it('gives the chance of all pairs leaning one way', () => {
    const shifted = [...Array.from({ length: 6 }, (_, i) => [i]), ...Array.from({ length: 6 }, (_, i) => [i + 100])]
    // 2 of 64 arrangements.
    expect(pOf(shifted, 'six')).toBeGreaterThan(0.02)
    expect(pOf(shifted, 'six')).toBeLessThan(0.045)
    expect(pOf([...shifted.slice(0, 6), ...shifted.slice(0, 6)], 'same')).toBe(1)
  })

  it('keeps its error rate for values that hang together inside a session', () => {
    let rejected = 0
    for (let trial = 0; trial < 300; trial += 1) {
      const random = seededRandom(`null ${trial}`)
      // A level of its own for each session, and little beside it.
      const session = () => {
        const level = random.exponential(1)
        return Array.from({ length: 8 }, () => level + 0.01 * random.next())
      }
      if (pOf(Array.from({ length: 24 }, session), `trial ${trial}`) <= 0.05) rejected += 1
    }
    expect(rejected).toBeLessThanOrEqual(25)
  })
})

describe('the interval of a difference of rates', () => {
  const clusters = (successes: number, trials: number) =>
    Array.from({ length: trials }, (_, index) => ({ trials: 1, successes: index < successes ? 1 : 0 }))

  // Newcombe (1998), table II, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/20.
  it.each([
    { old: clusters(48, 80), new: clusters(56, 70), low: 0.0524, high: 0.3339 },
    { old: clusters(3, 10), new: clusters(9, 10), low: 0.1705, high: 0.809 },
    { old: clusters(0, 20), new: clusters(10, 10), low: 0.6791, high: 1 },
  ])('$low to $high', ({ old, new: fresh, low, high }) => {
    const found = rateDifferenceInterval95({ old, new: fresh })
    expect(found?.low).toBeCloseTo(low, 4)
    expect(found?.high).toBeCloseTo(high, 4)
  })

  it('has a width where nothing failed, and none without trials', () => {
    const found = rateDifferenceInterval95({ old: clusters(0, 100), new: clusters(0, 100) })
    expect(found?.low).toBeCloseTo(-0.037, 4)
    expect(rateDifferenceInterval95({ old: clusters(0, 0), new: clusters(0, 9) })).toBeUndefined()
  })

  it('covers the truth when trials of a session fail together', () => {
    let covered = 0
    for (let trial = 0; trial < 300; trial += 1) {
      const random = seededRandom(`clusters ${trial}`)
      // One session in six is bad, and then most of it is.
      const side = () =>
        Array.from({ length: 30 }, () => {
          const rate = random.next() < 1 / 6 ? 0.9 : 0.02
          const successes = Array.from({ length: 10 }, () => random.next() < rate).filter(Boolean).length
          return { trials: 10, successes }
        })
      const found = rateDifferenceInterval95({ old: side(), new: side() })
      if (found !== undefined && found.low <= 0 && found.high >= 0) covered += 1
    }
    expect(covered).toBeGreaterThanOrEqual(276)
  })
})

describe('the bootstrap of a quantile difference', () => {
  it('covers the truth about as often as it says', () => {
    let covered = 0
    for (let trial = 0; trial < 200; trial += 1) {
      const random = seededRandom(`cover ${trial}`)
      const session = () => {
        const level = random.exponential(1)
        return Array.from({ length: 6 }, () => level + random.next())
      }
      const pooled = new PooledSamples(Array.from({ length: 80 }, session))
      const design = twoSampleDesign(pairs(40), 'clusters')
      const weights = new Int32Array(80)
      const drawn = new Float64Array(400)
      for (let index = 0; index < drawn.length; index += 1) {
        design.draw(random, weights)
        drawn[index] = pooled.difference(0.9, design.sides, weights)
      }
      const found = percentileInterval95(drawn)
      if (found !== undefined && found.low <= 0 && found.high >= 0) covered += 1
    }
    expect(covered).toBeGreaterThanOrEqual(180)
  })

  it('is absent when too many draws left a side empty', () => {
    expect(percentileInterval95(Float64Array.from({ length: 40 }, (_, i) => (i < 5 ? Number.NaN : i)))).toBeUndefined()
    expect(percentileInterval95(Float64Array.from({ length: 40 }, (_, i) => i))).toEqual({ low: 0, high: 38 })
  })
})

describe('agreement of runs', () => {
  const level = (rates: readonly number[], seed: string) => {
    const random = seededRandom(seed)
    return rates.flatMap((rate, run) =>
      Array.from({ length: 20 }, (_, stratum) => ({
        side: 0 as const,
        stratum,
        run,
        trials: 10,
        successes: Array.from({ length: 10 }, () => random.next() < rate).filter(Boolean).length,
      })),
    )
  }

  it('is broken where one run is another world, and not where sessions differ', () => {
    expect(runAgreement(level([0.02, 0.2], 'apart'), seededRandom(1))).toMatchObject({ isBroken: true })
    expect(runAgreement(level([0.1, 0.1, 0.1], 'alike'), seededRandom(1))).toMatchObject({ isBroken: false })
    // The same bad session in both runs: the session, not the run.
    const bad = level([0, 0], 'none').map((cluster) => (cluster.stratum < 2 ? { ...cluster, successes: 10 } : cluster))
    expect(runAgreement(bad, seededRandom(1))).toEqual({ pValue: 1, isBroken: false })
  })

  it('is not asked of one run', () => {
    expect(runAgreement(level([0.5], 'one'), seededRandom(1))).toBeUndefined()
  })
})

describe('Holm', () => {
  it.each([
    // R: p.adjust(c(...), "holm")
    { p: [0.01, 0.04, 0.03, 0.005], adjusted: [0.03, 0.06, 0.06, 0.02] },
    { p: [0.5, 0.9], adjusted: [1, 1] },
    { p: [], adjusted: [] },
  ])('$p', ({ p, adjusted }) => {
    holmAdjusted(p).forEach((value, index) => {
      expect(value).toBeCloseTo(adjusted[index] ?? Number.NaN, 12)
    })
  })
})
