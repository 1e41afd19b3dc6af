/**
 * The values behind the metrics of gate expressions (src/profile/gate-metrics.ts): where each stands in a level of the
 * result. Pure. A value that is not there is null and never 0.
 */
import type { LevelRow } from '../metrics/level-row.js'
import type { DistributionMetric, MetricReference, QualityMetric, RateMetric } from '../profile/gate-metrics.js'
import type { MetricValue, SubsetScores, UnifiedMetric } from '../quality/unified/unified-result.js'
import { clopperPearsonOneSided95 } from '../stats/binomial-interval.js'

/** A level as gates read it: a row, and what stands beside it in the result. */
export interface GateLevel extends LevelRow {
  readonly repeat?: number
  readonly client_stall_ms?: { readonly p50: number; readonly p99: number; readonly max: number } | null
  readonly quality?: { readonly subsets: Readonly<Record<string, SubsetScores>> } | null
}

/** Ends may be infinite: a latency that was never reached lies above every limit. */
export interface Range {
  readonly low: number
  readonly high: number
}

export interface Reading {
  /** The subset of a quality metric. */
  readonly subset?: string
  /** Null: no data. */
  readonly value: number | null
  /** Where the true figure of this very recording lies; one point, unless only a bound was observed. */
  readonly range: Range | null
  /** One-sided 95% bounds; null where there are none. */
  readonly bounds: Range | null
}

type LevelReference = Exclude<MetricReference, { kind: 'profile' }>

/** @returns one reading; of a quality metric one for each subset that has it, so possibly none */
export function readingsOf(metric: LevelReference, level: GateLevel): Reading[] {
  switch (metric.kind) {
    case 'column':
      return [point(number(level[metric.name]), metric.name === 'unit_miss_rate' ? level.unit_miss_bound95 : null)]
    case 'rate': {
      const { of, among, isIndependent } = RATES[metric.name]
      return [rateReading(number(level[of]), number(level[among]), isIndependent)]
    }
    case 'distribution':
      return [point(statistic(metric.name, metric.statistic, level), null)]
    default:
      return Object.entries(level.quality?.subsets ?? {}).flatMap(([subset, { metrics }]) => {
        const found = metrics[metric.name]
        if (found === undefined || (metric.subset !== undefined && metric.subset !== subset)) return []
        return [{ subset, ...qualityReading(metric.name, found, metric.isP90) }]
      })
  }
}

/** Subsets that were scored at a level. */
export function scoredSubsets(level: GateLevel): string[] {
  return Object.keys(level.quality?.subsets ?? {})
}

/** Sessions are taken as independent of one another; replies of one session are not. */
const RATES: Record<RateMetric, { of: keyof LevelRow; among: keyof LevelRow; isIndependent: boolean }> = {
  session_failure_rate: { of: 'sessions_failed', among: 'sessions_attempted', isIndependent: true },
  session_miss_rate: { of: 'sessions_with_miss', among: 'sessions_attempted', isIndependent: true },
  denied_rate: { of: 'denied', among: 'sessions_attempted', isIndependent: true },
  underrun_rate: { of: 'underrun_replies', among: 'replies_with_audio', isIndependent: false },
}

function rateReading(successes: number | null, trials: number | null, isIndependent: boolean): Reading {
  if (successes === null || trials === null || trials === 0) return point(null, null)
  return point(successes / trials, isIndependent ? exactBounds(successes, trials) : null)
}

const DISTRIBUTION_COLUMNS: Record<DistributionMetric, keyof GateLevel> = {
  unit_lag: 'unit_lag_s',
  speak_unit_lag: 'speak_unit_lag_s',
  listen_unit_lag: 'listen_unit_lag_s',
  first_audio: 'first_audio_s',
  buffer_needed: 'buffer_needed_s',
  rtf: 'rtf',
  send_lateness: 'send_lateness_s',
  client_stall: 'client_stall_ms',
}

function statistic(name: DistributionMetric, key: string, level: GateLevel): number | null {
  const distribution = level[DISTRIBUTION_COLUMNS[name]] as Readonly<Record<string, number>> | null | undefined
  const value = number(distribution?.[key])
  return value !== null && name === 'client_stall' ? value / 1000 : value
}

function qualityReading(name: QualityMetric, metric: UnifiedMetric, isP90: boolean): Reading {
  if ('p90' in metric) return point(seconds(isP90 ? metric.p90 : metric.value), isP90 ? null : ends(metric.interval))
  if ('numerator' in metric) return point(metric.value, ends(metric.interval))
  const { value, count, n, lower_bound_only: isLowerBound } = metric
  if (value === null) return point(null, null)
  const bounds = exactBounds(count, n)
  if (isLowerBound !== true || !name.startsWith('response_rate')) return point(value, bounds)
  // A window that ends before the horizon may hide a response inside it: the share is at least this.
  return { value, range: { low: value, high: 1 }, bounds: bounds === null ? null : { low: bounds.low, high: 1 } }
}

/** Results come from files, too: counts that are none have no bounds. */
function exactBounds(successes: number, trials: number): Range | null {
  if (!(successes >= 0 && successes <= trials && Number.isFinite(trials))) return null
  return clopperPearsonOneSided95({ successes, trials }) ?? null
}

/** Two-sided 95% intervals serve as one-sided bounds: they ask a little more than 95%. */
function ends(interval: readonly [MetricValue, MetricValue] | null): Range | null {
  if (interval === null) return null
  const [low, high] = [seconds(interval[0]), seconds(interval[1])]
  return low === null || high === null ? null : { low, high }
}

function seconds(value: MetricValue): number | null {
  return value === 'not_reached' ? Number.POSITIVE_INFINITY : value
}

function point(value: number | null, bounds: Range | null): Reading {
  return {
    value,
    range: value === null ? null : { low: value, high: value },
    bounds: bounds === null ? null : { low: bounds.low, high: bounds.high },
  }
}

/** Results come from files, too: what is no number is no data. */
function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
