/** A time of the same samples under two conditions: did its median move? Times may be infinite: it never happened. */

import { assert } from '../base/errors.js'
import { seededRandom } from './random.js'

export interface PairedTime {
  /** May be positive infinity; not NaN. */
  readonly before: number
  readonly after: number
}

export interface PairedMedians {
  readonly before: number
  readonly after: number
  /** `after - before`; undefined where both are infinite, since two unreached medians cannot be compared. */
  readonly difference: number | undefined
  /**
   * One-sided 95% bounds of the difference, together a 90% interval; ends may be infinite. Undefined like the difference, and
   * for fewer than `MEDIAN_PAIRS_MIN` pairs.
   */
  readonly bounds: { readonly low: number; readonly high: number } | undefined
}

/**
 * Fewer pairs cannot bound a median at 95%: all of them lie on one side of it with a chance of 0.5 to their number, which
 * is above 0.05. A bootstrap of one pair would be a point.
 */
export const MEDIAN_PAIRS_MIN = 5

/**
 * The medians of both conditions (the lower middle one, no interpolation) and a percentile bootstrap of their difference
 * that draws whole pairs. Draws in which both medians are infinite say nothing and are left out.
 * @param options.pairs at least one
 * @param options.resamples drawn, a whole number of at least 1
 * Source: docs/metrics.md, "Quality against load"; Efron (1979), the percentile method.
 */
export function pairedMedians(options: {
  pairs: readonly PairedTime[]
  resamples: number
  seed: number | string
}): PairedMedians {
  const { pairs, resamples, seed } = options
  assert(pairs.length > 0, 'there are pairs')
  for (const { before, after } of pairs) assert(!Number.isNaN(before) && !Number.isNaN(after), 'times are numbers')
  const beforeOf = Float64Array.from(pairs, ({ before }) => before)
  const afterOf = Float64Array.from(pairs, ({ after }) => after)
  const before = lowerMedian(beforeOf.slice())
  const after = lowerMedian(afterOf.slice())
  const difference = differenceOf(before, after)
  if (difference === undefined || pairs.length < MEDIAN_PAIRS_MIN) {
    return { before, after, difference, bounds: undefined }
  }
  const random = seededRandom(seed)
  const drawnBefore = new Float64Array(pairs.length)
  const drawnAfter = new Float64Array(pairs.length)
  const differences: number[] = []
  for (let resample = 0; resample < resamples; resample++) {
    for (let draw = 0; draw < pairs.length; draw++) {
      const index = random.integer(pairs.length)
      drawnBefore[draw] = beforeOf[index] as number
      drawnAfter[draw] = afterOf[index] as number
    }
    const drawn = differenceOf(lowerMedian(drawnBefore), lowerMedian(drawnAfter))
    if (drawn !== undefined) differences.push(drawn)
  }
  return { before, after, difference, bounds: boundsOf(differences) }
}

function boundsOf(differences: readonly number[]): PairedMedians['bounds'] {
  const sorted = Float64Array.from(differences).sort()
  const low = sorted[Math.ceil(sorted.length / 20) - 1]
  const high = sorted[Math.ceil((19 * sorted.length) / 20) - 1]
  return low === undefined || high === undefined ? undefined : { low, high }
}

/** The `ceil(n / 2)`-th smallest; sorts what it is given. */
function lowerMedian(values: Float64Array): number {
  return values.sort()[Math.ceil(values.length / 2) - 1] as number
}

function differenceOf(before: number, after: number): number | undefined {
  return before === after && !Number.isFinite(before) ? undefined : after - before
}
