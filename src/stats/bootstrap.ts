/** What a rate would look like if the same clusters had been drawn again. */

import { assert } from '../base/errors.js'
import type { RateInterval } from './binomial-interval.js'
import { seededRandom } from './random.js'
import { clustersWithTrials, type RateCluster } from './rate-cluster.js'

/**
 * The 95% percentile interval of `sum of successes / sum of trials` when whole clusters are drawn with replacement,
 * as many as there are. Its ends are the `ceil(0.025 m)`-th and the `ceil(0.975 m)`-th smallest of `m` resampled
 * rates. It has no width when all clusters have one rate, even with a single cluster, so it informs and never
 * decides.
 * @param options.clusters those without trials are left out; their order matters only to which seed gives which draw
 * @param options.resamples `m`, a whole number of at least 1; up to 40 the lower end is the minimum
 * @param options.seed as `seededRandom` takes it; the same seed gives the same interval
 * @returns undefined when no cluster has trials
 * Source: docs/metrics.md, "Uncertainty"; Efron (1979), the percentile method.
 */
export function clusterBootstrapRate(options: {
  clusters: readonly RateCluster[]
  resamples: number
  seed: number | string
}): RateInterval | undefined {
  const { resamples, seed } = options
  assert(
    Number.isSafeInteger(resamples) && resamples >= 1,
    `resamples is ${resamples}; it must be a whole number from 1`,
  )
  const clusters = clustersWithTrials(options.clusters)
  if (clusters.length === 0) return undefined
  const rates = resampledRates({ clusters, resamples, random: seededRandom(seed) }).sort()
  // 0.025 m and 0.975 m in whole numbers, so that no rounding can move a rank.
  return {
    low: orderStatistic(rates, Math.ceil(resamples / 40)),
    high: orderStatistic(rates, Math.ceil((39 * resamples) / 40)),
  }
}

function resampledRates(options: {
  clusters: readonly RateCluster[]
  resamples: number
  random: { integer(limit: number): number }
}): Float64Array {
  const { clusters, resamples, random } = options
  const count = clusters.length
  const trialsOf = Float64Array.from(clusters, ({ trials }) => trials)
  const successesOf = Float64Array.from(clusters, ({ successes }) => successes)
  const rates = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    let trials = 0
    let successes = 0
    for (let draw = 0; draw < count; draw++) {
      const index = random.integer(count)
      trials += trialsOf[index] as number
      successes += successesOf[index] as number
    }
    rates[resample] = successes / trials
  }
  return rates
}

/** The `rank`-th smallest, counted from 1. */
function orderStatistic(sorted: Float64Array, rank: number): number {
  const value = sorted[rank - 1]
  assert(value !== undefined, `order statistic ${rank} of ${sorted.length}`)
  return value
}
