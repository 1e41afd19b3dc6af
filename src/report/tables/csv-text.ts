/**
 * A table as CSV in UTF-8: fields with a comma, a quote or a line break are quoted (RFC 4180). Lines end with a line feed
 * alone, where the RFC has two characters: every reader takes it, and line tools find no carriage return in the last column.
 */
import type { Cell, Table } from './table.js'

/** Null is an empty field, empty text is `""`. */
export function csvText({ columns, rows }: Table): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((cells) => `${cells.map(fieldOf).join(',')}\n`).join('')
}

function fieldOf(cell: Cell): string {
  if (cell === null) return ''
  const text = String(cell)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
