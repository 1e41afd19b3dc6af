import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusteredBounds, furtherClustersToSettle } from '../../src/stats/clustered-rate.js'
import type { RateCluster } from '../../src/stats/rate-cluster.js'
import { expectClose } from './close.js'

const cluster: fc.Arbitrary<RateCluster> = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([trials, share]) => ({ trials, successes: Math.round(trials * share) }))
const clusters = fc.array(cluster, { minLength: 1, maxLength: 12 }).filter((all) => all.some((one) => one.trials > 0))

const rateOf = (all: readonly RateCluster[]) =>
  all.reduce((sum, one) => sum + one.successes, 0) / all.reduce((sum, one) => sum + one.trials, 0)

test('the rate lies between its bounds, the effect is at least 1, and at least one effective trial remains', () => {
  fc.assert(
    fc.property(clusters, (all) => {
      const bounds = clusteredBounds(all)
      const rate = rateOf(all)
      expect(bounds?.low).toBeLessThanOrEqual(rate)
      expect(bounds?.high).toBeGreaterThanOrEqual(rate)
      expect(bounds?.designEffect).toBeGreaterThanOrEqual(1)
      expect(bounds?.effectiveTrials).toBeGreaterThanOrEqual(1 - 1e-12)
    }),
  )
})

test('the order of clusters changes nothing', () => {
  fc.assert(
    fc.property(clusters, (all) => {
      const forward = clusteredBounds(all)
      const backward = clusteredBounds(all.toReversed())
      expectClose(forward?.low, backward?.low, 1e-8)
      expectClose(forward?.high, backward?.high, 1e-8)
    }),
  )
})

test('failures are the mirror image of successes', () => {
  fc.assert(
    fc.property(clusters, (all) => {
      const mirrored = clusteredBounds(all.map(({ trials, successes }) => ({ trials, successes: trials - successes })))
      const bounds = clusteredBounds(all)
      expect(bounds?.low).toBeCloseTo(1 - (mirrored?.high as number), 9)
      expect(bounds?.high).toBeCloseTo(1 - (mirrored?.low as number), 9)
    }),
  )
})

test('a search by halves finds what counting up finds', () => {
  // Clusters of one size and one rate, so that further ones can be added for real; effect 1.
  const uniform = fc.record({
    count: fc.integer({ min: 1, max: 3 }),
    trials: fc.integer({ min: 1, max: 40 }),
    successes: fc.integer({ min: 0, max: 3 }),
    limit: fc.double({ min: 0.02, max: 0.5, noNaN: true }),
  })
  fc.assert(
    fc.property(uniform, ({ count, trials, successes, limit }) => {
      const one = { trials, successes: Math.min(successes, trials) }
      fc.pre(Math.abs(one.successes / trials - limit) > 0.05)
      const isSettled = (length: number) => {
        const bounds = clusteredBounds(Array.from({ length }, () => one))
        return bounds !== undefined && (bounds.high <= limit || bounds.low > limit)
      }
      let further = 0
      while (!isSettled(count + further)) further++
      expect(furtherClustersToSettle({ clusters: Array.from({ length: count }, () => one), limit })).toBe(further)
    }),
  )
})
