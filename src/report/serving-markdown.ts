/** `SERVING.md`: verdict, table, how sure it is, and what the columns mean. Rendered from the result alone. */
import type { ServingLevel, ServingResult } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'
import { checkLines } from './gate-lines.js'
import { levelName, markdownTable } from './level-table.js'
import { loadGeneratorText } from './load-generator-lines.js'
import { hasQuality, qualityMarkdown } from './quality-table.js'
import { hasServerMetrics, serverMarkdown } from './server-table.js'

export function servingMarkdown(result: ServingResult): string {
  return [
    '# Serving capacity',
    '',
    ...result.profiles.flatMap(({ profile, verdict }) => [
      `**${profile}**: ${verdict[0] ?? ''}`,
      '',
      ...verdict.slice(1).map((line) => `- ${line}`),
      ...(verdict.length > 1 ? [''] : []),
    ]),
    ...gateSection(result.gate),
    markdownTable(result.levels),
    '',
    ...qualitySection(result.levels),
    ...(hasServerMetrics(result.levels)
      ? ['## The server’s own figures', '', 'Mean, highest over each level.', '', serverMarkdown(result.levels), '']
      : []),
    ...confidenceTable(result.levels),
    ...honestyTable(result.levels),
    ...failures(result.levels),
    ...(result.warnings.length === 0 ? [] : ['## Warnings', '', ...result.warnings.map((text) => `- ${text}`), '']),
    '## Reading the table',
    '',
    ...LEGEND.map((text) => `- ${text}`),
    '',
    `Computed from the wire traces by floorload ${result.tool.version}, definitions ${result.definitions}. ` +
      'Times are what the client saw: they include the network to the server and leave out the player and the acoustics.',
    '',
  ].join('\n')
}

function gateSection(gate: ServingResult['gate']): string[] {
  if (gate === null) return []
  const lines = checkLines(gate)
  return [
    `Gate: **${gate.verdict}** (${gate.reason}).`,
    '',
    ...(lines.length === 0 ? [] : ['```text', ...lines.map((line) => line.trimStart()), '```', '']),
  ]
}

function qualitySection(levels: readonly ServingLevel[]): string[] {
  const scored = levels.find(({ quality }) => quality !== null)?.quality
  if (scored == null || !hasQuality(levels)) return []
  const words = scored.words.kind === 'vad' ? 'speech segments counted as words' : `words by ${scored.words.name}`
  return [
    '## Conversation quality',
    '',
    `Definitions \`${scored.definitions}\`, ${words}; 95% intervals. *holds*: worse than the lowest level by no more than the margins, at 95%; *open*: too few samples to say.`,
    '',
    qualityMarkdown(levels),
    '',
  ]
}

function confidenceTable(levels: readonly ServingLevel[]): string[] {
  const native = levels.filter(({ unit_miss_bound95: bound }) => bound !== null)
  if (native.length === 0) return []
  return [
    '## How sure',
    '',
    '| concurrency | units missed | rate | 95% bounds (one-sided) | design effect | sessions with a miss | confident verdict | sessions to settle |',
    '| --: | --: | --: | --: | --: | --: | :-- | --: |',
    ...native.map((row) => {
      const bound = row.unit_miss_bound95
      return `| ${levelName(row)} | ${row.units_missed}/${row.units_expected} | ${row.unit_miss_rate === null ? '-' : percent(row.unit_miss_rate)} | ${bound === null ? '-' : `${percent(bound.low)} to ${percent(bound.high)}`} | ${bound === null ? '-' : bound.design_effect.toFixed(2)} | ${row.sessions_with_miss}/${row.sessions_attempted} | ${row.confident_verdict ?? '-'} | ${row.further_sessions_to_settle ?? '-'} |`
    }),
    '',
  ]
}

function honestyTable(levels: readonly ServingLevel[]): string[] {
  if (levels.length === 0) return []
  const ms = (seconds: number | undefined) => (seconds === undefined ? '-' : (seconds * 1000).toFixed(2))
  return [
    '## Did the load generator keep pace',
    '',
    '| concurrency | send lateness ms p50 | p99 | p99.9 | max | sends over 20 ms late | client stall ms p99 | max | uncertain misses |',
    '| --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...levels.map((row) => {
      const late = row.send_lateness_s
      const stall = row.client_stall_ms
      return `| ${levelName(row)} | ${ms(late?.p50)} | ${ms(late?.p99)} | ${ms(late?.p999)} | ${ms(late?.max)} | ${row.late_send_rate === null ? '-' : percent(row.late_send_rate)} | ${stall === null ? '-' : stall.p99.toFixed(1)} | ${stall === null ? '-' : stall.max.toFixed(1)} | ${row.uncertain_misses ?? '-'} |`
    }),
    '',
    ...ownLines(levels),
  ]
}

function ownLines(levels: readonly ServingLevel[]): string[] {
  const lines = levels.flatMap((row) => {
    const text = loadGeneratorText(row)
    return text === undefined ? [] : [`- level ${levelName(row)}: ${text}`]
  })
  return lines.length === 0 ? [] : [...lines, '']
}

const FAILURES_SHOWN = 20

function failures(levels: readonly ServingLevel[]): string[] {
  const failed = levels.flatMap((row) => row.failed_sessions.map((session) => ({ row, session })))
  if (failed.length === 0) return []
  return [
    '## Sessions that failed',
    '',
    ...failed
      .slice(0, FAILURES_SHOWN)
      .map(
        ({ row, session }) =>
          `- level ${levelName(row)}, ${session.session}${session.denied ? ' (denied)' : ''}: ${session.reasons[0] ?? ''}${session.reasons_total > 1 ? ` (and ${session.reasons_total - 1} more)` : ''}; trace \`${row.run}/${session.trace}\``,
      ),
    ...(failed.length > FAILURES_SHOWN ? [`- and ${failed.length - FAILURES_SHOWN} more, all in serving.json`] : []),
    '',
  ]
}

const LEGEND = [
  '*sessions ok*: protocol verdict `pass` and whole input sent, of those attempted; denied and failed sessions stay in every denominator.',
  '*mean open*: time average of open sessions; *peak full*: most sessions inside their whole input at one instant.',
  '*denied*: refused admission; retried refusals that later succeeded stand in brackets.',
  '*pacing viol.*: sessions whose packets left more than 80 ms off schedule. The level then did not measure the server and is invalid.',
  '*unit miss*: units later than one unit length, and every unit of a failed session, of those expected.',
  '*unit lag*: receipt of `sglang.unit.done` minus the moment the unit’s last packet had been handed over.',
  '*first audio*: native, from the unit that carried it being ready; turn-based, from `response.created`.',
  '*buffer needed*: smallest start-up buffer with which a reply plays without a gap; *underrun replies*: need more than the playback reserve.',
  '*RTF*: time from first to last audio of a reply over the audio before the last delta; turn-based only.',
]
