/**
 * Conversation quality beside the level table: one row for each level, each figure with its 95% interval below it. Reads
 * results, measures nothing.
 */
import Table from 'cli-table3'
import type {
  LatencyMetric,
  MetricValue,
  ShareMetric,
  SubsetScores,
  UnifiedMetric,
} from '../quality/unified/unified-result.js'
import type { ServingLevel } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'
import { levelName, plainWidth, type TableStyle, tableStyle } from './level-table.js'

interface QualityColumn {
  readonly title: string
  readonly cell: (row: ServingLevel) => string
}

/** Which metric of which subset gets a column, in the table's order; those that no level has are left out. */
const METRICS: readonly { readonly title: string; readonly metric: string; readonly subsets: readonly string[] }[] = [
  {
    title: 'pause intrusion',
    metric: 'pause_intrusion_rate',
    subsets: ['synthetic_pause_handling', 'candor_pause_handling'],
  },
  { title: 'early starts', metric: 'early_start_rate', subsets: ['candor_turn_taking'] },
  { title: 'response 2 s', metric: 'response_rate_2s', subsets: ['candor_turn_taking'] },
  { title: 'latency s', metric: 'response_latency_s', subsets: ['candor_turn_taking'] },
  { title: 'interrupted speech', metric: 'exercised_rate', subsets: ['synthetic_user_interruption'] },
  { title: 'reply 2 s', metric: 'response_rate_2s', subsets: ['synthetic_user_interruption'] },
  { title: 'stop s', metric: 'stop_latency_s', subsets: ['synthetic_user_interruption'] },
]

const VERDICTS = { within: 'holds', worse: 'worse', not_enough_samples: 'open' } as const

export function hasQuality(rows: readonly ServingLevel[]): boolean {
  return rows.some(({ quality }) => quality !== null)
}

/** The table as text; upright where it is wider than the terminal. */
export function qualityTable(rows: readonly ServingLevel[], { colour, width }: TableStyle): string {
  const columns = qualityColumns(rows)
  const wide = new Table({
    head: columns.map(({ title }) => title.replace(' ', '\n')),
    style: tableStyle(colour),
    colAligns: columns.map((_, index) => (index === columns.length - 1 ? 'left' : 'right')),
  })
  for (const row of rows) wide.push(columns.map(({ cell }) => cell(row)))
  const text = wide.toString()
  if (width === undefined || plainWidth(text) <= width) return text
  const [first, ...rest] = columns
  if (first === undefined) return ''
  const upright = new Table({
    head: [first.title, ...rows.map((row) => first.cell(row))],
    style: tableStyle(colour),
    colAligns: ['left', ...rows.map(() => 'right' as const)],
  })
  for (const { title, cell } of rest) upright.push([title, ...rows.map((row) => cell(row))])
  return upright.toString()
}

export function qualityMarkdown(rows: readonly ServingLevel[]): string {
  const columns = qualityColumns(rows)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map((_, index) => (index === columns.length - 1 ? ':--' : '--:'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row).replace(/\n/g, ' ')))),
  ].join('\n')
}

export function qualityColumns(rows: readonly ServingLevel[]): QualityColumn[] {
  const baselines = [...new Set(rows.map(({ profile }) => profile))].map((profile) => baselineOf(rows, profile))
  // Rows of several profiles have a baseline each.
  const against = baselines.length === 1 && baselines[0] !== undefined ? `level ${baselines[0]}` : 'lowest level'
  return [
    { title: 'concurrency', cell: levelName },
    { title: 'windows scored', cell: coverage },
    ...presentMetrics(rows).map(({ title, subset, metric }) => ({
      title,
      cell: (row: ServingLevel) => metricCell(metricOf(row, subset, metric)),
    })),
    { title: `against ${against}`, cell: (row) => verdictCell(row, baselineOf(rows, row.profile)) },
  ]
}

/** The chosen metrics that some level has, each with its subset, in the table's order. */
export function presentMetrics(
  rows: readonly ServingLevel[],
): { readonly title: string; readonly subset: string; readonly metric: string }[] {
  return METRICS.flatMap(({ title, metric, subsets }) => {
    const present = subsets.filter((subset) => rows.some((row) => metricOf(row, subset, metric) !== undefined))
    return present.map((subset) => ({
      // Two subsets of one task are two populations, and stay apart.
      title: present.length === 1 ? title : `${title} ${subset.split('_')[0]}`,
      subset,
      metric,
    }))
  })
}

/** The lowest valid level of a profile that was scored; undefined where there is none. */
function baselineOf(rows: readonly ServingLevel[], profile: string): number | undefined {
  const scored = rows.filter((row) => row.profile === profile && row.quality !== null && row.valid)
  return scored.length === 0 ? undefined : Math.min(...scored.map(({ concurrency }) => concurrency))
}

export function metricOf(row: ServingLevel, subset: string, metric: string): UnifiedMetric | undefined {
  const scores: SubsetScores | undefined = row.quality?.subsets[subset]
  return scores?.metrics[metric]
}

function coverage({ quality }: ServingLevel): string {
  if (quality === null) return '-'
  const counts = Object.values(quality.subsets).map(({ counts: own }) => own)
  const eligible = counts.reduce((sum, own) => sum + own.eligible, 0)
  const selected = counts.reduce((sum, own) => sum + own.selected, 0)
  return `${eligible}/${selected}`
}

function metricCell(metric: UnifiedMetric | undefined): string {
  if (metric === undefined) return '-'
  return 'p90' in metric ? latencyCell(metric) : shareCell(metric as ShareMetric)
}

function shareCell({ value, interval }: ShareMetric): string {
  if (value === null || interval === null) return '-'
  return `${percent(value)}\n${plainPercent(interval[0])}-${plainPercent(interval[1])}`
}

function latencyCell({ value, interval }: LatencyMetric): string {
  if (value === null) return '-'
  return interval === null ? seconds(value) : `${seconds(value)}\n${seconds(interval[0])}-${seconds(interval[1])}`
}

function plainPercent(share: number): string {
  return (share * 100).toFixed(0)
}

function seconds(value: MetricValue): string {
  if (value === null) return '-'
  return value === 'not_reached' ? 'never' : value.toFixed(2)
}

function verdictCell({ quality, concurrency, valid }: ServingLevel, baseline: number | undefined): string {
  if (quality === null) return '-'
  if (quality.against_baseline !== null) return VERDICTS[quality.against_baseline.verdict]
  return valid && concurrency === baseline ? 'baseline' : '-'
}
