/** The server's own series beside the levels: mean and highest value of each. Reads results, measures nothing. */
import Table from 'cli-table3'
import { COMPANIONS } from '../sweep/server-metrics/chosen-series.js'
import type { SeriesSummary } from '../sweep/server-metrics/level-evidence.js'
import { isSaturated } from '../sweep/server-metrics/saturation.js'
import { nameOf, seriesKey, seriesLabels } from '../sweep/server-metrics/series-label.js'
import type { ServingLevel } from '../sweep/serving-result.js'
import { levelName, plainWidth, type TableStyle, tableStyle } from './level-table.js'

export interface SeriesRow {
  /** As short as tells it from the others; a counter as its rate. */
  readonly series: string
  /** For each level, in their order; undefined where it has none. */
  readonly levels: readonly (SeriesSummary | undefined)[]
}

/** Rows of a table; the rest stands in `serving.json`. */
const ROWS_MAX = 24
/** Narrower than this a name says nothing. */
const NAME_WIDTH_MIN = 12

export function hasServerMetrics(levels: readonly ServingLevel[]): boolean {
  return levels.some(({ server_metrics: evidence }) => (evidence?.series.length ?? 0) > 0)
}

/** Series that some level has, those that tell of fullness first; without what only makes a share of another one. */
export function seriesRows(levels: readonly ServingLevel[]): SeriesRow[] {
  const all = levels.flatMap(({ server_metrics: evidence }) => evidence?.series ?? [])
  const labels = seriesLabels(all)
  const hidden = new Set(
    all.flatMap(({ series, mean_share: share }) =>
      share === null ? [] : (COMPANIONS.get(nameOf(series))?.name ?? []),
    ),
  )
  const found = new Map<string, SeriesSummary>()
  for (const summary of all) {
    if (!hidden.has(nameOf(summary.series)) && !found.has(seriesKey(summary))) found.set(seriesKey(summary), summary)
  }
  return [...found.entries()]
    .sort(([a, left], [b, right]) => rank(left) - rank(right) || (a < b ? -1 : 1))
    .map(([key, { series, is_rate: isRate }]) => ({
      series: `${labels.get(key) ?? series}${isRate ? ' per s' : ''}`,
      levels: levels.map(({ server_metrics: evidence }) =>
        evidence?.series.find((summary) => seriesKey(summary) === key),
      ),
    }))
}

/** One table, or several with some of the levels each where one would be too wide. */
export function serverTable(levels: readonly ServingLevel[], { colour, width }: TableStyle): string {
  const rows = seriesRows(levels)
  for (let perTable = levels.length; ; perTable -= 1) {
    const isLast = perTable <= 1
    const tables = slices(levels.length, Math.max(1, perTable)).map((slice) => tableOf(levels, { rows, slice, colour }))
    const widest = Math.max(...tables.map(plainWidth))
    if (width === undefined || widest <= width) return [...tables, ...restLine(rows)].join('\n')
    if (!isLast) continue
    const longest = Math.max(...rows.map(({ series }) => series.length))
    const nameWidth = Math.max(NAME_WIDTH_MIN, longest - (widest - width))
    const narrow = slices(levels.length, 1).map((slice) => tableOf(levels, { rows, slice, colour, nameWidth }))
    return [...narrow, ...restLine(rows)].join('\n')
  }
}

interface TablePart {
  readonly rows: readonly SeriesRow[]
  /** First level and the one behind the last. */
  readonly slice: readonly [number, number]
  readonly colour: boolean
  readonly nameWidth?: number
}

function tableOf(levels: readonly ServingLevel[], { rows, slice, colour, nameWidth }: TablePart): string {
  const own = levels.slice(...slice)
  const name = (text: string) => (nameWidth === undefined ? text : shortened(text, nameWidth))
  const table = new Table({
    head: [name('server: mean, max'), ...own.map((row) => `level ${levelName(row)}`)],
    style: tableStyle(colour),
    colAligns: ['left', ...own.map(() => 'right' as const)],
  })
  for (const { series, levels: summaries } of rows.slice(0, ROWS_MAX)) {
    table.push([name(series), ...summaries.slice(...slice).map(cell)])
  }
  return table.toString()
}

function slices(length: number, size: number): [number, number][] {
  return Array.from({ length: Math.ceil(length / size) }, (_, index) => [index * size, (index + 1) * size])
}

/** Both ends are kept: series are told apart by their labels. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text
  const head = Math.floor((width - 1) / 2)
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`
}

function restLine(rows: readonly SeriesRow[]): string[] {
  return rows.length <= ROWS_MAX ? [] : [`and ${rows.length - ROWS_MAX} more series in serving.json`]
}

export function serverMarkdown(levels: readonly ServingLevel[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows = seriesRows(levels)
  return [
    line(['series', ...levels.map((row) => `level ${levelName(row)}`)]),
    line([':--', ...levels.map(() => '--:')]),
    ...rows
      .slice(0, ROWS_MAX)
      .map(({ series, levels: summaries }) =>
        line([`\`${series.replaceAll('|', '\\|').replaceAll('`', "'")}\``, ...summaries.map(cell)]),
      ),
    ...restLine(rows).flatMap((text) => ['', `${text}.`]),
  ].join('\n')
}

/** Full is marked in words: a table is read without colour too. */
function cell(summary: SeriesSummary | undefined): string {
  if (summary === undefined) return '-'
  const { mean, max, mean_share: share } = summary
  const isShareOfOther = share !== null && COMPANIONS.has(nameOf(summary.series))
  const of = isShareOfOther ? ` (${(100 * share).toFixed(0)}%)` : ''
  return `${short(mean)}, ${short(max)}${of}${isSaturated(summary) ? ' full' : ''}`
}

/** Four digits, with a prefix where the number is long. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${(value / 1e9).toFixed(2)} G`
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0)
  return size >= 1 ? value.toFixed(1) : value.toFixed(2)
}

const ROLES = ['use', 'memory', 'queue', 'other'] as const
function rank({ role }: SeriesSummary): number {
  return ROLES.indexOf(role)
}
