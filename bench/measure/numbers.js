/** Sums over measured values. */

/** The middle one; the lower of the two middle ones where their number is even. Undefined values are left out. */
export function median(values) {
  const sorted = values.filter((value) => value !== undefined && value !== null).sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

/** The median of each number that the records hold, nested records included. */
export function medians(records) {
  const [first] = records
  if (first === undefined) return {}
  return Object.fromEntries(
    Object.keys(first).flatMap((key) => {
      const values = records.map((record) => record[key])
      if (typeof first[key] === 'number') return [[key, median(values)]]
      if (typeof first[key] === 'object' && first[key] !== null) return [[key, medians(values)]]
      return []
    }),
  )
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

/** A quotient, or undefined where one side was not measured. */
export function ratio(over, under) {
  return over === undefined || under === undefined || under === 0 ? undefined : over / under
}
