/**
 * Bounds of a rate whose trials come in clusters. Units of one session fail together, so a thousand units of three
 * sessions say less than a thousand independent ones; the design effect is the factor by which less.
 */

import { assert } from '../base/errors.js'
import { clopperPearsonOneSided95, type RateInterval } from './binomial-interval.js'
import { clustersWithTrials, type RateCluster, totalsOf } from './rate-cluster.js'

export interface ClusteredBounds extends RateInterval {
  /** 1 when trials of one cluster are as independent as trials of different ones; never less. */
  readonly designEffect: number
  /** Trials divided by the design effect; a fraction as a rule. */
  readonly effectiveTrials: number
}

/** More further clusters than this are no answer that anybody could act on. */
export const FURTHER_CLUSTERS_MAX = 2 ** 30

/**
 * One-sided 95% Clopper-Pearson bounds of the rate at the effective number of trials, as `clopperPearsonOneSided95`
 * has them.
 * @param clusters any order; those without trials are left out, as if they had not been there
 * @returns undefined when no cluster has trials
 * Source: docs/metrics.md, "Bounds of the miss rate".
 */
export function clusteredBounds(clusters: readonly RateCluster[]): ClusteredBounds | undefined {
  const used = clustersWithTrials(clusters)
  const totals = totalsOf(used)
  const designEffect = designEffectOf(used)
  const bounds = boundsAt(totals, designEffect)
  return bounds && { ...bounds, designEffect, effectiveTrials: totals.trials / designEffect }
}

/**
 * How many further clusters it takes until a bound settles against `limit`, if they have the same rate, the same mean
 * number of trials and the same design effect as those seen: until the upper bound is at most the limit where the
 * rate is below it, until the lower bound is above the limit where the rate is.
 * @param options.limit 0 to 1
 * @returns the least such number, 0 when a bound has settled already; null when none will do, because the rate is the
 *   limit or there is no data, and when more than `FURTHER_CLUSTERS_MAX` would be needed
 * Source: docs/metrics.md, "Bounds of the miss rate".
 */
export function furtherClustersToSettle(options: { clusters: readonly RateCluster[]; limit: number }): number | null {
  const { limit } = options
  assert(limit >= 0 && limit <= 1, `limit is ${limit}; it must lie between 0 and 1`)
  const used = clustersWithTrials(options.clusters)
  const seen = totalsOf(used)
  const designEffect = designEffectOf(used)

  const isSettledAfter = (further: number): boolean => {
    const growth = (used.length + further) / used.length
    const bounds = boundsAt({ trials: seen.trials * growth, successes: seen.successes * growth }, designEffect)
    return bounds !== undefined && (bounds.high <= limit || bounds.low > limit)
  }

  if (used.length === 0) return null
  if (isSettledAfter(0)) return 0
  if (seen.successes / seen.trials === limit) return null
  let settledAt = 1
  while (!isSettledAfter(settledAt)) {
    settledAt *= 2
    if (settledAt > FURTHER_CLUSTERS_MAX) return null
  }
  let openAt = Math.floor(settledAt / 2)
  while (settledAt - openAt > 1) {
    const middle = openAt + Math.floor((settledAt - openAt) / 2)
    if (isSettledAfter(middle)) settledAt = middle
    else openAt = middle
  }
  return settledAt
}

function boundsAt(totals: RateCluster, designEffect: number): RateInterval | undefined {
  return clopperPearsonOneSided95({ successes: totals.successes / designEffect, trials: totals.trials / designEffect })
}

/**
 * 1 plus the correlation of trials within a cluster times the trial-weighted mean cluster size less 1. The
 * correlation is the analysis-of-variance estimate, never below 0. 1 when there is nothing to compare: fewer than two
 * clusters, or one outcome.
 */
function designEffectOf(clusters: readonly RateCluster[]): number {
  const { trials, successes } = totalsOf(clusters)
  if (clusters.length < 2 || successes === 0 || successes === trials) return 1
  const rate = successes / trials
  let sumOfSquares = 0
  let between = 0
  let within = 0
  for (const cluster of clusters) {
    const own = cluster.successes / cluster.trials
    sumOfSquares += cluster.trials ** 2
    between += cluster.trials * (own - rate) ** 2
    within += cluster.trials * own * (1 - own)
  }
  const meanSize = sumOfSquares / trials
  const betweenSquare = between / (clusters.length - 1)
  const withinSquare = trials === clusters.length ? 0 : within / (trials - clusters.length)
  const adjustedSize = (trials - meanSize) / (clusters.length - 1)
  const spread = betweenSquare + (adjustedSize - 1) * withinSquare
  const correlation = spread > 0 ? Math.max(0, (betweenSquare - withinSquare) / spread) : 0
  return Math.max(1, 1 + (meanSize - 1) * correlation)
}
