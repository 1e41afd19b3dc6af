/**
 * Judges one gate expression by the measured levels. The answer is `met` only where every run of every level meant was
 * measured and meets it (docs/formats.md, "Gate expressions"). Pure.
 */
import { repeatSummaries } from '../metrics/repeats.js'
import { boundOf, type GateExpression } from '../profile/gate-expression.js'
import { chosenLevels } from '../profile/gate-levels.js'
import { type GateMetric, type MetricReference, metricName, metricOf } from '../profile/gate-metrics.js'
import { capacityRange, NO_DEADLINES, qualityCapacityRange } from './gate-capacity.js'
import { holdsIn } from './gate-comparison.js'
import { type GateLevel, type Range, type Reading, readingsOf, scoredSubsets } from './gate-readings.js'
import { nameOf, shownFigure, shownLimit, shownRange, unitOf } from './gate-text.js'
import { type CheckedValue, type CheckResult, type CheckVerdict, worstCheck } from './gate-verdict.js'
import type { QualityCapacity } from './quality-capacity.js'

export interface GateContext {
  /** Of one profile. */
  readonly levels: readonly GateLevel[]
  /** Runs of each level that must be there. */
  readonly runs: number
  readonly qualityCapacity: QualityCapacity | null
}

export function judgeCheck(expression: GateExpression, context: GateContext): CheckResult {
  const { metric } = expression
  const findings =
    metric.kind === 'profile' ? [profileFinding(metric.name, expression, context)] : levelFindings(expression, context)
  const verdict = worstCheck(findings.map((finding) => finding.verdict))
  const deciding = findings.filter((finding) => finding.verdict === verdict)
  return {
    expression: nameOf(expression),
    verdict,
    reason: reasonOf(deciding, findings.length),
    bound: boundOf(expression),
    values: findings.flatMap(({ value }) => value ?? []),
  }
}

interface Finding {
  readonly verdict: CheckVerdict
  readonly text: string
  readonly value?: CheckedValue
}

const REASONS_SHOWN = 3

function reasonOf(deciding: readonly Finding[], all: number): string {
  const shown = deciding.slice(0, REASONS_SHOWN).map(({ text }) => text)
  const more = deciding.length - shown.length
  if (more > 0) shown.push(`and ${more} more`)
  return shown.join('; ') || `nothing of ${all} was measured`
}

function levelFindings(expression: GateExpression, context: GateContext): Finding[] {
  const { metric, levels: choice } = expression
  const recorded = [...new Set(context.levels.map(({ concurrency }) => concurrency))].sort((a, b) => a - b)
  if (metric.kind === 'profile' || choice === undefined) return []
  const chosen = chosenLevels(choice, recorded)
  if (chosen.length === 0) return [unmeasured(`no level meant by it was recorded; there is ${list(recorded)}`)]
  return chosen.flatMap((concurrency) => {
    const runs = context.levels.filter((level) => level.concurrency === concurrency)
    if (runs.length === 0) return [unmeasured(`level ${concurrency} was not recorded; there is ${list(recorded)}`)]
    const tooFew =
      runs.length < context.runs
        ? [unmeasured(`level ${concurrency} was recorded ${runs.length} of ${context.runs} times`)]
        : []
    const doRunsDisagree =
      expression.isConfident &&
      metric.name === 'unit_miss_rate' &&
      repeatSummaries(runs).some(({ over_dispersed: isFlagged }) => isFlagged === true)
    const findings = runs.flatMap((run) => runFindings(expression, metric, run, runs.length > 1))
    const isAllMet = findings.every(({ verdict }) => verdict === 'met')
    return [
      ...findings,
      ...tooFew,
      ...(doRunsDisagree && isAllMet
        ? [
            {
              verdict: 'inconclusive' as const,
              text: `runs of level ${concurrency} disagree more than their units allow, so their bounds show nothing`,
            },
          ]
        : []),
    ]
  })
}

function runFindings(
  expression: GateExpression,
  metric: Exclude<MetricReference, { kind: 'profile' }>,
  run: GateLevel,
  isRepeated: boolean,
): Finding[] {
  const where = `level ${run.concurrency}${isRepeated ? ` run ${run.repeat ?? 1}` : ''}`
  const place = { concurrency: run.concurrency, repeat: run.repeat ?? 1 }
  const unmeasuredHere = (text: string) =>
    unmeasured(text, { ...place, value: null, ...(expression.isConfident ? { bounds95: null } : {}) })
  if (!run.valid) return [unmeasuredHere(`${where} is invalid: ${invalidity(run)}`)]
  const definition = metricOf(metric)
  if (!definition.modes.includes(run.mode)) {
    return [unmeasuredHere(`profile ${run.profile} has no ${metricName(metric)}`)]
  }
  const readings = readingsOf(metric, run)
  if (readings.length === 0) return [unmeasuredHere(`${where}: ${unscored(metric, run)}`)]
  return readings.map((reading) => {
    const at = reading.subset === undefined ? where : `${where}, ${reading.subset}`
    const verdict = readingVerdict(reading, expression, definition, run)
    return {
      verdict,
      text: readingText(reading, expression, verdict, at),
      value: {
        ...place,
        ...(reading.subset === undefined ? {} : { subset: reading.subset }),
        value: jsonFigure(reading.value),
        ...(expression.isConfident ? { bounds95: jsonRange(reading.bounds) } : {}),
        verdict,
      },
    }
  })
}

function readingVerdict(
  { range, bounds }: Reading,
  expression: GateExpression,
  { of }: GateMetric,
  run: GateLevel,
): CheckVerdict {
  // Of a stream protocol nothing says whether the figure should be there at all.
  if (range === null) return of === 'server' && run.mode !== 'stream' ? 'missed' : 'not_measured'
  const used = expression.isConfident ? bounds : range
  if (used === null) return 'inconclusive'
  const answer = holdsIn(used, expression.operator, boundOf(expression))
  if (answer === undefined) return expression.isConfident ? 'inconclusive' : 'not_measured'
  return answer ? 'met' : 'missed'
}

function readingText(
  { value, range, bounds }: Reading,
  expression: GateExpression,
  verdict: CheckVerdict,
  at: string,
): string {
  const unit = unitOf(expression)
  const limit = shownLimit(expression)
  if (value === null || range === null) {
    return verdict === 'missed' ? `${at} has no data, which is not ${limit}` : `${at}: the figure was not recorded`
  }
  const isBound = range.low !== range.high
  const figure = `${isBound ? 'at least ' : ''}${shownFigure(value, unit)} at ${at}`
  if (!expression.isConfident)
    return verdict === 'met' ? figure : `${figure}, not ${verdict === 'missed' ? '' : 'shown to be '}${limit}`
  if (bounds === null) return `${figure}, without 95% bounds`
  const known = `${figure}, ${shownRange(bounds, unit)} at 95%`
  if (verdict === 'met') return known
  return `${known}, ${verdict === 'missed' ? 'not' : 'which does not settle'} ${limit}`
}

function profileFinding(
  name: 'capacity' | 'quality_capacity',
  expression: GateExpression,
  { levels, qualityCapacity }: GateContext,
): Finding {
  if (levels.some(({ mode }) => mode === 'stream')) return unmeasured(NO_DEADLINES)
  const range = name === 'capacity' ? capacityRange(levels) : qualityCapacityRange(levels, qualityCapacity)
  if (typeof range === 'string') return unmeasured(range)
  const answer = holdsIn(range, expression.operator, boundOf(expression))
  const verdict = answer === undefined ? 'not_measured' : answer ? 'met' : 'missed'
  const figure =
    range.high === Number.POSITIVE_INFINITY
      ? `at least ${range.low}`
      : range.low === range.high
        ? String(range.low)
        : `${range.low} to ${range.high}, since nothing between was recorded`
  return {
    verdict,
    text: `${name === 'capacity' ? 'capacity' : 'quality capacity'} is ${figure}${verdict === 'met' ? '' : `, not ${verdict === 'missed' ? '' : 'shown to be '}${shownLimit(expression)}`}`,
    value: { concurrency: null, repeat: null, value: range.low, verdict },
  }
}

function invalidity(run: GateLevel): string {
  if (run.sessions_attempted === 0) return 'no session was attempted'
  return run.pacing_violations > 0 ? 'the load generator fell behind' : 'the recording was not finished'
}

function unscored(metric: MetricReference, run: GateLevel): string {
  const subsets = scoredSubsets(run)
  if (subsets.length === 0) return 'the quality was not scored'
  return `${metricName(metric)} was not scored; scored are ${subsets.join(', ')}`
}

function unmeasured(text: string, value?: Omit<CheckedValue, 'verdict'>): Finding {
  const verdict = 'not_measured'
  return value === undefined ? { verdict, text } : { verdict, text, value: { ...value, verdict } }
}

function list(levels: readonly number[]): string {
  return levels.length === 0 ? 'none' : levels.join(', ')
}

function jsonFigure(value: number | null): number | 'not_reached' | null {
  return value === Number.POSITIVE_INFINITY ? 'not_reached' : value
}

function jsonRange(range: Range | null): (CheckedValue['bounds95'] & object) | null {
  if (range === null) return null
  return { low: jsonFigure(range.low) ?? 'not_reached', high: jsonFigure(range.high) ?? 'not_reached' }
}
