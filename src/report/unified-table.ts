/**
 * Unified scores as a person reads them: a table of metrics for each subset, with what stands behind it, and the official
 * numbers below as a reference. Reads results, measures nothing.
 */
import Table from 'cli-table3'
import type { ReferenceColumn } from '../quality/unified/reference-column.js'
import {
  type LatencyMetric,
  type MetricInterval,
  type MetricValue,
  type OfficialRules,
  type PooledMetric,
  type ShareMetric,
  type SubsetScores,
  type UnifiedMetric,
  type UnifiedResult,
  VAD_WORD_DEFINITIONS,
} from '../quality/unified/unified-result.js'
import { tableStyle } from './level-table.js'

export interface UnifiedTextOptions {
  readonly colour: boolean
  /** Undefined where the tree has no `summary.json`. */
  readonly reference: ReferenceColumn | undefined
}

type Cells = readonly [value: string, interval: string, count: string, bounds: string]

const NOTHING = '-'

export function unifiedText(result: UnifiedResult, { colour, reference }: UnifiedTextOptions): string {
  const blocks = Object.entries(result.subsets).map(([subset, scores]) =>
    [
      subsetLine(subset, scores),
      metricTable(scores, colour),
      ...notes(scores),
      ...officialLines(scores.official_rules),
      ...referenceLines(reference, subset),
    ].join('\n'),
  )
  const tail = reference?.kind === 'left_out' ? [reference.reason] : []
  if (blocks.length === 0) blocks.push('no sample of a scored subset')
  return [sourceLines(result).join('\n'), ...blocks, ...tail].join('\n\n')
}

function sourceLines({ definitions, words, speech, asr_sha256: asr }: UnifiedResult): string[] {
  const receipt = asr === null && words.kind === 'tree' ? ', without asr.json' : ''
  const model = speech.model_sha256 === undefined ? '' : `, model ${speech.model_sha256.slice(0, 12)}`
  const speechText = speech.kind === 'file' ? `file ${speech.file}` : `silero ${speech.version ?? ''}${model}`
  const lines = [`${definitions}; words: ${words.name} (${words.kind}${receipt}); speech: ${speechText}`]
  if (definitions === VAD_WORD_DEFINITIONS) {
    lines.push('Speech segments stand for words: not comparable with scores from transcripts.')
  }
  return lines
}

function subsetLine(subset: string, { counts, coverage, min_observable_s: horizonS }: SubsetScores): string {
  const exercised = counts.exercised === undefined ? '' : `, ${counts.exercised} exercised`
  const horizon = typeof horizonS === 'number' ? `, observed for at least ${horizonS.toFixed(3)} s` : ''
  const head = `${subset}: ${counts.eligible} of ${counts.selected} selected samples eligible (${counts.declared} in the subset)`
  return `${head}${exercised}, coverage ${coverage.toFixed(3)}${horizon}`
}

function metricTable({ metrics }: SubsetScores, colour: boolean): string {
  const table = new Table({
    head: ['metric', 'value', '95% interval', 'count', 'bounds over all selected'],
    style: tableStyle(colour),
    colAligns: ['left', 'right', 'right', 'right', 'right'],
  })
  for (const [name, metric] of Object.entries(metrics)) {
    table.push([name, ...cellsOf(metric)])
    if (isLatency(metric)) table.push([`${name} p90`, secondsText(metric.p90), NOTHING, String(metric.n), NOTHING])
  }
  return table.toString()
}

function cellsOf(metric: UnifiedMetric): Cells {
  if (isLatency(metric)) {
    return [secondsText(metric.value), intervalText(metric.interval), String(metric.n), NOTHING]
  }
  if (isPooled(metric)) {
    const { numerator, denominator } = metric
    const counts = [numerator, denominator].map((sum) => (Number.isInteger(sum) ? String(sum) : sum.toFixed(3)))
    return [numberText(metric.value), intervalText(metric.interval), counts.join('/'), NOTHING]
  }
  const mark = metric.lower_bound_only === true && metric.value !== null ? '>= ' : ''
  return [
    `${mark}${numberText(metric.value)}`,
    intervalText(metric.interval),
    `${metric.count}/${metric.n}`,
    intervalText(metric.selected_bounds),
  ]
}

function notes({ counts, metrics }: SubsetScores): string[] {
  const reasons = Object.entries(counts.ineligible_reasons).map(([reason, count]) => `${count} ${reason}`)
  const isCut = Object.values(metrics).some((metric) => 'lower_bound_only' in metric)
  return [
    ...(reasons.length === 0 ? [] : [`not eligible: ${reasons.join(', ')}`]),
    ...(isCut ? ['>= a lower bound: some windows end before this horizon'] : []),
  ]
}

function officialLines(rules: OfficialRules | undefined): string[] {
  if (rules === undefined) return []
  const head = 'official v1.0 rules, computed by floorload:'
  if (rules.no_number !== undefined) return [`${head} no number (${rules.no_number})`]
  const latency = rules.latency_s === null ? '' : `, latency ${numberText(rules.latency_s)} s over takeovers`
  return [`${head} takeover rate ${numberText(rules.takeover_rate)} (${rules.takeovers}/${rules.n})${latency}`]
}

function referenceLines(reference: ReferenceColumn | undefined, subset: string): string[] {
  if (reference?.kind !== 'figures') return []
  const figures = reference.subsets[subset]
  if (figures === undefined) return []
  const judge = reference.judge
  const isRated = judge !== null && subset === 'synthetic_user_interruption'
  const label = isRated ? `summary.json, rated by ${judge}` : 'official, from summary.json'
  return [`${label}: ${figures.map(({ name, value }) => `${name} ${Number(value.toFixed(6))}`).join(', ')}`]
}

function isLatency(metric: UnifiedMetric): metric is LatencyMetric {
  return 'p90' in metric
}

function isPooled(metric: ShareMetric | PooledMetric): metric is PooledMetric {
  return 'numerator' in metric
}

function numberText(value: number | null): string {
  return value === null ? NOTHING : value.toFixed(3)
}

function secondsText(value: MetricValue): string {
  return value === 'not_reached' ? 'not reached' : value === null ? NOTHING : `${value.toFixed(3)} s`
}

function intervalText(interval: MetricInterval): string {
  if (interval === null) return NOTHING
  return `[${interval.map((end) => (end === 'not_reached' ? 'not reached' : numberText(end))).join(', ')}]`
}
