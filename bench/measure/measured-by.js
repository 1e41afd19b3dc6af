/** A section whose measurement stands in a file of its own: its figures in a table, whatever they are called. */
import { table } from './table.js'

export async function measuredBy(title, { rounds, isQuick }, measure) {
  const results = await measure({ rounds, quick: isQuick })
  return { text: table(`${title}: median of ${rounds} rounds`, [['', ''], ...rowsOf(results)]), results }
}

function rowsOf(value, name = '') {
  if (typeof value !== 'object' || value === null) return [[name, value]]
  // Lists are the single rounds.
  if (Array.isArray(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => rowsOf(inner, name === '' ? key : `${name} ${key}`))
}
