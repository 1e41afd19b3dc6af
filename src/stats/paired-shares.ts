/** A yes or no of the same samples under two conditions: did the share of yes change? Only samples that differ can tell. */

import { assert } from '../base/errors.js'

export interface PairedCounts {
  /** Samples seen under both conditions. */
  readonly pairs: number
  /** Yes after, no before. */
  readonly gained: number
  /** No after, yes before. */
  readonly lost: number
}

/** The 95% point of the standard normal distribution: one-sided bounds. */
const Z_95 = 1.6448536269514722

export interface McNemar {
  /** Chance of at least so many gains among the samples that differ, if a gain were as likely as a loss. */
  readonly pGained: number
  /** Two-sided: twice the smaller tail, at most 1. */
  readonly pTwoSided: number
}

/**
 * McNemar's test in its exact binomial form. 1 where no sample differs.
 * Source: McNemar (1947); the exact form as in R `exact2x2::mcnemar.exact` and statsmodels `mcnemar(exact=True)`.
 */
export function exactMcNemar(counts: PairedCounts): McNemar {
  assertCounts(counts)
  const { gained, lost } = counts
  const differing = gained + lost
  const weights = binomialWeights(differing)
  let total = 0
  let upper = 0
  let lower = 0
  weights.forEach((weight, count) => {
    total += weight
    if (count >= gained) upper += weight
    if (count <= gained) lower += weight
  })
  return { pGained: upper / total, pTwoSided: Math.min(1, (2 * Math.min(upper, lower)) / total) }
}

/** Weights of 0 to `n` heads of a fair coin, in units of the likeliest count's. */
function binomialWeights(n: number): Float64Array {
  const weights = new Float64Array(n + 1)
  const mode = Math.floor(n / 2)
  weights[mode] = 1
  for (let k = mode; k < n; k++) weights[k + 1] = ((weights[k] as number) * (n - k)) / (k + 1)
  for (let k = mode; k > 0; k--) weights[k - 1] = ((weights[k] as number) * k) / (n - k + 1)
  return weights
}

/**
 * One-sided 95% bounds of `share after - share before`, by inverting the score test; together a 90% interval. It stays
 * wide when no sample differs: with 12 such pairs the bounds are ±0.184.
 * @returns undefined without pairs; bounds within [-1, 1] and around the difference seen
 * Source: Tango (1998), "Equivalence test and confidence interval for the difference in proportions for the
 * paired-sample design".
 */
export function pairedShareBounds95(
  counts: PairedCounts,
  z = Z_95,
): { readonly low: number; readonly high: number } | undefined {
  assertCounts(counts)
  const { pairs, gained, lost } = counts
  if (pairs === 0) return undefined
  const seen = (gained - lost) / pairs
  return {
    low: crossing({ from: -1, to: seen, isInside: (difference) => scoreOf(counts, difference) <= z }),
    high: -crossing({ from: -1, to: -seen, isInside: (difference) => scoreOf(counts, -difference) >= -z }),
  }
}

/** The smallest point from which all up to `to` lie inside; bisected to the last bit. */
function crossing(options: { from: number; to: number; isInside: (difference: number) => boolean }): number {
  let { from: outside, to: inside } = options
  if (options.isInside(outside)) return outside
  for (;;) {
    const middle = (outside + inside) / 2
    if (middle <= outside || middle >= inside) return inside
    if (options.isInside(middle)) inside = middle
    else outside = middle
  }
}

/** The score statistic at a supposed difference; falls as the difference grows. */
function scoreOf({ pairs: n, gained, lost }: PairedCounts, difference: number): number {
  const excess = gained - lost - n * difference
  // The share of losses that is likeliest when the difference is what is supposed.
  const b = -gained - lost + (2 * n - gained + lost) * difference
  const c = -lost * difference * (1 - difference)
  const lossShare = (Math.sqrt(Math.max(0, b * b - 8 * n * c)) - b) / (4 * n)
  const variance = n * (2 * lossShare + difference * (1 - difference))
  if (variance <= 0) return excess === 0 ? 0 : excess > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return excess / Math.sqrt(variance)
}

/**
 * How many pairs without any difference it takes until the upper bound is within `margin`: fewer can never show it.
 * @param margin above 0, below 1
 */
export function pairsToBound(margin: number): number {
  assert(margin > 0 && margin < 1, `margin is ${margin}; it must lie between 0 and 1`)
  return Math.ceil((Z_95 * Z_95 * (1 - margin)) / margin - 1e-9)
}

function assertCounts({ pairs, gained, lost }: PairedCounts): void {
  for (const count of [pairs, gained, lost]) assert(Number.isSafeInteger(count) && count >= 0, `a count is ${count}`)
  assert(gained + lost <= pairs, `${gained} gained and ${lost} lost of ${pairs} pairs`)
}
