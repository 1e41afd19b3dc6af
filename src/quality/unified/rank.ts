/**
 * Which order statistic is a quantile: the `ceil(q n)`-th smallest, counted from 1 and computed in whole numbers, without
 * interpolation. So the q-quantile of latencies is at most k exactly when the share within k is at least q.
 * Source: docs/metrics.md, "Unified turn-taking metrics", quantiles.
 */

/** `ceil(n / 2)`: of an even number the lower middle one. */
export function medianRank(count: number): number {
  return Math.floor((count + 1) / 2)
}

/** `ceil(0.9 n)`. */
export function p90Rank(count: number): number {
  return Math.floor((9 * count + 9) / 10)
}
