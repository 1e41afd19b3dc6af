/** What stands behind the figures of a comparison: were both sides measured alike, how was it computed, from what. Pure. */
import type {
  ComparedCapacity,
  ComparedLevel,
  ComparedSideSummary,
  Comparison,
} from '../../sweep/comparison/comparison-result.js'
import { differenceText, statedCapacity } from '../../sweep/comparison/comparison-text.js'
import { methodText } from '../comparison-table.js'
import { list, SIGNS } from './comparison-level.js'
import { type Content, html, type Markup } from './markup.js'
import { type HtmlColumn, table } from './table.js'

export interface NamedLevel {
  readonly level: ComparedLevel
  /** Of its section in the page. */
  readonly id: string
  readonly name: string
}

/** What tilts or spoils the comparison, with links to its levels. */
export function comparabilitySection({ warnings }: Comparison, levels: readonly NamedLevel[]): Markup {
  const found: Content[] = [...warnings, ...levels.flatMap(incomparable), ...levelWarnings(levels)]
  return html`<section id="comparability" aria-labelledby="comparability-title"><h2 id="comparability-title">Warnings</h2>
${found.length === 0 ? html`<p>None: nothing was found that differs in how the two sides were measured.</p>` : list(found)}
</section>`
}

function incomparable(named: NamedLevel): Markup[] {
  const { verdict, mismatches, invalid } = named.level
  if (verdict !== 'not comparable') return []
  const differing = mismatches.map(({ what }) => what).join(', ')
  const reasons = [...(differing === '' ? [] : [`what differs: ${differing}`]), ...invalid]
  const why = reasons.length === 0 ? 'no figure has a value on both sides' : reasons.join('; ')
  return [html`${linkTo(named)} does not compare; ${why}`]
}

/** The same warning at several levels is said once. */
function levelWarnings(levels: readonly NamedLevel[]): Markup[] {
  const byText = new Map<string, NamedLevel[]>()
  for (const named of levels) {
    for (const text of named.level.warnings) byText.set(text, [...(byText.get(text) ?? []), named])
  }
  return [...byText].map(
    ([text, at]) => html`${at.map((named, index) => [index > 0 ? ', ' : '', linkTo(named)])}: ${text}`,
  )
}

function linkTo({ id, name }: NamedLevel): Markup {
  return html`<a href="#${id}">${name}</a>`
}

export function capacitySection({ capacity }: Comparison): Content {
  if (capacity.length === 0) return null
  return html`<section id="capacity" aria-labelledby="capacity-title"><h2 id="capacity-title">Capacity</h2>
${table<ComparedCapacity>({
  caption: 'Capacity of both sides',
  rows: capacity,
  rowClass: ({ verdict }) => (verdict === 'worse' || verdict === 'better' ? verdict : ''),
  columns: [
    { title: 'profile', isText: true, cells: ({ profile }) => [profile] },
    {
      title: 'verdict',
      isText: true,
      cells: ({ verdict }) => [html`<span class="mark">${SIGNS[verdict]} ${verdict}</span>`],
    },
    { title: 'old', cells: ({ old }) => [statedCapacity(old)] },
    { title: 'new', cells: (row) => [statedCapacity(row.new)] },
    { title: 'by the point rule', isText: true, cells: ({ point_rule: rule }) => [rule ?? '–'] },
    { title: 'notes', isText: true, cells: ({ notes }) => [notes.join('; ') || '–'] },
  ],
})}
</section>`
}

export function unmatchedSection({ unmatched }: Comparison): Content {
  if (unmatched.length === 0) return null
  return html`<section id="unmatched" aria-labelledby="unmatched-title"><h2 id="unmatched-title">Levels of one side</h2>
${list(unmatched.map(({ profile, concurrency, side }) => `Level ${concurrency} of ${profile} is in ${side.toUpperCase()} alone.`))}
</section>`
}

export function methodSection(comparison: Comparison): Markup {
  const { comparisons, tested, resamples, permutations, seed } = comparison.method
  return html`<section id="method" aria-labelledby="method-title"><h2 id="method-title">How to read it</h2>
${list([
  'In every figure more is worse. The difference is new minus old.',
  'Drawn is the difference with its interval. The dashed line is 0; the grey band holds differences too small to count. Each drawing has a scale of its own.',
  'The interval is that of the difference, at 95%, for each figure by itself. In conversation quality its ends are two one-sided 95% bounds.',
  'Worse, better: the difference is beyond the band, its interval leaves out 0, and its adjusted p is at most 0.05. No difference shown is not that there is none.',
  ...(comparisons > 0 ? [methodText(comparison)] : []),
])}
<details><summary>How it is computed</summary>
${list([
  'The same session of both sides, with the same input and place among its repeats, is a pair. Levels are matched by profile and concurrency.',
  `p-values: the larger of two tests. By session: the sides of pairs are swapped at random, up to ${permutations} times. By wave: Student’s t over groups of sessions that were open together.`,
  `Of ${comparisons} comparisons ${tested} could have differed at all; their p-values are adjusted after Holm.`,
  `Intervals of quantiles: ${resamples} draws of whole pairs. Of rates: Newcombe’s hybrid score interval at the effective number of trials.`,
  'Quality is paired by sample: McNemar’s exact test for shares, the exact sign test for latencies.',
  `All draws have the seed ${seed}: the same recordings give the same bytes. In full in docs/compare.md.`,
])}
${thresholds(comparison)}
</details>
</section>`
}

/** Only of what was compared; what counts at each level stands in its table. */
function thresholds({ thresholds: all, levels }: Comparison): Content {
  const metrics = levels.flatMap((level) => level.metrics)
  const rows = Object.entries(all).flatMap(([name, { absolute, relative }]) => {
    const unit = metrics.find(({ metric }) => metric === name || metric.startsWith(`${name}.`))?.unit
    return unit === undefined ? [] : [{ name, absolute: differenceText(absolute, unit).replace('+', ''), relative }]
  })
  if (rows.length === 0) return null
  return table<(typeof rows)[number]>({
    caption: 'Thresholds; the larger of both counts',
    rows,
    columns: [
      { title: 'threshold', isText: true, cells: ({ name }) => [html`<code>${name}</code>`] },
      { title: 'at least', cells: ({ absolute }) => [absolute] },
      {
        title: 'of the old value',
        cells: ({ relative }) => [relative === 0 ? '–' : `${Number((100 * relative).toPrecision(6))}%`],
      },
    ],
  })
}

export function provenanceSection(comparison: Comparison): Markup {
  const { old, new: fresh } = comparison
  const column = (
    title: string,
    of: (side: ComparedSideSummary) => readonly string[],
  ): HtmlColumn<[string, ComparedSideSummary]> => ({
    title,
    isText: true,
    cells: ([, side]) => [of(side).join(', ') || '–'],
  })
  return html`<section id="sides" aria-labelledby="sides-title"><h2 id="sides-title">What was compared</h2>
${table<[string, ComparedSideSummary]>({
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
})}
<p class="note">Levels compare only where the inputs of their sessions have the same SHA-256, or the same names where a recording keeps no input.</p>
</section>`
}
