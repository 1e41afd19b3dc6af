/** How often a difference at least this large comes about when there is none. */
import type { SeededRandom } from './random.js'
import type { TwoSampleDesign } from './two-sample-design.js'

/** A p-value this well known is known well enough: its relative error is a tenth. */
const EXCEEDANCES_ENOUGH = 100
/** Arrangements that give the same difference on paper must not be told apart by rounding. */
const RELATIVE_TIE = 1e-9

/**
 * Two-sided p-value of an observed difference, by dealing the sides of the design again. It holds for any number of
 * clusters and however the values inside a cluster hang together, as long as sides and runs could have been swapped.
 * Ends early once 100 arrangements were as extreme.
 * @param options.differenceOf the difference, new minus old, under these sides; NaN, where a side is empty, counts as extreme
 * @param options.permutations at most so many; 1 / (permutations + 1) is the least p-value
 * @returns above 0, at most 1
 * Sources: Fisher (1935); Phipson and Smyth (2010), never 0; Besag and Clifford (1991), the early end.
 */
export function permutationPValue(options: {
  observed: number
  differenceOf: (sides: Uint8Array) => number
  design: TwoSampleDesign
  permutations: number
  random: SeededRandom
}): number {
  const { observed, differenceOf, design, permutations, random } = options
  const limit = Math.abs(observed) * (1 - RELATIVE_TIE)
  if (limit === 0) return 1
  const sides = design.sides.slice()
  let asExtreme = 0
  for (let done = 1; done <= permutations; done++) {
    design.deal(random, sides)
    if (!(Math.abs(differenceOf(sides)) < limit)) asExtreme += 1
    if (asExtreme === EXCEEDANCES_ENOUGH) return asExtreme / done
  }
  return (asExtreme + 1) / (permutations + 1)
}
