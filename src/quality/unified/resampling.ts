/**
 * 95% percentile intervals of medians and of ratios of sums, by drawing whole samples: the parts of one sample are not
 * independent. Every subset and metric has a seed of its own, so that adding one moves no other.
 * Source: docs/metrics.md, "Unified turn-taking metrics", intervals; Efron (1979), the percentile method.
 */
import { assert } from '../../base/errors.js'
import { deriveSeed, seededRandom } from '../../stats/random.js'
import { medianRank } from './rank.js'

export const RESAMPLES = 2000
export const BOOTSTRAP_SEED = 0

/** Which figure is resampled. */
export interface FigureName {
  readonly subset: string
  readonly metric: string
}

/**
 * The interval of the median, the `ceil(n / 2)`-th smallest.
 * @param times may be infinite, not NaN; their order changes nothing
 * @returns undefined without times; ends may be infinite
 */
export function medianInterval(figure: FigureName, times: readonly number[]): readonly [number, number] | undefined {
  const count = times.length
  if (count === 0) return undefined
  const sorted = Float64Array.from(times).sort()
  const random = seedOf(figure)
  const rank = medianRank(count)
  const drawn = new Int32Array(count)
  const medians = new Float64Array(RESAMPLES)
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    drawn.fill(0)
    for (let draw = 0; draw < count; draw += 1) {
      const index = random.integer(count)
      drawn[index] = (drawn[index] as number) + 1
    }
    // The drawn values in order are the sorted ones, each as often as it was drawn.
    let index = 0
    for (let passed = drawn[0] as number; passed < rank; passed += drawn[index] as number) index += 1
    medians[resample] = sorted[index] as number
  }
  return percentileEnds(medians)
}

/**
 * The interval of `sum of numerators / sum of denominators`. Draws whose denominators sum to 0 have no ratio and are left
 * out.
 * @returns undefined where no draw has a ratio
 */
export function ratioInterval(
  figure: FigureName,
  parts: readonly { readonly numerator: number; readonly denominator: number }[],
): readonly [number, number] | undefined {
  const count = parts.length
  if (count === 0) return undefined
  const numerators = Float64Array.from(parts, ({ numerator }) => numerator)
  const denominators = Float64Array.from(parts, ({ denominator }) => denominator)
  const random = seedOf(figure)
  const ratios = new Float64Array(RESAMPLES)
  let kept = 0
  for (let resample = 0; resample < RESAMPLES; resample += 1) {
    let numerator = 0
    let denominator = 0
    for (let draw = 0; draw < count; draw += 1) {
      const index = random.integer(count)
      numerator += numerators[index] as number
      denominator += denominators[index] as number
    }
    if (denominator > 0) ratios[kept++] = numerator / denominator
  }
  return kept === 0 ? undefined : percentileEnds(ratios.subarray(0, kept))
}

/** The `ceil(0.025 m)`-th and the `ceil(0.975 m)`-th smallest of `m`, the ranks in whole numbers. */
function percentileEnds(values: Float64Array): readonly [number, number] {
  const sorted = values.sort()
  const low = sorted[Math.ceil(sorted.length / 40) - 1]
  const high = sorted[Math.ceil((39 * sorted.length) / 40) - 1]
  assert(low !== undefined && high !== undefined, 'there is a resample')
  return [low, high]
}

function seedOf({ subset, metric }: FigureName) {
  return seededRandom(deriveSeed(deriveSeed(BOOTSTRAP_SEED, subset), metric))
}
