/**
 * The level table of docs/metrics.md, section 7: wide for a wide terminal and for Markdown, upright (levels side by side)
 * where the wide one does not fit. Reads results, measures nothing.
 */
import Table from 'cli-table3'
import type { Distribution } from '../metrics/distribution.js'
import type { LevelRow } from '../metrics/level-row.js'
import type { ServingLevel } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'

type Rows = readonly ServingLevel[]

export interface LevelColumn {
  readonly title: string
  readonly cell: (row: ServingLevel) => string
  /** The same figures one by one, for the upright table; the column itself where it holds one figure. */
  readonly parts?: readonly { readonly title: string; readonly cell: (row: ServingLevel) => string }[]
  /** Shown only where some row has something to say. */
  readonly isShown?: (rows: Rows) => boolean
}

const isAnyNative = (rows: Rows) => rows.some(({ mode }) => mode === 'native')
const isAnyTurnBased = (rows: Rows) => rows.some(({ mode }) => mode === 'turn_based')
const isMixed = (rows: Rows) => new Set(rows.map(({ profile }) => profile)).size > 1

const COLUMNS: readonly LevelColumn[] = [
  { title: 'profile', cell: (row) => row.profile, isShown: isMixed },
  { title: 'concurrency', cell: levelName },
  { title: 'sessions ok', cell: (row) => `${row.sessions_succeeded}/${row.sessions_attempted}` },
  { title: 'mean open', cell: (row) => number(row.mean_open, 2) },
  { title: 'peak full', cell: (row) => String(row.peak_complete_streams) },
  { title: 'failed', cell: (row) => String(row.sessions_failed) },
  { title: 'denied', cell: denied },
  { title: 'pacing viol.', cell: (row) => String(row.pacing_violations) },
  { title: 'unit miss', cell: unitMiss, isShown: isAnyNative },
  {
    ...percentiles('unit lag', (row) => row.unit_lag_s, ['p50', 'p90', 'p95', 'p99', 'max']),
    isShown: isAnyNative,
  },
  percentiles('first audio', (row) => row.first_audio_s, ['p50', 'p90', 'p99']),
  percentiles('buffer needed', (row) => row.buffer_needed_s, ['p50', 'p90', 'p99', 'max']),
  { title: 'underrun replies', cell: (row) => `${row.underrun_replies}/${row.replies_with_audio}` },
  { title: 'RTF p90', cell: (row) => number(row.rtf?.p90 ?? null, 2), isShown: isAnyTurnBased },
  { title: 'meets targets', cell: meetsTargets },
]

const MISSED_SHORT: Record<string, string> = {
  sessions_failed: 'failed',
  denied: 'denied',
  pacing_violations: 'pacing',
  unit_miss_rate: 'unit miss',
  rtf_p90: 'RTF',
}

export interface TableStyle {
  readonly colour: boolean
  /** Columns of the terminal; undefined where nothing limits them. */
  readonly width: number | undefined
}

/** The table as text. Without colour it is free of escape codes. */
export function terminalTable(rows: Rows, { colour, width }: TableStyle): string {
  const wide = wideTable(rows, colour)
  return width === undefined || plainWidth(wide) <= width ? wide : uprightTable(rows, colour)
}

/** The same cells as a Markdown table. */
export function markdownTable(rows: Rows): string {
  const columns = levelColumns(rows)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(({ title }) => title.replace('\n', ' '))),
    line(columns.map((_, index) => (index === columns.length - 1 ? ':--' : '--:'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row).replace(/\n/g, ', ')))),
  ].join('\n')
}

function wideTable(rows: Rows, colour: boolean): string {
  const columns = levelColumns(rows)
  const table = new Table({
    head: columns.map(({ title }) => (title.includes('\n') ? title : title.replace(' ', '\n'))),
    style: tableStyle(colour),
    colAligns: columns.map((_, index) => (index === columns.length - 1 ? 'left' : 'right')),
  })
  for (const row of rows) table.push(columns.map(({ cell }) => paint(cell(row), cell, row, colour)))
  return table.toString()
}

function uprightTable(rows: Rows, colour: boolean): string {
  const lines = levelColumns(rows).flatMap(({ title, cell, parts }) => parts ?? [{ title, cell }])
  const [first, ...rest] = lines
  if (first === undefined) return ''
  const table = new Table({
    head: [first.title, ...rows.map((row) => first.cell(row))],
    style: tableStyle(colour),
    colAligns: ['left', ...rows.map(() => 'right' as const)],
  })
  for (const { title, cell } of rest) table.push([title, ...rows.map((row) => paint(cell(row), cell, row, colour))])
  return table.toString()
}

export function tableStyle(colour: boolean) {
  return { head: colour ? ['bold'] : [], border: colour ? ['grey'] : [], compact: true }
}

/** The columns of docs/metrics.md, section 7, that these rows have something to say in. */
export function levelColumns(rows: Rows): LevelColumn[] {
  return COLUMNS.filter(({ isShown }) => isShown === undefined || isShown(rows))
}

function percentiles(
  name: string,
  of: (row: LevelRow) => Distribution | null,
  keys: readonly ('p50' | 'p90' | 'p95' | 'p99' | 'max')[],
): LevelColumn {
  const cell = (row: LevelRow, shown: readonly (keyof Distribution)[]) => {
    const distribution = of(row)
    if (distribution === null) return '-'
    return shown.map((key) => Math.round((distribution[key] ?? 0) * 1000)).join(' ')
  }
  return {
    title: `${name} ms\n${keys.join(' ')}`,
    cell: (row) => cell(row, keys),
    parts: keys.map((key) => ({ title: `${name} ${key} ms`, cell: (row) => cell(row, [key]) })),
  }
}

/** Concurrency, with the repeat where it is not the first. */
export function levelName(row: ServingLevel): string {
  return row.repeat > 1 ? `${row.concurrency} r${row.repeat}` : String(row.concurrency)
}

/** Refusals that a retry got past stand in brackets. */
function denied(row: LevelRow): string {
  return `${row.denied}${row.admission_retries > 0 ? ` (${row.admission_retries})` : ''}`
}

function unitMiss(row: LevelRow): string {
  if (row.units_expected === null || row.units_missed === null) return '-'
  const rate = row.unit_miss_rate === null ? '-' : percent(row.unit_miss_rate)
  return `${row.units_missed}/${row.units_expected} ${rate}`
}

function meetsTargets(row: LevelRow): string {
  const missed = row.missed_targets.map((target) => MISSED_SHORT[target] ?? target)
  if (!row.valid) return ['invalid', ...missed].join('\n')
  return row.meets_targets ? 'yes' : `no: ${missed.join('\n')}`
}

function number(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}

function paint(text: string, cell: LevelColumn['cell'], row: LevelRow, colour: boolean): string {
  if (!colour || cell !== meetsTargets) return text
  const code = row.meets_targets ? 32 : row.valid ? 31 : 33
  return text
    .split('\n')
    .map((line) => `\u001b[${code}m${line}\u001b[39m`)
    .join('\n')
}

export function plainWidth(table: string): number {
  const firstLine = table.slice(0, table.indexOf('\n'))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes have no width
  return firstLine.replace(/\u001b\[\d+m/g, '').length
}
