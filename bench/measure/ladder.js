/** Where on a ladder something stops to hold: the highest rung that holds, found with few trials. */

/** Rungs from `first` up, each above the one before by this factor. */
export function ladder(first, last, factor) {
  const rungs = [first]
  while (rungs.at(-1) < last) rungs.push(Math.round((rungs.at(-1) * factor) / 10) * 10)
  return rungs
}

/**
 * Doubles its stride from `from` until one rung holds and another does not, then halves what lies between.
 * @param holds asked at most once for each index
 * @returns index of the highest rung that held, -1 where none did
 */
export async function highestHolding({ rungs, from, holds }) {
  let [low, high] = [-1, rungs.length]
  let stride = 1
  let at = from
  while (high - low > 1) {
    if (await holds(rungs[at])) low = at
    else high = at
    if (low >= 0 && high < rungs.length) at = Math.floor((low + high) / 2)
    else {
      at = low >= 0 ? Math.min(rungs.length - 1, low + stride) : Math.max(0, high - stride)
      stride *= 2
    }
  }
  return low
}
