/** The comparison as tables, one for each level. Reads a result, computes nothing. */
import Table from 'cli-table3'
import type {
  ComparedLevel,
  Comparison,
  ComparisonVerdict,
  MetricDifference,
  QualityDifference,
} from '../sweep/comparison/comparison-result.js'
import {
  differenceText,
  intervalText,
  metricTitle,
  qualityValue,
  qualityWorsening,
  valueText,
} from '../sweep/comparison/comparison-text.js'
import { plainWidth, type TableStyle, tableStyle } from './level-table.js'

export interface ComparisonColumn {
  readonly title: string
  readonly align: 'left' | 'right'
  /** Left out first where a terminal is narrow; those with the highest number before the others. */
  readonly dispensable: number
  readonly metric: (metric: MetricDifference) => string
  readonly quality: (metric: QualityDifference) => string
}

export const COMPARISON_COLUMNS: readonly ComparisonColumn[] = [
  {
    title: 'metric',
    align: 'left',
    dispensable: 0,
    metric: ({ metric }) => metricTitle(metric),
    quality: ({ metric, subset }) => `${metricTitle(metric)}, ${subset}`,
  },
  {
    title: 'old',
    align: 'right',
    dispensable: 0,
    metric: ({ old, unit }) => valueText(old, unit),
    quality: ({ baseline, metric }) => qualityValue(baseline, metric),
  },
  {
    title: 'new',
    align: 'right',
    dispensable: 0,
    metric: (metric) => valueText(metric.new, metric.unit),
    quality: ({ level, metric }) => qualityValue(level, metric),
  },
  {
    title: 'difference',
    align: 'right',
    dispensable: 0,
    metric: ({ difference, unit }) => differenceText(difference, unit),
    quality: ({ worsening, metric }) => qualityWorsening(worsening, metric),
  },
  {
    title: '95%',
    align: 'right',
    dispensable: 1,
    metric: ({ interval95, unit }) => intervalText(interval95, unit),
    quality: ({ worsening_bounds95: bounds, metric }) =>
      bounds === null ? '-' : bounds.map((bound) => qualityWorsening(bound, metric)).join('..'),
  },
  {
    title: 'counts beyond',
    align: 'right',
    dispensable: 3,
    metric: ({ threshold, unit }) => differenceText(threshold, unit).replace('+', ''),
    quality: ({ margin, metric }) => qualityWorsening(margin, metric).replace('+', ''),
  },
  {
    title: 'adjusted p',
    align: 'right',
    dispensable: 2,
    metric: ({ p_adjusted: p }) => pText(p),
    quality: ({ p_adjusted: p }) => pText(p),
  },
  {
    title: 'verdict',
    align: 'left',
    dispensable: 0,
    metric: ({ verdict }) => verdict,
    quality: ({ verdict }) => verdict,
  },
]

/** What a person sees: the verdict, then a table for each level that compares, then what to look at. */
export function terminalComparison(comparison: Comparison, style: TableStyle): string {
  const [first = '', ...rest] = comparison.summary
  const bold = (text: string) => (style.colour ? `\u001b[1m${text}\u001b[22m` : text)
  const isMixed = new Set(comparison.levels.map(({ profile }) => profile)).size > 1
  return [
    bold(first),
    ...rest,
    ...comparison.levels.flatMap((level) => [
      '',
      `Level ${level.concurrency}${isMixed ? ` of ${level.profile}` : ''}`,
      ...(level.verdict === 'not comparable' ? ['not comparable'] : [levelTable(level, style)]),
      ...notesOf(level).map((note) => `  ${note}`),
    ]),
    '',
    ...comparison.warnings.map((warning) => `warning: ${warning}`),
    ...(comparison.method.comparisons > 0 ? [methodText(comparison)] : []),
  ].join('\n')
}

/** Figures that at least one side has. */
export function shownMetrics({ metrics }: ComparedLevel): MetricDifference[] {
  return metrics.filter((metric) => metric.old !== null || metric.new !== null)
}

/** Notes of single figures, then the warnings of the level. */
export function notesOf({ metrics, quality, warnings }: ComparedLevel): string[] {
  const notes = [
    ...metrics.map(({ metric, note }) => ({ title: metricTitle(metric), note })),
    ...quality.map(({ metric, subset, note }) => ({ title: `${metricTitle(metric)}, ${subset}`, note })),
  ]
  const byNote = new Map<string, string[]>()
  for (const { title, note } of notes) if (note !== null) byNote.set(note, [...(byNote.get(note) ?? []), title])
  return [
    ...[...byNote].map(([note, titles]) => `${titles.join(', ')}: ${note}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}

/** How sure the verdict is, in one sentence. */
export function methodText({ method }: Comparison): string {
  return (
    `Two servers that do not differ are called better or worse in anything with a chance of at most ` +
    `${100 * method.family_error_rate}%, over ${method.comparisons} comparisons together.`
  )
}

function levelTable(level: ComparedLevel, style: TableStyle): string {
  for (let kept = 3; kept > 0; kept -= 1) {
    const table = tableOf(level, style.colour, kept)
    if (style.width === undefined || plainWidth(table) <= style.width) return table
  }
  return tableOf(level, style.colour, 0)
}

function tableOf(level: ComparedLevel, colour: boolean, kept: number): string {
  const columns = COMPARISON_COLUMNS.filter(({ dispensable }) => dispensable <= kept)
  const table = new Table({
    head: columns.map(({ title }) => title),
    style: tableStyle(colour),
    colAligns: columns.map(({ align }) => align),
  })
  const row = (verdict: ComparisonVerdict, cells: readonly string[]) =>
    cells.map((cell, index) => (colour && index === cells.length - 1 ? painted(cell, verdict) : cell))
  for (const metric of shownMetrics(level)) {
    table.push(
      row(
        metric.verdict,
        columns.map((column) => column.metric(metric)),
      ),
    )
  }
  for (const metric of level.quality) {
    table.push(
      row(
        metric.verdict,
        columns.map((column) => column.quality(metric)),
      ),
    )
  }
  return table.toString()
}

function painted(text: string, verdict: ComparisonVerdict): string {
  const code = verdict === 'worse' ? 31 : verdict === 'better' ? 32 : 39
  return `\u001b[${code}m${text}\u001b[39m`
}

function pText(p: number | null): string {
  if (p === null) return '-'
  return p < 0.001 ? '<0.001' : p.toFixed(3)
}
