/** Many comparisons at once: p-values that may be held against one limit all the same. */

/**
 * Holm's adjusted p-values: rejecting those at or below 5% falsely rejects anything at all with a chance of at most 5%,
 * whatever the comparisons have to do with one another.
 * @returns in the order given, each at least its own p-value and at most 1
 * Source: Holm (1979); as R `p.adjust(method = "holm")`.
 */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const order = pValues
    .map((_, index) => index)
    .sort((a, b) => (pValues[a] as number) - (pValues[b] as number) || a - b)
  const adjusted = new Array<number>(pValues.length)
  let highest = 0
  order.forEach((index, rank) => {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * (pValues[index] as number)))
    adjusted[index] = highest
  })
  return adjusted
}
