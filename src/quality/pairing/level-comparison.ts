/**
 * Does a level still converse as the lowest one does? Paired by sample, each metric against its margin, with a third answer
 * for too few samples. Pure.
 * Source: docs/metrics.md, "Quality against load".
 */
import { FDB_V10, isFdbV10Subset } from '../../dataset/annotation.js'
import { MEDIAN_PAIRS_MIN, type PairedTime, pairedMedians } from '../../stats/paired-quantiles.js'
import { exactMcNemar, pairedShareBounds95, pairsToBound } from '../../stats/paired-shares.js'
import type { MetricValue, UnifiedRow } from '../unified/unified-result.js'
import { COMPARED_METRICS, type ComparedMetric } from './compared-metrics.js'
import { type Overlap, type PairedSubset, pairSamples } from './paired-samples.js'

/** How much worse a metric may be, by name: a share from 0 to 1, or seconds. What is not named decides nothing. */
export type QualityMargins = Readonly<Record<string, number>>

export type MetricVerdict =
  /** Worse by at most the margin, at 95%. */
  | 'within'
  /** Worse by more than the margin, and worse at all at 95%. */
  | 'worse'
  | 'not_enough_samples'

/** A difference of latencies is infinite where one of the two medians is not reached. */
export type Worsening = number | 'inf' | '-inf' | null

export interface MetricComparison {
  readonly subset: string
  readonly metric: string
  /** Samples that both captures have an outcome for. */
  readonly pairs: number
  /** Over the pairs alone, so it may differ from the level's own value. */
  readonly baseline: MetricValue
  readonly level: MetricValue
  /** Above 0 is worse, whatever the metric's direction. */
  readonly worsening: Worsening
  /** One-sided 95% bounds of the worsening. */
  readonly worsening_bounds95: readonly [Worsening, Worsening] | null
  /** Shares only: pairs in which only the level was bad, only the baseline was, and the chance of so many or more. */
  readonly mcnemar: {
    readonly worse: number
    readonly better: number
    readonly p: number
    readonly p_two_sided: number
  } | null
  /** Null where the metric decides nothing. */
  readonly margin: number | null
  readonly verdict: MetricVerdict | null
  /** Fewest pairs that can show a metric to be within the margin; null where it is no question of their number. */
  readonly pairs_needed: number | null
}

export interface LevelComparison {
  readonly subsets: Readonly<Record<string, { readonly eligible: Overlap; readonly exercised: Overlap | null }>>
  readonly metrics: readonly MetricComparison[]
  /** Over the metrics that decide: `worse` if one is, else `not_enough_samples` if one is. */
  readonly verdict: MetricVerdict
}

const RESAMPLES = 2000

export function compareLevels(options: {
  readonly baseline: readonly UnifiedRow[]
  readonly level: readonly UnifiedRow[]
  readonly margins: QualityMargins
  readonly seed: number
}): LevelComparison {
  const { margins, seed } = options
  const subsets = pairSamples(options)
  const metrics = subsets.flatMap((subset) =>
    metricsFor(subset.subset).map((metric) => {
      const margin = margins[metric.name] ?? null
      return metric.kind === 'share'
        ? compareShares(subset, metric, margin)
        : compareLatencies(subset, metric, margin, seed)
    }),
  )
  const isAny = (verdict: MetricVerdict) => metrics.some((metric) => metric.verdict === verdict)
  const decides = metrics.some(({ verdict }) => verdict !== null)
  return {
    subsets: Object.fromEntries(subsets.map(({ subset, eligible, exercised }) => [subset, { eligible, exercised }])),
    metrics,
    verdict: isAny('worse') ? 'worse' : isAny('not_enough_samples') || !decides ? 'not_enough_samples' : 'within',
  }
}

function compareShares(
  { subset, pairs }: PairedSubset,
  metric: Extract<ComparedMetric, { kind: 'share' }>,
  margin: number | null,
): MetricComparison {
  const known = knownPairs(pairs, metric.of)
  const isBad = (value: boolean) => value === (metric.isWorse === 'higher')
  const worse = known.filter(({ baseline, level }) => !isBad(baseline) && isBad(level)).length
  const better = known.filter(({ baseline, level }) => isBad(baseline) && !isBad(level)).length
  const share = (of: 'baseline' | 'level') =>
    known.length === 0 ? null : known.filter((pair) => pair[of]).length / known.length
  const counts = { pairs: known.length, gained: worse, lost: better }
  const { pGained, pTwoSided } = exactMcNemar(counts)
  const bounds = pairedShareBounds95(counts)
  const worsening = known.length === 0 ? undefined : (worse - better) / known.length
  const verdict = margin === null ? null : shareVerdict({ worsening, high: bounds?.high, p: pGained, margin })
  return {
    subset,
    metric: metric.name,
    pairs: known.length,
    baseline: share('baseline'),
    level: share('level'),
    worsening: worsening ?? null,
    worsening_bounds95: bounds === undefined ? null : [bounds.low, bounds.high],
    mcnemar: { worse, better, p: pGained, p_two_sided: pTwoSided },
    margin,
    verdict,
    pairs_needed:
      verdict === 'not_enough_samples' && margin !== null && margin > 0 && margin < 1 ? pairsToBound(margin) : null,
  }
}

function shareVerdict(found: {
  readonly worsening: number | undefined
  readonly high: number | undefined
  readonly p: number
  readonly margin: number
}): MetricVerdict {
  const { worsening, high, p, margin } = found
  if (worsening === undefined || high === undefined) return 'not_enough_samples'
  if (high <= margin) return 'within'
  return worsening > margin && p < 0.05 ? 'worse' : 'not_enough_samples'
}

function compareLatencies(
  { subset, pairs }: PairedSubset,
  metric: Extract<ComparedMetric, { kind: 'latency' }>,
  margin: number | null,
  seed: number,
): MetricComparison {
  const known = knownPairs(pairs, metric.of)
  const head = { subset, metric: metric.name, pairs: known.length, mcnemar: null, margin }
  if (known.length === 0) {
    return {
      ...head,
      baseline: null,
      level: null,
      worsening: null,
      worsening_bounds95: null,
      verdict: margin === null ? null : 'not_enough_samples',
      pairs_needed: margin === null ? null : MEDIAN_PAIRS_MIN,
    }
  }
  const times: PairedTime[] = known.map(({ baseline, level }) => ({ before: baseline, after: level }))
  const medians = pairedMedians({ pairs: times, resamples: RESAMPLES, seed: `${seed}/${subset}/${metric.name}` })
  const worsening = wholeMicroseconds(medians.difference)
  const [low, high] = [wholeMicroseconds(medians.bounds?.low), wholeMicroseconds(medians.bounds?.high)]
  const isBounded = low !== undefined && high !== undefined
  return {
    ...head,
    baseline: medianValue(medians.before),
    level: medianValue(medians.after),
    worsening: worseningValue(worsening),
    worsening_bounds95: isBounded ? [worseningValue(low), worseningValue(high)] : null,
    verdict: margin === null ? null : latencyVerdict({ worsening, low, high, margin }),
    pairs_needed: margin !== null && known.length < MEDIAN_PAIRS_MIN ? MEDIAN_PAIRS_MIN : null,
  }
}

function latencyVerdict(found: {
  readonly worsening: number | undefined
  readonly low: number | undefined
  readonly high: number | undefined
  readonly margin: number
}): MetricVerdict {
  const { worsening, low, high, margin } = found
  if (worsening === undefined || low === undefined || high === undefined) return 'not_enough_samples'
  if (high <= margin) return 'within'
  return worsening > margin && low > 0 ? 'worse' : 'not_enough_samples'
}

function metricsFor(subset: string): readonly ComparedMetric[] {
  if (!isFdbV10Subset(subset)) return []
  const { task } = FDB_V10[subset]
  return COMPARED_METRICS.filter(({ tasks }) => tasks.includes(task))
}

/** The pairs that the metric says something about. */
function knownPairs<T>(
  pairs: PairedSubset['pairs'],
  of: (row: PairedSubset['pairs'][number]['level']) => T | undefined,
): { readonly baseline: T; readonly level: T }[] {
  return pairs.flatMap((pair) => {
    const [baseline, level] = [of(pair.baseline), of(pair.level)]
    return baseline === undefined || level === undefined ? [] : [{ baseline, level }]
  })
}

function medianValue(seconds: number): MetricValue {
  return Number.isFinite(seconds) ? seconds : 'not_reached'
}

/** Times are whole microseconds, so their differences are: what is more is float noise, and must not cross a margin. */
function wholeMicroseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined || !Number.isFinite(seconds) ? seconds : Math.round(seconds * 1e6) / 1e6
}

function worseningValue(seconds: number | undefined): Worsening {
  if (seconds === undefined) return null
  if (Number.isFinite(seconds)) return seconds
  return seconds > 0 ? 'inf' : '-inf'
}
