/**
 * The three kinds of metric: a share of samples with a Wilson interval and worst-case bounds, quantiles of latencies, and a
 * ratio of sums with a bootstrap interval.
 * Source: docs/metrics.md, "Unified turn-taking metrics", denominators and intervals.
 */
import { secondsOfMicroseconds } from '../../base/microseconds.js'
import { wilsonInterval } from '../../stats/binomial-interval.js'
import { medianRank, p90Rank } from './rank.js'
import { type FigureName, medianInterval, ratioInterval } from './resampling.js'
import type { LatencyMetric, MetricValue, PooledMetric, ShareMetric } from './unified-result.js'

/** A latency that never came. */
export const NEVER_US = Number.POSITIVE_INFINITY

/**
 * @param options.n samples with a known outcome; the share is among them
 * @param options.unknown selected samples without one: taken as no for the lower bound, as yes for the upper
 * @param options.selected above 0
 */
export function shareMetric(options: {
  readonly count: number
  readonly n: number
  readonly unknown: number
  readonly selected: number
}): ShareMetric {
  const { count, n, unknown, selected } = options
  const interval = wilsonInterval({ successes: count, trials: n })
  return {
    value: n === 0 ? null : count / n,
    interval: interval === undefined ? null : [interval.low, interval.high],
    count,
    n,
    selected_bounds: [count / selected, (count + unknown) / selected],
  }
}

/** @param latenciesUs of every sample that counts; those without one are `NEVER_US` */
export function latencyMetric(figure: FigureName, latenciesUs: readonly number[]): LatencyMetric {
  const n = latenciesUs.length
  const sorted = Float64Array.from(latenciesUs).sort()
  const interval = medianInterval(figure, latenciesUs)
  return {
    value: metricValue(sorted[medianRank(n) - 1]),
    interval: interval === undefined ? null : [metricValue(interval[0]), metricValue(interval[1])],
    p90: metricValue(sorted[p90Rank(n) - 1]),
    n,
  }
}

/**
 * @param options.parts numerator and denominator of every sample, in microseconds or whole numbers
 * @param options.scale of the sums as they are shown: `seconds` for microseconds
 */
export function pooledMetric(
  figure: FigureName,
  options: {
    readonly parts: readonly { readonly numerator: number; readonly denominator: number }[]
    readonly scale: 'seconds' | 'count'
  },
): PooledMetric {
  const { parts, scale } = options
  const numerator = parts.reduce((sum, part) => sum + part.numerator, 0)
  const denominator = parts.reduce((sum, part) => sum + part.denominator, 0)
  const shown = (sum: number) => (scale === 'seconds' ? secondsOfMicroseconds(sum) : sum)
  return {
    value: denominator === 0 ? null : numerator / denominator,
    interval: ratioInterval(figure, parts) ?? null,
    n: parts.length,
    numerator: shown(numerator),
    denominator: shown(denominator),
  }
}

function metricValue(us: number | undefined): MetricValue {
  if (us === undefined) return null
  return us === NEVER_US ? 'not_reached' : secondsOfMicroseconds(us)
}
