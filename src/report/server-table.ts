/** The server's own series beside the levels: mean and highest value of each. Reads results, measures nothing. */
import Table from 'cli-table3'
import type { SeriesSummary } from '../sweep/server-metrics/level-evidence.js'
import { isSaturated } from '../sweep/server-metrics/saturation.js'
import type { ServingLevel } from '../sweep/serving-result.js'
import { levelName, tableStyle } from './level-table.js'

export interface SeriesRow {
  readonly series: string
  /** For each level, in their order; undefined where it has none. */
  readonly levels: readonly (SeriesSummary | undefined)[]
}

export function hasServerMetrics(levels: readonly ServingLevel[]): boolean {
  return levels.some(({ server_metrics: evidence }) => (evidence?.series.length ?? 0) > 0)
}

/** Series that some level has, those that tell of fullness first. */
export function seriesRows(levels: readonly ServingLevel[]): SeriesRow[] {
  const found = new Map<string, SeriesSummary>()
  for (const { server_metrics: evidence } of levels) {
    for (const summary of evidence?.series ?? []) {
      const key = keyOf(summary)
      if (!found.has(key)) found.set(key, summary)
    }
  }
  return [...found.entries()]
    .sort(([a, left], [b, right]) => rank(left) - rank(right) || (a < b ? -1 : 1))
    .map(([key, { series, is_rate: isRate }]) => ({
      series: isRate ? `${series} per s` : series,
      levels: levels.map(({ server_metrics: evidence }) => evidence?.series.find((summary) => keyOf(summary) === key)),
    }))
}

export function serverTable(levels: readonly ServingLevel[], colour: boolean): string {
  const table = new Table({
    head: ['server (mean, max)', ...levels.map((row) => `level ${levelName(row)}`)],
    style: tableStyle(colour),
    colAligns: ['left', ...levels.map(() => 'right' as const)],
  })
  for (const { series, levels: summaries } of seriesRows(levels)) table.push([series, ...summaries.map(cell)])
  return table.toString()
}

export function serverMarkdown(levels: readonly ServingLevel[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['series', ...levels.map((row) => `level ${levelName(row)}`)]),
    line([':--', ...levels.map(() => '--:')]),
    ...seriesRows(levels).map(({ series, levels: summaries }) =>
      line([`\`${series.replaceAll('|', '\\|')}\``, ...summaries.map(cell)]),
    ),
  ].join('\n')
}

/** Full is marked in words: a table is read without colour too. */
function cell(summary: SeriesSummary | undefined): string {
  if (summary === undefined) return '-'
  return `${short(summary.mean)}, ${short(summary.max)}${isSaturated(summary) ? ' full' : ''}`
}

/** Four digits, with a prefix where the number is long. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${(value / 1e9).toFixed(2)} G`
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0)
  return size >= 1 ? value.toFixed(1) : value.toFixed(2)
}

function keyOf({ endpoint, series }: SeriesSummary): string {
  return `${series}\n${endpoint}`
}

const ROLES = ['use', 'memory', 'queue', 'other'] as const
function rank({ role }: SeriesSummary): number {
  return ROLES.indexOf(role)
}
