/** `COMPARISON.md`: the comparison for a pull request or a release note. Rendered from the result alone. */
import type { ComparedLevel, ComparedSideSummary, Comparison } from '../sweep/comparison/comparison-result.js'
import { COMPARISON_COLUMNS, methodText, notesOf, shownMetrics } from './comparison-table.js'

export function comparisonMarkdown(comparison: Comparison): string {
  const [first = '', ...rest] = comparison.summary
  return [
    '# Comparison',
    '',
    `**${first}**`,
    '',
    ...bulleted(rest),
    `OLD is ${sideText(comparison.old)}; NEW is ${sideText(comparison.new)}.`,
    '',
    ...comparison.levels.flatMap(levelSection),
    ...(comparison.warnings.length === 0 ? [] : ['## Warnings', '', ...bulleted(comparison.warnings)]),
    '## Reading the table',
    '',
    ...bulleted([
      'In every figure more is worse. The difference is new minus old; the interval is that of the difference, at 95%, for each figure by itself.',
      '*worse*, *better*: the difference is larger than what counts, its interval leaves out 0, and its p-value holds after Holm over all comparisons.',
      '*no difference shown*: not that there is none.',
      methodText(comparison),
    ]),
    `Computed from the wire traces by floorload ${comparison.tool.version}, definitions ${comparison.definitions}.`,
    '',
  ].join('\n')
}

function levelSection(level: ComparedLevel): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows = [
    ...shownMetrics(level).map((metric) => COMPARISON_COLUMNS.map((column) => column.metric(metric))),
    ...level.quality.map((metric) => COMPARISON_COLUMNS.map((column) => column.quality(metric))),
  ]
  return [
    `## Level ${level.concurrency}: ${level.verdict}`,
    '',
    ...(rows.length === 0
      ? []
      : [
          line(COMPARISON_COLUMNS.map(({ title }) => title)),
          line(COMPARISON_COLUMNS.map(({ align }) => (align === 'left' ? ':--' : '--:'))),
          ...rows.map(line),
          '',
        ]),
    ...bulleted(notesOf(level)),
  ]
}

function bulleted(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [...texts.map((text) => `- ${text}`), '']
}

function sideText({ name, profiles, models, recorded_by: tools }: ComparedSideSummary): string {
  const details = [
    ...profiles,
    ...models.map((model) => `model ${model}`),
    ...tools.map((tool) => `recorded by ${tool}`),
  ]
  return `\`${name}\`${details.length === 0 ? '' : ` (${details.join(', ')})`}`
}
