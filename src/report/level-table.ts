/** The level table of docs/metrics.md, section 7, for a terminal and for Markdown. Reads results, measures nothing. */
import Table from 'cli-table3'
import type { Distribution } from '../metrics/distribution.js'
import type { LevelRow } from '../metrics/level-row.js'
import type { ServingLevel } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'

interface Column {
  readonly title: string
  readonly cell: (row: ServingLevel) => string
  /** Shown only where some row has something to say. */
  readonly isOptional?: (rows: readonly ServingLevel[]) => boolean
}

const isAnyNative = (rows: readonly ServingLevel[]) => rows.some(({ mode }) => mode === 'native')
const isAnyTurnBased = (rows: readonly ServingLevel[]) => rows.some(({ mode }) => mode === 'turn_based')
const isMixed = (rows: readonly ServingLevel[]) => new Set(rows.map(({ profile }) => profile)).size > 1

const COLUMNS: readonly Column[] = [
  { title: 'profile', cell: (row) => row.profile, isOptional: isMixed },
  { title: 'concur-\nrency', cell: (row) => levelName(row) },
  { title: 'sessions\nok', cell: (row) => `${row.sessions_succeeded}/${row.sessions_attempted}` },
  { title: 'mean\nopen', cell: (row) => number(row.mean_open, 2) },
  { title: 'peak\nfull', cell: (row) => String(row.peak_complete_streams) },
  { title: 'failed', cell: (row) => String(row.sessions_failed) },
  {
    title: 'denied\n(retried)',
    cell: (row) => `${row.denied}${row.admission_retries > 0 ? ` (${row.admission_retries})` : ''}`,
  },
  { title: 'pacing\nviol.', cell: (row) => String(row.pacing_violations) },
  { title: 'unit miss', cell: unitMiss, isOptional: isAnyNative },
  {
    title: 'unit lag ms\np50 p90 p95 p99 max',
    cell: (row) => milliseconds(row.unit_lag_s, ['p50', 'p90', 'p95', 'p99', 'max']),
    isOptional: isAnyNative,
  },
  { title: 'first audio ms\np50 p90 p99', cell: (row) => milliseconds(row.first_audio_s, ['p50', 'p90', 'p99']) },
  {
    title: 'buffer needed ms\np50 p90 p99 max',
    cell: (row) => milliseconds(row.buffer_needed_s, ['p50', 'p90', 'p99', 'max']),
  },
  { title: 'underrun\nreplies', cell: (row) => `${row.underrun_replies}/${row.replies_with_audio}` },
  { title: 'RTF\np90', cell: (row) => number(row.rtf?.p90 ?? null, 2), isOptional: isAnyTurnBased },
  { title: 'meets\ntargets', cell: meetsTargets },
]

const MISSED_SHORT: Record<string, string> = {
  sessions_failed: 'failed',
  denied: 'denied',
  pacing_violations: 'pacing',
  unit_miss_rate: 'unit miss',
  rtf_p90: 'RTF',
}

/** The table as text. Without colour it is plain ASCII-art free of escape codes. */
export function terminalTable(rows: readonly ServingLevel[], { colour }: { colour: boolean }): string {
  const columns = columnsFor(rows)
  const table = new Table({
    head: columns.map(({ title }) => title),
    style: { head: colour ? ['bold'] : [], border: colour ? ['grey'] : [], compact: true },
    colAligns: columns.map((_, index) => (index === columns.length - 1 ? 'left' : 'right')),
  })
  for (const row of rows) {
    table.push(columns.map((column) => paint(column.cell(row), column, row, colour)))
  }
  return table.toString()
}

/** The same cells as a Markdown table. */
export function markdownTable(rows: readonly ServingLevel[]): string {
  const columns = columnsFor(rows)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(({ title }) => title.replace('concur-\nrency', 'concurrency').replace(/\n/g, ' '))),
    line(columns.map((_, index) => (index === columns.length - 1 ? ':--' : '--:'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row).replace(/\n/g, ', ')))),
  ].join('\n')
}

function columnsFor(rows: readonly ServingLevel[]): Column[] {
  return COLUMNS.filter(({ isOptional }) => isOptional === undefined || isOptional(rows))
}

function levelName(row: ServingLevel): string {
  return row.repeat > 1 ? `${row.concurrency} r${row.repeat}` : String(row.concurrency)
}

function unitMiss(row: LevelRow): string {
  if (row.units_expected === null || row.units_missed === null) return '-'
  return `${row.units_missed}/${row.units_expected}\n${row.unit_miss_rate === null ? '-' : percent(row.unit_miss_rate)}`
}

function meetsTargets(row: LevelRow): string {
  if (!row.valid) return `invalid${row.missed_targets.length > 0 ? `\n${missed(row)}` : ''}`
  return row.meets_targets ? 'yes' : `no:\n${missed(row)}`
}

function missed(row: LevelRow): string {
  return row.missed_targets.map((target) => MISSED_SHORT[target] ?? target).join('\n')
}

function milliseconds(distribution: Distribution | null, keys: readonly (keyof Distribution)[]): string {
  if (distribution === null) return '-'
  return keys.map((key) => Math.round((distribution[key] ?? 0) * 1000)).join(' ')
}

function number(value: number | null, digits: number): string {
  return value === null ? '-' : value.toFixed(digits)
}

function paint(text: string, column: Column, row: LevelRow, colour: boolean): string {
  if (!colour || column.cell !== meetsTargets) return text
  const code = row.meets_targets ? 32 : row.valid ? 31 : 33
  return text
    .split('\n')
    .map((line) => `\u001b[${code}m${line}\u001b[39m`)
    .join('\n')
}
