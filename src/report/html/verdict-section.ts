/** What a person reads first: the verdict in the words of the result, then the levels one by one. Pure. */

import type { ServingLevel } from '../../sweep/serving-result.js'
import { describeMiss, percent } from '../../sweep/verdict-text.js'
import { type LevelColumn, levelColumns, levelName } from '../level-table.js'
import { type TermKey, term } from './glossary.js'
import { type Content, html, type Markup } from './markup.js'
import type { ShownProfile } from './report-data.js'
import { type HtmlColumn, table } from './table.js'

const STATUS: Readonly<Record<string, string>> = {
  exact: 'exact',
  at_least: 'lower bound',
  none: 'no level meets',
  undecided: 'undecided',
}

export function verdictBlock({ result }: ShownProfile): Markup {
  const { capacity, verdict } = result
  const [first = '', ...rest] = verdict
  const figure = capacity.sessions === null ? (capacity.status === 'none' ? '0' : '–') : String(capacity.sessions)
  return html`<div class="verdict ${capacity.status}">
<p class="figure" aria-hidden="true"><span class="big">${capacity.status === 'at_least' ? '≥' : ''}${figure}</span><span class="what">sessions at once<br>${STATUS[capacity.status]}</span></p>
<div><p class="first">${first}</p>
${rest.length > 0 ? html`<ul>${rest.map((line) => html`<li>${line}</li>`)}</ul>` : null}</div>
</div>`
}

/** By the column's title in the level table. */
const COLUMN_TERMS: Readonly<Record<string, TermKey>> = {
  concurrency: 'concurrency',
  'sessions ok': 'sessions',
  'mean open': 'meanOpen',
  'peak full': 'peak',
  denied: 'denied',
  'pacing viol.': 'pacing',
  'unit miss': 'miss',
  'unit lag ms': 'lag',
  'first audio ms': 'firstAudio',
  'buffer needed ms': 'buffer',
  'underrun replies': 'underrun',
  'RTF p90': 'rtf',
  'meets targets': 'meets',
}

export function levelsSection(profile: ShownProfile, id: string): Markup {
  const rows = profile.levels.map(({ row }) => row)
  const columns = levelColumns(rows)
    .filter(({ title }) => title !== 'profile' && title !== 'meets targets')
    .map(columnOf)
  const state: HtmlColumn<ServingLevel> = {
    title: term('meets'),
    isText: true,
    cells: (row) => [stateCell(row, profile)],
  }
  // After the concurrency, where a narrow screen shows it.
  const [first, ...rest] = columns
  return html`<section id="${id}-levels" aria-labelledby="${id}-levels-title">
<h3 id="${id}-levels-title">Levels</h3>
${table({
  caption: `Levels of ${profile.result.profile}`,
  columns: first === undefined ? [state] : [first, state, ...rest],
  rows,
  rowClass: (row) => stateOf(row),
})}
${confidence(rows)}
</section>`
}

export function stateOf(row: ServingLevel): 'meets' | 'misses' | 'invalid' {
  return row.valid ? (row.meets_targets ? 'meets' : 'misses') : 'invalid'
}

/** Never by colour alone: a sign and a word. */
export function stateBadge(row: ServingLevel): Markup {
  const state = stateOf(row)
  return html`<span class="state ${state}">${{ meets: '✓ yes', misses: '✕ no', invalid: '⊘ invalid' }[state]}</span>`
}

function stateCell(row: ServingLevel, { result }: ShownProfile): Content {
  if (row.meets_targets) return stateBadge(row)
  const reasons = row.missed_targets.map((target) => describeMiss(row, target, result.targets))
  return [stateBadge(row), html` <span class="why">${reasons.join(', ')}</span>`]
}

function columnOf({ title, cell, parts }: LevelColumn): HtmlColumn<ServingLevel> {
  const [name = '', keys] = title.split('\n')
  const key = COLUMN_TERMS[name]
  const shown = key === undefined ? name : term(key, name)
  if (parts === undefined || keys === undefined) return { title: shown, cells: (row) => [cell(row)] }
  return {
    title: shown,
    parts: keys.split(' '),
    cells: (row) => (cell(row) === '-' ? ['–'] : parts.map((part) => part.cell(row))),
  }
}

function confidence(rows: readonly ServingLevel[]): Content {
  const native = rows.filter(({ unit_miss_bound95: bound }) => bound !== null)
  if (native.length === 0) return null
  const columns: HtmlColumn<ServingLevel>[] = [
    { title: term('concurrency'), cells: (row) => [levelName(row)] },
    { title: term('confident'), isText: true, cells: (row) => [row.confident_verdict ?? '–'] },
    { title: term('miss', 'units missed'), cells: (row) => [`${row.units_missed}/${row.units_expected}`] },
    { title: 'rate', cells: ({ unit_miss_rate: rate }) => [rate === null ? '–' : percent(rate)] },
    {
      title: term('bounds'),
      cells: ({ unit_miss_bound95: bound }) => [
        bound === null ? '–' : `${percent(bound.low)} to ${percent(bound.high)}`,
      ],
    },
    { title: term('design'), cells: ({ unit_miss_bound95: bound }) => [bound?.design_effect.toFixed(2) ?? '–'] },
    { title: 'sessions with a miss', cells: (row) => [`${row.sessions_with_miss}/${row.sessions_attempted}`] },
    { title: term('settle'), cells: (row) => [row.further_sessions_to_settle ?? '–'] },
  ]
  return html`<details><summary>How sure</summary>
${table({ caption: 'How sure the miss rates are', columns, rows: native })}
</details>`
}
