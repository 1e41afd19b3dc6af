/** Under what the figures were measured: enough to judge whether two reports compare, and to measure again. Pure. */
import { isObject } from '../../base/json.js'
import type { AnalysedRun } from '../../sweep/analyse-run.io.js'
import { levelName } from '../level-table.js'
import { term } from './glossary.js'
import { type Content, html, type Markup } from './markup.js'
import type { ShownLevel, ShownProfile } from './report-data.js'
import { table } from './table.js'

export function provenanceSection({ result, levels }: ShownProfile, id: string): Markup {
  const run = levels.find((level) => level.run !== undefined)?.run
  return html`<section id="${id}-configuration" aria-labelledby="${id}-configuration-title">
<h3 id="${id}-configuration-title">Configuration</h3>
<dl class="facts">
${(run === undefined ? [] : settingsOf(run)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}<div><dt>targets</dt><dd>unit miss at most ${(result.targets.unit_miss_rate_max * 100).toFixed(2)}%, RTF p90 below ${result.targets.rtf_p90_below}</dd></div>
</dl>
${run === undefined ? null : html`<details><summary>Profile ${run.profile.name}, as it was resolved</summary><pre>${JSON.stringify(run.profile, null, 2)}</pre></details>`}
${table<ShownLevel>({
  caption: 'Recordings by level',
  rows: levels,
  columns: [
    { title: term('concurrency'), cells: ({ row }) => [levelName(row)] },
    { title: 'folder', isText: true, cells: ({ row }) => [row.run] },
    { title: term('start'), isText: true, cells: ({ row }) => [startText(row)] },
    { title: 'input s', cells: (level) => [inputS(level)] },
    { title: 'complete', isText: true, cells: ({ row }) => [row.recording_complete ? 'yes' : 'no'] },
    {
      title: term('inputs', 'SHA-256 of the recordings'),
      isText: true,
      cells: ({ row }) => [html`<code class="hash">${row.inputs_sha256}</code>`],
    },
  ],
})}
</section>`
}

/** `pool, phases spread, 2 senders` */
function startText({ start_policy: policy, phases, senders }: ShownLevel['row']): string {
  const parts = [policy ?? '–']
  if (phases !== null && phases !== policy) parts.push(`phases ${phases}`)
  if (senders !== null && senders > 1) parts.push(`${senders} senders`)
  return parts.join(', ')
}

function inputS({ run }: ShownLevel): string {
  const us = (run?.sessions ?? []).reduce((sum, session) => sum + session.inputUs, 0)
  return run === undefined ? '–' : (us / 1e6).toFixed(1)
}

/** What the run's own books say; fields that another recorder leaves out are left out here. */
function settingsOf({ run, profile, row }: AnalysedRun): [name: string, value: Content][] {
  const { manifest } = run
  const at = (...path: readonly string[]): string | undefined => {
    let value: unknown = manifest
    for (const key of path) value = isObject(value) ? value[key] : undefined
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined
  }
  const settings: [string, string | undefined][] = [
    ['profile', `${profile.name}, protocol ${profile.protocol}`],
    ['server', at('server', 'url')],
    ['model', at('server', 'model')],
    ['unit', profile.unit_ms === null ? undefined : `${profile.unit_ms} ms`],
    ['audio', `${profile.input.sample_rate_hz} Hz in, ${profile.output.sample_rate_hz} Hz out`],
    [
      'packets',
      at('config', 'packet_ms') === undefined
        ? undefined
        : `${at('config', 'packet_ms')} ms; late ones ${at('config', 'late_packets') ?? 'sent at once'}`,
    ],
    ['playback reserve', `${Math.round(row.reserve_s * 1000)} ms`],
    ['inputs', inputsText(manifest.dataset)],
    ['seed', at('config', 'load', 'seed')],
    ['admission retries', at('config', 'transport', 'admission_retries')],
    ['session deadline', at('config', 'timeout_s') === undefined ? undefined : `${at('config', 'timeout_s')} s`],
    [
      'recorded by',
      [at('source', 'tool'), at('source', 'version'), at('source', 'node')]
        .filter((part) => part !== undefined)
        .join(' ') || undefined,
    ],
    ['transport', at('config', 'transport', 'client')],
  ]
  return settings.flatMap(([name, value]): [string, Content][] => (value === undefined ? [] : [[name, value]]))
}

/** The kind of input and its choice; where files lay on the recording machine is nobody's business. */
function inputsText(dataset: unknown): string | undefined {
  if (!isObject(dataset)) return undefined
  const { inputs } = dataset
  const kind = isObject(inputs) && typeof inputs.kind === 'string' ? inputs.kind : undefined
  return kind ?? (typeof inputs === 'string' ? inputs : undefined)
}
