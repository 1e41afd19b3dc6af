/** Trials that belong together and so are not independent: the units of one session, the units of one run. */

import { assert } from '../base/errors.js'

export interface RateCluster {
  /** Whole number, 0 or more. */
  readonly trials: number
  /** Whole number from 0 to `trials`. What counts as a success is the caller's; for a miss rate it is a miss. */
  readonly successes: number
}

/**
 * Those clusters that have trials, in their order; throws when a count is not whole, is negative, or exceeds its
 * trials.
 */
export function clustersWithTrials(clusters: readonly RateCluster[]): RateCluster[] {
  for (const { trials, successes } of clusters) {
    const isCount = Number.isSafeInteger(trials) && Number.isSafeInteger(successes)
    assert(isCount && successes >= 0 && successes <= trials, `cluster has ${successes} successes in ${trials} trials`)
  }
  return clusters.filter(({ trials }) => trials > 0)
}

/** Sums over all clusters. */
export function totalsOf(clusters: readonly RateCluster[]): RateCluster {
  let trials = 0
  let successes = 0
  for (const cluster of clusters) {
    trials += cluster.trials
    successes += cluster.successes
  }
  return { trials, successes }
}
