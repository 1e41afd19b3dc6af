/** The comparison of word sources as a person reads it: one table of metrics, one of samples judged differently. Pure. */
import Table from 'cli-table3'
import type { MetricInterval, MetricValue } from '../unified/unified-result.js'
import type { MetricSensitivity, SensitivityReport, Spread, SpreadFinding } from './sensitivity.js'

export interface SensitivityStyle {
  readonly colour: boolean
}

/** Stands after the name of a source whose words are speech segments. */
const OWN_DEFINITION = '*'

export function renderSensitivity(report: SensitivityReport, { colour }: SensitivityStyle): string {
  const lines = [metricTable(report, colour), '', ...verdict(report)]
  if (report.disagreements.length > 0) lines.push('', 'Samples judged differently:', disagreementTable(report, colour))
  return lines.join('\n')
}

function metricTable({ sources, metrics }: SensitivityReport, colour: boolean): string {
  const hasVad = metrics.some((metric) => metric.with_vad !== undefined)
  const names = sources.map(({ name, is_own_definition: isOwn }) => (isOwn ? `${name} ${OWN_DEFINITION}` : name))
  const withVad = hasVad ? [`spread with ${OWN_DEFINITION}`] : []
  const table = tableWith(['subset', 'metric', ...names, 'spread', 'widest interval', 'flag', ...withVad], colour)
  let before = ''
  for (const metric of metrics) {
    table.push([
      metric.subset === before ? '' : metric.subset,
      metric.metric,
      ...metric.values.map((value, index) => valueCell(value, metric.intervals[index] ?? null)),
      spreadCell(metric.spread),
      spreadCell(metric.widest_interval),
      flagCell(metric),
      ...(hasVad ? [withVadCell(metric)] : []),
    ])
    before = metric.subset
  }
  return table.toString()
}

function verdict({ sources, metrics }: SensitivityReport): string[] {
  const transcripts = sources.filter(({ is_own_definition: isOwn }) => !isOwn).length
  const flagged = metrics.filter((metric) => metric.exceeds_interval === true)
  const lines = []
  if (transcripts < 2) {
    lines.push(
      `Only ${transcripts === 0 ? 'speech segments' : 'one source of transcripts'}: nothing to compare it with.`,
    )
  } else if (flagged.length === 0) {
    lines.push('No metric moves further between the sources of words than its interval is wide.')
  } else {
    const names = flagged.map(({ subset, metric }) => `${subset} ${metric}`)
    lines.push(
      `${flagged.length} of ${metrics.length} metrics move further between the sources of words than their interval is wide:`,
      `${names.join(', ')}.`,
      'Name the source with every such number, and compare none that come from different ones.',
    )
  }
  if (transcripts < sources.length) {
    lines.push(
      `${OWN_DEFINITION} speech segments counted as words: a definition of its own, left out of spread and flag.`,
    )
  }
  return lines
}

function disagreementTable({ disagreements }: SensitivityReport, colour: boolean): string {
  const table = tableWith(['sources', 'subset', 'what', 'differ', 'of'], colour)
  let before = ''
  for (const { a, b, subset, what, differ, n } of disagreements) {
    const pair = `${a} / ${b}`
    table.push([pair === before ? '' : pair, subset, what, String(differ), String(n)])
    before = pair
  }
  return table.toString()
}

function tableWith(head: string[], colour: boolean): Table.Table {
  return new Table({ head, style: { head: colour ? ['bold'] : [], border: colour ? ['gray'] : [], compact: true } })
}

function valueCell(value: MetricValue, interval: MetricInterval): string {
  if (value === null) return '-'
  return interval === null ? numberText(value) : `${numberText(value)} [${interval.map(numberText).join(', ')}]`
}

function numberText(value: MetricValue): string {
  if (value === null) return '-'
  return value === 'not_reached' ? 'not reached' : value.toFixed(3)
}

function spreadCell(spread: Spread): string {
  if (spread === null) return '-'
  return spread === 'unbounded' ? 'unbounded' : spread.toFixed(3)
}

function flagCell({ exceeds_interval: exceeds }: SpreadFinding): string {
  if (exceeds === null) return '?'
  return exceeds ? 'SENSITIVE' : ''
}

function withVadCell({ with_vad: finding }: MetricSensitivity): string {
  if (finding === undefined) return ''
  return finding.exceeds_interval === true ? `${spreadCell(finding.spread)} > interval` : spreadCell(finding.spread)
}
