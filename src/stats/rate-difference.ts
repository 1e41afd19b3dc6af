/** By how much a rate changed, when the trials of a cluster succeed and fail together. */
import { type RateInterval, wilsonInterval } from './binomial-interval.js'
import { clusteredBounds } from './clustered-rate.js'
import { clustersWithTrials, type RateCluster, totalsOf } from './rate-cluster.js'

/**
 * 95% interval of `rate of new - rate of old`: Newcombe's hybrid score interval at the effective numbers of trials. Both
 * sides take the larger of the two design effects, since a side where nothing failed shows none of its own. It keeps its
 * width when neither side has a success: a bootstrap would have none.
 * @returns undefined when a side has no trials
 * Sources: Newcombe (1998), method 10; design effect as in docs/metrics.md, "Bounds of the miss rate".
 */
export function rateDifferenceInterval95(sides: {
  old: readonly RateCluster[]
  new: readonly RateCluster[]
}): RateInterval | undefined {
  const old = totalsOf(clustersWithTrials(sides.old))
  const fresh = totalsOf(clustersWithTrials(sides.new))
  if (old.trials === 0 || fresh.trials === 0) return undefined
  const designEffect = Math.max(
    clusteredBounds(sides.old)?.designEffect ?? 1,
    clusteredBounds(sides.new)?.designEffect ?? 1,
  )
  const a = scored(old, designEffect)
  const b = scored(fresh, designEffect)
  const difference = b.rate - a.rate
  return {
    low: Math.max(-1, difference - Math.hypot(b.rate - b.low, a.high - a.rate)),
    high: Math.min(1, difference + Math.hypot(b.high - b.rate, a.rate - a.low)),
  }
}

function scored({ trials, successes }: RateCluster, designEffect: number) {
  const interval = wilsonInterval({ successes: successes / designEffect, trials: trials / designEffect })
  const rate = successes / trials
  return { rate, low: interval?.low ?? rate, high: interval?.high ?? rate }
}
