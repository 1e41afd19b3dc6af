/** Intervals for the rate behind `successes` of `trials` independent trials. */

import { assert } from '../base/errors.js'
import { betaQuantile } from './beta.js'

export interface RateInterval {
  readonly low: number
  readonly high: number
}

/** The 97.5% point of the standard normal distribution. */
const Z_975 = 1.959963984540054

/**
 * The two-sided 95% Wilson score interval, without continuity correction. Exactly 0 at the lower end when nothing
 * succeeded, exactly 1 at the upper end when everything did.
 * @param options.trials 0 or more, finite
 * @param options.successes 0 to `trials`
 * @returns undefined without trials
 * Source: Wilson (1927); Brown, Cai and DasGupta (2001), "the Wilson interval".
 */
export function wilsonInterval(options: { successes: number; trials: number }): RateInterval | undefined {
  const { successes, trials } = options
  assertCounts(options)
  if (trials === 0) return undefined
  const rate = successes / trials
  const squarePerTrial = (Z_975 * Z_975) / trials
  const center = rate + squarePerTrial / 2
  const halfWidth = Math.sqrt(squarePerTrial * (rate * (1 - rate) + squarePerTrial / 4))
  return {
    low: successes === 0 ? 0 : (center - halfWidth) / (1 + squarePerTrial),
    high: successes === trials ? 1 : (center + halfWidth) / (1 + squarePerTrial),
  }
}

/**
 * Two one-sided Clopper-Pearson bounds, each at 95%; together they are a 90% interval. The rate lies above `high`
 * with a chance of at most 5%, and below `low` with a chance of at most 5%.
 * @param options.trials 0 or more, finite; a fraction where it is an effective number of trials
 * @param options.successes 0 to `trials`; may be a fraction likewise
 * @returns undefined without trials
 * Source: docs/metrics.md, "Bounds of the miss rate": upper `BetaInv(0.95; x + 1, n - x)`, lower `BetaInv(0.05; x, n
 * - x + 1)`.
 */
export function clopperPearsonOneSided95(options: { successes: number; trials: number }): RateInterval | undefined {
  const { successes, trials } = options
  assertCounts(options)
  if (trials === 0) return undefined
  const failures = trials - successes
  return {
    low: successes === 0 ? 0 : betaQuantile({ p: 0.05, a: successes, b: failures + 1 }),
    high: failures === 0 ? 1 : betaQuantile({ p: 0.95, a: successes + 1, b: failures }),
  }
}

function assertCounts({ successes, trials }: { successes: number; trials: number }): void {
  assert(Number.isFinite(trials) && successes >= 0 && successes <= trials, `${successes} successes in ${trials} trials`)
}
