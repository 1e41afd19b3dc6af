/** What stands behind the verdict: quality, failed sessions, the client's own pace, warnings. Pure. */
import type { ServingLevel } from '../../sweep/serving-result.js'
import { percent } from '../../sweep/verdict-text.js'
import { levelName } from '../level-table.js'
import { hasQuality, qualityColumns } from '../quality-table.js'
import { figure } from './chart-sections.js'
import { term } from './glossary.js'
import { type Content, html, type Markup } from './markup.js'
import type { ShownProfile } from './report-data.js'
import { table } from './table.js'
import { traceLink } from './trace-link.js'
import { stateBadge } from './verdict-section.js'

const FAILURES_MAX = 200

export function qualitySection({ levels }: ShownProfile, id: string): Content {
  const rows = levels.map(({ row }) => row)
  const scored = rows.find(({ quality }) => quality !== null)?.quality
  if (scored == null || !hasQuality(rows)) return null
  const words = scored.words.kind === 'vad' ? 'speech segments counted as words' : `words by ${scored.words.name}`
  return html`<section id="${id}-quality" aria-labelledby="${id}-quality-title">
<h3 id="${id}-quality-title">${term('quality', 'Conversation quality')}</h3>
<p class="note">Definitions <code>${scored.definitions}</code>, ${words}; 95% intervals.</p>
${figure({
  chart: 'quality',
  title: html`Quality against ${term('concurrency')}`,
  label: 'Chosen turn-taking metrics against concurrency, with 95% intervals',
})}
${table({
  caption: 'Conversation quality by level',
  rows,
  columns: qualityColumns(rows).map(({ title, cell }, index) => ({
    title: title.startsWith('against') ? term('verdict', title) : title,
    cells: (row: ServingLevel) => [lines(cell(row))],
    isText: index > 0 && title.startsWith('against'),
  })),
})}
</section>`
}

export function failuresSection({ levels }: ShownProfile, id: string): Content {
  const failed = levels.flatMap(({ row }) => row.failed_sessions.map((session) => ({ row, session })))
  const shown = failed.slice(0, FAILURES_MAX)
  return html`<section id="${id}-failures" aria-labelledby="${id}-failures-title">
<h3 id="${id}-failures-title">Sessions that failed</h3>
${failed.length === 0 ? html`<p>None.</p>` : null}
${
  failed.length === 0
    ? null
    : table({
        caption: 'Sessions that failed',
        rows: shown,
        columns: [
          { title: term('concurrency', 'level'), cells: ({ row }) => [levelName(row)] },
          {
            title: 'cause',
            isText: true,
            cells: ({ session }) => [
              [
                session.denied ? html`<b>${term('denied')}</b> ` : null,
                session.reasons[0] ?? 'unknown',
                session.reasons_total > 1 ? otherReasons(session.reasons.slice(1), session.reasons_total - 1) : null,
              ],
            ],
          },
          { title: 'trace', isText: true, cells: ({ row, session }) => [traceLink(row.run, session.trace)] },
        ],
      })
}
${failed.length > shown.length ? html`<p>And ${failed.length - shown.length} more, all in serving.json.</p>` : null}
</section>`
}

function otherReasons(reasons: readonly string[], total: number): Markup {
  return html`<details class="inline"><summary>and ${total} more</summary><ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></details>`
}

export function clientSection({ levels }: ShownProfile, id: string): Markup {
  const rows = levels.map(({ row }) => row)
  const ms = (seconds: number | undefined) => (seconds === undefined ? '–' : (seconds * 1000).toFixed(2))
  return html`<section id="${id}-client" aria-labelledby="${id}-client-title">
<h3 id="${id}-client-title">Did the load generator keep pace</h3>
${table<ServingLevel>({
  caption: 'Pace of the load generator by level',
  rows,
  columns: [
    { title: term('concurrency'), cells: (row) => [levelName(row)] },
    { title: 'valid', isText: true, cells: (row) => [row.valid ? '✓ yes' : stateBadge(row)] },
    {
      title: term('lateness', 'send lateness ms'),
      parts: ['p50', 'p99', 'p99.9', 'max'],
      cells: ({ send_lateness_s: late }) =>
        late === null ? ['–'] : [ms(late.p50), ms(late.p99), ms(late.p999), ms(late.max)],
    },
    {
      title: term('lateSends'),
      cells: ({ late_send_rate: rate }) => [rate === null ? '–' : percent(rate)],
    },
    { title: term('pacing'), cells: (row) => [row.pacing_violations] },
    {
      title: term('stall', 'client stall ms'),
      parts: ['p50', 'p99', 'max'],
      cells: ({ client_stall_ms: stall }) =>
        stall === null ? ['–'] : [stall.p50.toFixed(1), stall.p99.toFixed(1), stall.max.toFixed(1)],
    },
    {
      title: term('receiveDelay', 'receive delay ms'),
      parts: ['p99', 'max'],
      cells: ({ load_generator: own }) =>
        own?.receive_delay_ms == null
          ? ['–']
          : [own.receive_delay_ms.p99.toFixed(1), own.receive_delay_ms.max.toFixed(1)],
    },
    {
      title: term('gcPause', 'longest GC pause ms'),
      cells: ({ load_generator: own }) => [own === null ? '–' : own.gc.max_ms.toFixed(1)],
    },
    { title: term('uncertain'), cells: (row) => [row.uncertain_misses ?? '–'] },
  ],
})}
</section>`
}

/** A cell of several lines. */
function lines(text: string): Content {
  return text.split('\n').map((line, index) => (index === 0 ? line : html`<br><small>${line}</small>`))
}
