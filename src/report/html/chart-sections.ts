/** The places of the charts, each with what it shows in words; the page's script draws into them. Pure. */
import type { ServingLevel } from '../../sweep/serving-result.js'
import { percent } from '../../sweep/verdict-text.js'
import { levelName } from '../level-table.js'
import { hasServerMetrics } from '../server-table.js'
import { term } from './glossary.js'
import { type Content, html, type Markup } from './markup.js'
import type { ShownProfile } from './report-data.js'
import { table } from './table.js'

export interface Figure {
  /** What the script draws there. */
  readonly chart: string
  readonly title: Content
  /** For those who do not see it. */
  readonly label: string
  readonly note?: Content
  /** Between title and chart. */
  readonly controls?: Content
}

export function figure({ chart, title, label, note, controls }: Figure): Markup {
  return html`<figure class="chart" data-chart="${chart}">
<figcaption>${title}</figcaption>
${controls}
<div class="legend"></div>
<div class="plot" role="img" tabindex="0" aria-label="${label}"></div>
<p class="readout" aria-live="polite"></p>
${note === undefined ? null : html`<p class="note">${note}</p>`}
</figure>`
}

export function capacitySection({ result, levels }: ShownProfile, id: string): Markup {
  const mode = levels[0]?.row.mode
  const of = {
    native: {
      title: html`${term('miss', 'Unit miss rate')} against ${term('concurrency')}`,
      label: 'Unit miss rate against concurrency',
      note: html`Bars are ${term('bounds')}; the dashed line is the target, at most ${percent(result.targets.unit_miss_rate_max)}. Below 0.1% the axis is linear, above it logarithmic, so that 0 has a place.`,
    },
    turn_based: {
      title: html`${term('rtf', 'Real-time factor')} p90 against ${term('concurrency')}`,
      label: 'Real-time factor p90 against concurrency',
      note: html`The dashed line is the target: below ${result.targets.rtf_p90_below}.`,
    },
    stream: {
      title: html`Failed sessions against ${term('concurrency')}`,
      label: 'Share of failed sessions against concurrency',
      note: 'This protocol has neither unit receipts nor turns, so no deadline was judged.',
    },
  }[mode ?? 'native']
  return html`<section id="${id}-capacity" aria-labelledby="${id}-capacity-title">
<h3 id="${id}-capacity-title">Capacity</h3>
${figure({ chart: 'capacity', ...of })}
${serverFigure(levels.map(({ row }) => row))}
</section>`
}

/** Under the capacity curve, so that what filled up stands below what missed. */
function serverFigure(rows: readonly ServingLevel[]): Markup | null {
  if (!hasServerMetrics(rows)) return null
  return figure({
    chart: 'server',
    title: 'The server’s own figures against concurrency',
    label: 'Series of the server’s metrics endpoint against concurrency',
    note: 'Mean over each level, with the lowest and the highest value as bars. They stand beside the misses and do not explain them.',
  })
}

export function latencySection({ levels }: ShownProfile, id: string): Markup {
  const rows = levels.map(({ row }) => row)
  const isNative = rows.some(({ unit_lag_s: lag }) => lag !== null)
  const axis = html`Each ${term('percentile')} decade is as wide as the next. A curve of n values ends at the n-th, with the maximum: beyond it nothing was seen.`
  return html`<section id="${id}-latency" aria-labelledby="${id}-latency-title">
<h3 id="${id}-latency-title">Latency</h3>
<div class="pair">
${
  isNative
    ? figure({
        chart: 'lag',
        title: html`${term('lag', 'Unit lag')} by percentile`,
        label: 'Unit lag by percentile, one curve for each level',
        controls: html`<div class="controls">
<fieldset class="choice"><legend>Units</legend>
<label><input type="radio" name="${id}-units" value="all" checked>all</label>
<label><input type="radio" name="${id}-units" value="speak">speak</label>
<label><input type="radio" name="${id}-units" value="listen">listen</label>
</fieldset>${logScale(id, 'lag')}</div>`,
        note: axis,
      })
    : null
}
${figure({
  chart: 'first-audio',
  title: html`${term('firstAudio', 'First audio')} by percentile`,
  label: 'First audio by percentile, one curve for each level',
  controls: html`<div class="controls">${logScale(id, 'first')}</div>`,
  note: isNative ? null : axis,
})}
</div>
</section>`
}

export function playbackSection({ levels }: ShownProfile, id: string): Markup {
  const rows = levels.map(({ row }) => row).filter(({ replies_with_audio: replies }) => replies > 0)
  if (rows.length === 0) {
    return html`<section id="${id}-playback"><h3>Playback</h3><p>No session was answered with audio.</p></section>`
  }
  const reserveS = rows[0]?.reserve_s ?? 0
  const reserveMs = Math.round(reserveS * 1000)
  return html`<section id="${id}-playback" aria-labelledby="${id}-playback-title">
<h3 id="${id}-playback-title">Playback</h3>
${figure({
  chart: 'plays',
  title: html`${term('plays', 'Replies that play without a gap')} against start-up buffer`,
  label: 'Share of replies that play without a gap against the start-up buffer, one curve for each level',
  controls: html`<div class="controls"><label class="slider" for="${id}-buffer">Start-up buffer
<input type="range" id="${id}-buffer" min="0" max="3000" step="10" value="${Math.round(reserveMs / 10) * 10}">
<output for="${id}-buffer">${reserveMs} ms</output></label></div>
<div class="plays-table"></div>`,
})}
<div class="pair">
${figure({
  chart: 'buffer',
  title: html`${term('buffer', 'Buffer needed')} by percentile`,
  label: 'Buffer needed by percentile, one curve for each level',
  controls: html`<div class="controls">${logScale(id, 'buffer')}</div>`,
})}
<div><h4>Underruns at a reserve of ${reserveMs} ms</h4>
${underruns(rows)}
<p class="note">The ${term('reserve')} is the setting of this result; the curve above needs none.</p></div>
</div>
</section>`
}

function underruns(rows: readonly ServingLevel[]): Markup {
  return table({
    caption: 'Underruns',
    rows,
    columns: [
      { title: term('concurrency'), cells: (row) => [levelName(row)] },
      {
        title: term('underrun', 'underrun replies'),
        cells: (row) => [`${row.underrun_replies}/${row.replies_with_audio}`],
      },
      { title: 'share', cells: (row) => [percent(row.underrun_replies / row.replies_with_audio)] },
      { title: term('pause', 'pauses'), cells: (row) => [row.underrun_count] },
      { title: 'seconds', cells: (row) => [row.underrun_s.toFixed(2)] },
    ],
  })
}

function logScale(id: string, name: string): Markup {
  return html`<label class="check"><input type="checkbox" name="${id}-${name}-log">log scale</label>`
}
