/** A short Markdown summary for a pull request or a job page: verdict, checks, levels, failed sessions. Pure. */
import type { Distribution } from '../metrics/distribution.js'
import type { GateResult } from '../sweep/gate.js'
import type { ServingLevel, ServingResult } from '../sweep/serving-result.js'
import { percent } from '../sweep/verdict-text.js'
import { CHECK_WORDS } from './gate-lines.js'

type ReportedResult = Pick<ServingResult, 'profiles' | 'levels' | 'gate' | 'warnings'>

export function pullRequestSummary(result: ReportedResult): string {
  const { profiles, levels, gate, warnings } = result
  const failed = levels.reduce((total, level) => total + level.sessions_failed, 0)
  const attempted = levels.reduce((total, level) => total + level.sessions_attempted, 0)
  return [
    `## floorload: ${headline(result)}`,
    '',
    ...profiles.flatMap(({ profile, verdict }) => [
      `**${plain(profile)}**: ${plain(verdict.slice(0, 2).join(' '))}`,
      '',
    ]),
    ...(gate === null ? [] : [...checkTable(gate), '']),
    ...(levels.length === 0 ? ['No level was recorded.'] : levelTable(levels)),
    '',
    `Sessions failed: ${failed} of ${attempted}.${warnings.length === 0 ? '' : ` Warnings: ${warnings.length}.`}`,
    ...warnings.slice(0, WARNINGS_SHOWN).map((text) => `- ${plain(text)}`),
    '',
  ].join('\n')
}

const WARNINGS_SHOWN = 5

function headline({ gate, levels }: ReportedResult): string {
  if (gate !== null) {
    if (gate.verdict === 'pass') return 'gate passed'
    return gate.verdict === 'fail' ? 'gate MISSED' : 'gate undecided, not measured well enough'
  }
  return levels.some(({ valid }) => valid) ? 'measured, without a gate' : 'not measured'
}

function checkTable({ checks }: GateResult): string[] {
  return [
    '| check | result | found |',
    '| :-- | :-- | :-- |',
    ...checks.map(
      ({ expression, verdict, reason }) =>
        `| ${code(expression)} | ${verdict === 'met' ? 'pass' : CHECK_WORDS[verdict]} | ${plain(reason)} |`,
    ),
  ]
}

function levelTable(levels: readonly ServingLevel[]): string[] {
  const isMixed = new Set(levels.map(({ profile }) => profile)).size > 1
  const isAnyNative = levels.some(({ mode }) => mode === 'native')
  const isAnyTurnBased = levels.some(({ mode }) => mode === 'turn_based')
  const columns: readonly (readonly [string, (level: ServingLevel) => string])[] = [
    ...(isMixed ? [['profile', (level: ServingLevel) => plain(level.profile)] as const] : []),
    ['level', (level) => (level.repeat > 1 ? `${level.concurrency} r${level.repeat}` : String(level.concurrency))],
    ['sessions ok', (level) => `${level.sessions_succeeded}/${level.sessions_attempted}`],
    ...(isAnyNative
      ? [
          [
            'unit miss',
            (level: ServingLevel) => (level.unit_miss_rate == null ? '-' : percent(level.unit_miss_rate)),
          ] as const,
          ['unit lag p95 / p99', (level: ServingLevel) => pair(level.unit_lag_s, 'p95', 'p99')] as const,
        ]
      : []),
    ['first audio p50 / p90', (level) => pair(level.first_audio_s, 'p50', 'p90')],
    ...(isAnyTurnBased ? [['RTF p90', (level: ServingLevel) => level.rtf?.p90.toFixed(2) ?? '-'] as const] : []),
    ['meets targets', meets],
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(([title]) => title)),
    line(columns.map((_, index) => (index === columns.length - 1 ? ':--' : '--:'))),
    ...levels.map((level) => line(columns.map(([, cell]) => cell(level)))),
  ]
}

function meets({ valid, meets_targets: isMet, missed_targets: missed }: ServingLevel): string {
  if (isMet) return 'yes'
  return plain(`${valid ? 'no' : 'not measured'}${missed.length === 0 ? '' : `: ${missed.join(', ')}`}`)
}

function pair(distribution: Distribution | null | undefined, first: 'p50' | 'p95', second: 'p90' | 'p99'): string {
  if (distribution == null) return '-'
  const ms = (value: number | undefined) => (value === undefined ? '-' : Math.round(value * 1000))
  return `${ms(distribution[first])} / ${ms(distribution[second])} ms`
}

/** Text inside a table cell or a sentence: no markup of its own, no mentions, no line of its own. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*[\]|#@]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function code(text: string): string {
  return `\`${text.replace(/\s+/g, ' ').replace(/`/g, "'").replace(/\|/g, '/')}\``
}
