/**
 * The comparison as one self-contained page in the look of `report.html`: the verdict, then each level with its figures and
 * their intervals drawn. It has no script; light or dark is the system's choice. Same comparison, same bytes. Pure.
 */
import { createHash } from 'node:crypto'
import type {
  ComparedLevel,
  ComparedSideSummary,
  Comparison,
  ComparisonVerdict,
  MetricDifference,
  QualityDifference,
} from '../../sweep/comparison/comparison-result.js'
import { COMPARISON_COLUMNS, type ComparisonColumn, methodText, notesOf, shownMetrics } from '../comparison-table.js'
import { INTERVAL_STYLE, intervalPlot } from './interval-plot.js'
import { type Content, html, Markup } from './markup.js'
import { type HtmlColumn, table } from './table.js'

type Row =
  | { readonly kind: 'metric'; readonly of: MetricDifference }
  | { readonly kind: 'quality'; readonly of: QualityDifference }

/** Not by colour alone. */
const MARKS: Readonly<Record<ComparisonVerdict, string>> = {
  worse: '▲ worse',
  better: '▼ better',
  'no difference shown': '· no difference shown',
  'not comparable': '– not comparable',
}

/** @param style that of the report's page */
export function comparisonHtml(comparison: Comparison, style: string): string {
  const { tool, definitions, levels, warnings } = comparison
  const css = `${style}\n${INTERVAL_STYLE}`
  const [first = '', ...rest] = comparison.summary
  const isMixed = new Set(levels.map(({ profile }) => profile)).size > 1
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(css)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="floorload ${tool.version}">
<link rel="icon" href="data:,">
<title>Comparison: ${comparison.old.name} and ${comparison.new.name}</title>
<style>${new Markup(css)}</style>
</head>
<body>
<a class="skip" href="#main">To the verdict</a>
<header>
<h1>Comparison</h1>
</header>
<main id="main">
<div class="verdict${comparison.verdict === 'worse' ? ' none' : ''}">
<p class="figure" aria-hidden="true"><span class="what">${comparison.verdict}</span></p>
<div><p class="first">${first}</p>
${list(rest)}</div>
</div>
<section aria-labelledby="sides"><h2 id="sides">What was compared</h2>
${sides(comparison)}
${list(warnings)}
</section>
${levels.map((level, index) => levelSection(level, index, isMixed))}
<section aria-labelledby="reading"><h2 id="reading">How to read it</h2>
${list([
  'In every figure more is worse. The difference is new minus old. Drawn is the difference with its 95% interval; the dashed line is 0, the grey band holds differences too small to count. Each drawing has a scale of its own.',
  'Worse, better: the difference is beyond the band, its interval leaves out 0, and its p-value holds after Holm over all comparisons. No difference shown is not that there is none.',
  methodText(comparison),
])}
</section>
</main>
<footer><p>Computed from the wire traces by floorload ${tool.version}, definitions ${definitions}.</p></footer>
</body>
</html>`.text
  }\n`
}

function sides({ old, new: fresh }: Comparison): Markup {
  const column = (
    title: string,
    of: (side: ComparedSideSummary) => readonly string[],
  ): HtmlColumn<[string, ComparedSideSummary]> => ({
    title,
    isText: true,
    cells: ([, side]) => [of(side).join(', ') || '–'],
  })
  return table<[string, ComparedSideSummary]>({
    caption: 'Both sides',
    rows: [
      ['OLD', old],
      ['NEW', fresh],
    ],
    columns: [
      { title: 'side', isText: true, cells: ([name]) => [name] },
      column('folder', ({ name }) => [name]),
      column('profile', ({ profiles }) => profiles),
      column('model', ({ models }) => models),
      column('recorded by', ({ recorded_by: tools }) => tools),
      column('runs', ({ runs }) => runs),
    ],
  })
}

function levelSection(level: ComparedLevel, index: number, isMixed: boolean): Markup {
  const rows: Row[] = [
    ...shownMetrics(level).map((of): Row => ({ kind: 'metric', of })),
    ...level.quality.map((of): Row => ({ kind: 'quality', of })),
  ]
  const why = [
    ...level.mismatches.map((mismatch) => `${mismatch.what}: ${mismatch.old} in OLD, ${mismatch.new} in NEW`),
    ...level.invalid,
  ]
  const id = `level-${index}`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Level ${level.concurrency}${isMixed ? ` of ${level.profile}` : ''}: ${level.verdict}</h2>
${list(why)}
${
  rows.length === 0
    ? null
    : table<Row>({
        caption: `Figures of level ${level.concurrency}`,
        rows,
        rowClass: ({ of }) => (of.verdict === 'worse' ? 'worse' : ''),
        columns: columnsOf(),
      })
}
${list(notesOf(level))}
</section>
`
}

/** The terminal's columns, with the drawing before the verdict. */
function columnsOf(): HtmlColumn<Row>[] {
  const columns = COMPARISON_COLUMNS.map((column): HtmlColumn<Row> => {
    const isVerdict = column.title === 'verdict'
    return {
      title: column.title,
      isText: column.align === 'left',
      cells: (row) => [isVerdict ? html`<span class="mark">${MARKS[row.of.verdict]}</span>` : cell(column, row)],
    }
  })
  const drawing: HtmlColumn<Row> = { title: 'drawn', isText: true, cells: (row) => [plotOf(row)] }
  return [...columns.slice(0, -1), drawing, ...columns.slice(-1)]
}

function cell(column: ComparisonColumn, row: Row): string {
  return row.kind === 'metric' ? column.metric(row.of) : column.quality(row.of)
}

function plotOf(row: Row): Content {
  const label = COMPARISON_COLUMNS.slice(0, 5)
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

function list(texts: readonly string[]): Content {
  return texts.length === 0 ? null : html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}

/** Nothing may be loaded, and nothing may run. */
function policy(css: string): string {
  const hash = createHash('sha256').update(css, 'utf8').digest('base64')
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}
