/** Could the difference of two medians over the same samples come from nothing but which was called the later one? */
import { lowerMedian, type PairedTime } from './paired-quantiles.js'
import type { SeededRandom } from './random.js'

/**
 * Two-sided p-value of the difference of lower medians, by swapping before and after within random pairs. Times may be
 * infinite; a draw in which both medians are infinite shows no difference.
 * @param options.swaps how many times all pairs are dealt; 1 / (swaps + 1) is the least p-value
 * @returns 1 where the two medians are one
 * Source: Fisher (1935), the paired randomization test.
 */
export function pairedMedianPValue(options: {
  pairs: readonly PairedTime[]
  swaps: number
  random: SeededRandom
}): number {
  const { pairs, swaps, random } = options
  const first = Float64Array.from(pairs, ({ before }) => before)
  const second = Float64Array.from(pairs, ({ after }) => after)
  const observed = distance(first, second)
  if (!(observed > 0)) return 1
  let asFar = 1
  for (let done = 0; done < swaps; done++) {
    pairs.forEach(({ before, after }, index) => {
      const isSwapped = random.next() < 0.5
      first[index] = isSwapped ? after : before
      second[index] = isSwapped ? before : after
    })
    if (distance(first, second) >= observed * (1 - 1e-9)) asFar += 1
  }
  return asFar / (swaps + 1)
}

function distance(first: Float64Array, second: Float64Array): number {
  const a = lowerMedian(first.slice())
  const b = lowerMedian(second.slice())
  return a === b ? 0 : Math.abs(b - a)
}
