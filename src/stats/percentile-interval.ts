/** An interval from what was drawn again. */
import type { RateInterval } from './binomial-interval.js'

/**
 * The `ceil(0.025 m)`-th and the `ceil(0.975 m)`-th smallest of `m` drawn values: a 95% percentile interval. Values that are
 * no number, from draws that left a side empty, are left out.
 * @returns undefined where fewer than nine in ten draws gave a number
 * Source: Efron (1979), the percentile method.
 */
export function percentileInterval95(drawn: Float64Array): RateInterval | undefined {
  const sorted = drawn.filter((value) => !Number.isNaN(value)).sort()
  if (sorted.length === 0 || sorted.length < 0.9 * drawn.length) return undefined
  // In whole numbers, so that no rounding can move a rank.
  const low = sorted[Math.ceil(sorted.length / 40) - 1]
  const high = sorted[Math.ceil((39 * sorted.length) / 40) - 1]
  return low === undefined || high === undefined ? undefined : { low, high }
}
