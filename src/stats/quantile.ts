/**
 * `src/stats`: numbers in, numbers out. Nothing here knows a session, a unit or a level, reads a clock, or draws
 * randomness that was not passed in.
 */

import { assert } from '../base/errors.js'

declare const sortedBrand: unique symbol

/** Finite numbers in ascending order. Only `sortSamples` makes them, so a quantile can never see unsorted data. */
export type SortedSamples = readonly number[] & { readonly [sortedBrand]: true }

/**
 * A sorted copy.
 * @param values any order, any number of them; every one finite, or it throws: NaN sorts anywhere and infinity has no
 *   mean
 */
export function sortSamples(values: Iterable<number>): SortedSamples {
  const samples = Float64Array.from(values)
  for (const value of samples) assert(Number.isFinite(value), `sample is ${value}, not a finite number`)
  return Array.from(samples.sort()) as readonly number[] as SortedSamples
}

/**
 * The value below which a share `q` of the samples lies: linear interpolation between order statistics at position
 * `q (n - 1)`, counted from 0. The p95 of 1 to 20 is 19.05.
 * @param options.q 0 (the minimum) to 1 (the maximum)
 * @returns undefined when there is no sample, which is not the same as 0
 * Source: docs/metrics.md, "Level row"; Hyndman and Fan (1996), type 7.
 */
export function quantile(options: { sorted: SortedSamples; q: number }): number | undefined {
  const { sorted, q } = options
  assert(q >= 0 && q <= 1, `quantile is ${q}; it must lie between 0 and 1`)
  const position = q * (sorted.length - 1)
  const lowerIndex = Math.floor(position)
  const lower = sorted[lowerIndex]
  const upper = sorted[lowerIndex + 1]
  if (lower === undefined || upper === undefined) return sorted.at(-1)
  // Never above `upper`, even rounded: the fraction is below 1 and takes off more than rounding the difference can add.
  return lower + (upper - lower) * (position - lowerIndex)
}
