/** The order of ids and file names: one order on every machine, whatever its language settings. */

/**
 * Compares two names: whole numbers by their value and before everything else, other names part by part, digits by value
 * and text by code unit. Names that are equal so far (`7`, `07`) are ordered by code unit.
 * Source: docs/inputs.md, "Full-Duplex-Bench" (numeric ids numerically, before the others).
 * @returns negative, zero (for equal strings only) or positive, for `sort`
 */
export function compareNatural(a: string, b: string): number {
  const isNumberA = /^\d+$/.test(a)
  if (isNumberA !== /^\d+$/.test(b)) return isNumberA ? -1 : 1
  const partsA = a.match(/\d+|\D+/g) ?? []
  const partsB = b.match(/\d+|\D+/g) ?? []
  for (const [index, partA] of partsA.entries()) {
    const partB = partsB[index]
    if (partB === undefined) return 1
    const order = /^\d/.test(partA) && /^\d/.test(partB) ? compareDigits(partA, partB) : compareCodeUnits(partA, partB)
    if (order !== 0) return order
  }
  return partsA.length - partsB.length || compareCodeUnits(a, b)
}

/** Of any length, so by string: a number without leading zeros is larger when it is longer. */
function compareDigits(a: string, b: string): number {
  const [digitsA, digitsB] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return digitsA.length - digitsB.length || compareCodeUnits(digitsA, digitsB)
}

function compareCodeUnits(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
