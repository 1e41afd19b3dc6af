/** One level of the comparison: why it does not compare, or its figures with their intervals drawn. Pure. */
import type {
  ComparedLevel,
  ComparisonVerdict,
  MetricDifference,
  Mismatch,
  QualityDifference,
} from '../../sweep/comparison/comparison-result.js'
import { COMPARISON_COLUMNS, type ComparisonColumn, notesOf, shownMetrics } from '../comparison-table.js'
import { intervalPlot } from './interval-plot.js'
import { type Content, html, type Markup } from './markup.js'
import { type HtmlColumn, table } from './table.js'

type Row =
  | { readonly kind: 'metric'; readonly of: MetricDifference }
  | { readonly kind: 'quality'; readonly of: QualityDifference }

/** Beside the word, so that it is never colour alone. */
export const SIGNS: Readonly<Record<ComparisonVerdict, string>> = {
  worse: '▲',
  better: '▼',
  'no difference shown': '○',
  'not comparable': '–',
}

/** @param name with its profile where the comparison has several */
export function levelSection(level: ComparedLevel, id: string, name: string): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${name}: ${level.verdict}</h2>
${mismatches(level, name)}
${list(level.invalid)}
${figures(level, name)}
${list(notesOf(level))}
<p class="note">Runs: ${level.old_runs.join(', ')} in OLD; ${level.new_runs.join(', ')} in NEW.</p>
</section>
`
}

export function list(texts: readonly Content[]): Content {
  return texts.length === 0 ? null : html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}

function mismatches(level: ComparedLevel, name: string): Content {
  if (level.mismatches.length === 0) return null
  return table<Mismatch>({
    caption: `What differs at ${name}`,
    rows: level.mismatches,
    columns: [
      { title: 'differs', isText: true, cells: ({ what }) => [what] },
      { title: 'OLD', isText: true, cells: ({ old }) => [old] },
      { title: 'NEW', isText: true, cells: (mismatch) => [mismatch.new] },
    ],
  })
}

function figures(level: ComparedLevel, name: string): Content {
  const metrics = shownMetrics(level).map((of): Row => ({ kind: 'metric', of }))
  const quality = level.quality.map((of): Row => ({ kind: 'quality', of }))
  const part = (caption: string, rows: readonly Row[]) =>
    rows.length === 0 ? null : table<Row>({ caption, rows, rowClass: rowClassOf, columns: COLUMNS })
  return [
    part(`Figures of ${name}`, metrics),
    quality.length === 0 ? null : html`<h3>Conversation quality</h3>\n`,
    part(`Conversation quality at ${name}`, quality),
  ]
}

function rowClassOf({ of: { verdict } }: Row): string {
  return verdict === 'worse' || verdict === 'better' ? verdict : ''
}

/** The terminal's, with the verdict after the name, where a narrow screen shows it, and the drawing after its figures. */
const COLUMNS: readonly HtmlColumn<Row>[] = [
  ...['metric', 'verdict', 'old', 'new', 'difference', '95%'].map(columnNamed),
  { title: 'drawn', isText: true, cells: (row) => [plotOf(row)] },
  ...['counts beyond', 'adjusted p'].map(columnNamed),
  { title: 'n', cells: (row) => [row.kind === 'quality' ? `${row.of.pairs} pairs` : countText(row.of)] },
]

function columnNamed(title: string): HtmlColumn<Row> {
  const column = COMPARISON_COLUMNS.find((candidate) => candidate.title === title)
  if (column === undefined) throw new Error(`a comparison has no column ${title}`)
  const isVerdict = title === 'verdict'
  return {
    title,
    isText: column.align === 'left',
    cells: (row) => [isVerdict ? verdictMark(row.of.verdict) : cell(column, row)],
  }
}

function verdictMark(verdict: ComparisonVerdict): Markup {
  return html`<span class="mark">${SIGNS[verdict]} ${verdict}</span>`
}

function cell(column: ComparisonColumn, row: Row): string {
  return row.kind === 'metric' ? column.metric(row.of) : column.quality(row.of)
}

function countText(metric: MetricDifference): string {
  return metric.old_n === metric.new_n ? String(metric.old_n) : `${metric.old_n} / ${metric.new_n}`
}

function plotOf(row: Row): Content {
  const label = COMPARISON_COLUMNS.slice(0, 6)
    .map((column) => `${column.title} ${cell(column, row)}`)
    .join(', ')
  if (row.kind === 'metric') {
    const { difference, interval95: interval, threshold } = row.of
    return intervalPlot({ difference, interval, threshold, label })
  }
  const { worsening, worsening_bounds95: bounds, margin } = row.of
  const [low, high] = bounds ?? [null, null]
  return intervalPlot({
    difference: typeof worsening === 'number' ? worsening : null,
    interval: typeof low === 'number' && typeof high === 'number' ? [low, high] : null,
    threshold: margin,
    label,
  })
}
