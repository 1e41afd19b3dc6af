/** Do several runs agree on one rate? Tests of tables with two columns, successes and failures. */

import { assert } from '../base/errors.js'
import { regularizedUpperGamma } from './gamma.js'
import { clustersWithTrials, type RateCluster, totalsOf } from './rate-cluster.js'

export interface OverDispersion {
  /** Chance of a disagreement at least this large if all runs had one rate. */
  readonly pValue: number
  readonly test: 'fisher' | 'chi-square'
  /** The runs disagree more than their trials allow: `pValue` is below `OVER_DISPERSION_P`. */
  readonly isFlagged: boolean
}

/** Chosen in docs/metrics.md, "Uncertainty". */
export const OVER_DISPERSION_P = 0.01

/**
 * Tables whose probabilities differ by less than this count as equally likely: mirrored tables must not be told apart
 * by rounding.
 */
const RELATIVE_TIE = 1e-7

/**
 * Whether repeats of one level disagree more than their trials allow. Fisher's exact test for two runs, Pearson's
 * chi-square test without continuity correction for more. The trials are taken as independent, so runs of few long
 * clusters are flagged more readily than they deserve.
 * @param runs any order; those without trials are left out
 * @returns undefined for fewer than two runs with trials; a p-value of 1 when every trial had one outcome
 * Source: docs/metrics.md, "over-dispersion".
 */
export function overDispersion(runs: readonly RateCluster[]): OverDispersion | undefined {
  const [first, second, ...others] = clustersWithTrials(runs)
  if (first === undefined || second === undefined) return undefined
  const test = others.length === 0 ? 'fisher' : 'chi-square'
  const pValue = test === 'fisher' ? fisherOfRuns(first, second) : pearsonOfRuns([first, second, ...others])
  return { pValue, test, isFlagged: pValue < OVER_DISPERSION_P }
}

function fisherOfRuns(first: RateCluster, second: RateCluster): number {
  return fisherExactTwoSided({
    a: first.successes,
    b: first.trials - first.successes,
    c: second.successes,
    d: second.trials - second.successes,
  })
}

function pearsonOfRuns(runs: readonly RateCluster[]): number {
  const { trials, successes } = totalsOf(runs)
  if (successes === 0 || successes === trials) return 1
  const rate = successes / trials
  let statistic = 0
  for (const run of runs) statistic += (run.successes - run.trials * rate) ** 2 / (run.trials * rate * (1 - rate))
  return chiSquareSurvival({ statistic, degreesOfFreedom: runs.length - 1 })
}

/**
 * Fisher's exact test of the table with rows `a b` and `c d`, two-sided: the summed probability of all tables with
 * the same margins that are at most as likely as this one. 1 when a margin is 0.
 * @param table whole numbers, 0 or more
 * Source: R `fisher.test`, scipy `fisher_exact`. Probabilities are ratios to that of the likeliest table, since
 * differences of log-factorials are too coarse for ties from about a million trials.
 */
export function fisherExactTwoSided(table: { a: number; b: number; c: number; d: number }): number {
  const { a, b, c, d } = table
  for (const count of [a, b, c, d]) assert(Number.isSafeInteger(count) && count >= 0, `table has a count of ${count}`)
  const { weights, least } = hypergeometricWeights({ firstRow: a + b, secondRow: c + d, firstColumn: a + c })
  const limit = (weights[a - least] ?? 0) * (1 + RELATIVE_TIE)
  let total = 0
  let asUnlikely = 0
  for (const weight of weights) {
    total += weight
    if (weight <= limit) asUnlikely += weight
  }
  return asUnlikely / total
}

/** Weights of every possible upper left count, from the least up, in units of the likeliest one's. */
function hypergeometricWeights(margins: { firstRow: number; secondRow: number; firstColumn: number }) {
  const { firstRow, secondRow, firstColumn } = margins
  const least = Math.max(0, firstColumn - secondRow)
  const most = Math.min(firstRow, firstColumn)
  const mode = Math.floor(((firstRow + 1) * (firstColumn + 1)) / (firstRow + secondRow + 2))
  const weights = new Float64Array(most - least + 1)
  // weight(k + 1) / weight(k)
  const ratio = (k: number) => ((firstRow - k) * (firstColumn - k)) / ((k + 1) * (secondRow - firstColumn + k + 1))
  weights[mode - least] = 1
  for (let k = mode; k < most; k++) weights[k + 1 - least] = (weights[k - least] as number) * ratio(k)
  for (let k = mode; k > least; k--) weights[k - 1 - least] = (weights[k - least] as number) / ratio(k - 1)
  return { weights, least }
}

/**
 * The chance that a chi-square variable is above `statistic`.
 * @param options.statistic 0 or more, finite
 * @param options.degreesOfFreedom above 0
 */
export function chiSquareSurvival(options: { statistic: number; degreesOfFreedom: number }): number {
  return regularizedUpperGamma({ a: options.degreesOfFreedom / 2, x: options.statistic / 2 })
}
