/** Tables as text: the first column to the left, numbers to the right. */

/**
 * @param title stands above
 * @param rows the first one is the head; numbers and texts, undefined for what was not measured
 */
export function table(title, rows) {
  const cells = rows.map((row) => row.map(cell))
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  )
  return `${title}\n${lines.map((line) => `  ${line}`).join('\n')}\n`
}

function cell(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '–'
  if (typeof value !== 'number') return String(value)
  if (Number.isInteger(value)) return String(value)
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3)
}

/** `3.2×`, or undefined. */
export function times(value) {
  return value === undefined ? undefined : `${value.toFixed(value < 10 ? 1 : 0)}×`
}
