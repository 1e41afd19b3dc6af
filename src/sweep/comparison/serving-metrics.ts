/** The serving figures that are compared, and what each is taken from. In all of them more is worse. Pure. */
import type { DurationUs } from '../../base/clock.js'
import { defined } from '../../metrics/distribution.js'
import { isUnderrun } from '../../metrics/playback.js'
import type { SessionFacts } from '../../metrics/session-facts.js'
import { countUnits } from '../../metrics/unit-columns.js'
import type { Mode } from '../../profile/profile.js'
import type { RateCluster } from '../../stats/rate-cluster.js'
import type { ThresholdName } from './thresholds.js'

export interface LevelTerms {
  readonly unitUs: DurationUs
  readonly reserveUs: DurationUs
}

interface MetricHead {
  readonly threshold: ThresholdName
  /** Kinds of profile that have it. */
  readonly modes: readonly Mode[]
}

export type RateMetric = MetricHead & {
  readonly name: string
  readonly of: (session: SessionFacts, terms: LevelTerms) => RateCluster
}

export type QuantileMetric = MetricHead & {
  readonly unit: 'time' | 'factor'
  readonly quantiles: readonly { readonly name: string; readonly q: number }[]
  /** Values of one session: microseconds, or factors. */
  readonly of: (session: SessionFacts) => readonly number[]
}

const ALL: readonly Mode[] = ['native', 'turn_based', 'stream']

export const RATE_METRICS: readonly RateMetric[] = [
  {
    name: 'session_failure_rate',
    threshold: 'session_failure_rate',
    modes: ALL,
    of: ({ hasSucceeded }) => one(!hasSucceeded),
  },
  { name: 'denied_rate', threshold: 'denied_rate', modes: ALL, of: ({ isDenied }) => one(isDenied) },
  {
    // A server that answers less has less to be late with.
    name: 'silent_session_rate',
    threshold: 'silent_session_rate',
    modes: ALL,
    of: ({ replies }) => one(replies.length === 0),
  },
  {
    name: 'unit_miss_rate',
    threshold: 'unit_miss_rate',
    modes: ['native'],
    of: (session, { unitUs }) => {
      const { expected, missed } = countUnits(session, unitUs, undefined)
      return { trials: expected, successes: missed }
    },
  },
  {
    name: 'underrun_rate',
    threshold: 'underrun_rate',
    modes: ALL,
    of: ({ replies }, { reserveUs }) => ({
      trials: replies.length,
      successes: replies.filter(({ bufferNeededUs }) => isUnderrun(bufferNeededUs, reserveUs)).length,
    }),
  },
]

export const QUANTILE_METRICS: readonly QuantileMetric[] = [
  {
    threshold: 'unit_lag',
    unit: 'time',
    modes: ['native'],
    quantiles: [
      { name: 'unit_lag.p50', q: 0.5 },
      { name: 'unit_lag.p95', q: 0.95 },
      { name: 'unit_lag.p99', q: 0.99 },
    ],
    of: ({ units }) => defined(units.map(({ lagUs }) => lagUs)),
  },
  {
    threshold: 'first_audio',
    unit: 'time',
    modes: ALL,
    quantiles: [
      { name: 'first_audio.p50', q: 0.5 },
      { name: 'first_audio.p90', q: 0.9 },
    ],
    of: ({ replies }) => defined(replies.map(({ firstAudioUs }) => firstAudioUs)),
  },
  {
    threshold: 'buffer_needed',
    unit: 'time',
    modes: ALL,
    quantiles: [{ name: 'buffer_needed.p90', q: 0.9 }],
    of: ({ replies }) => replies.map(({ bufferNeededUs }) => bufferNeededUs),
  },
  {
    threshold: 'rtf',
    unit: 'factor',
    modes: ['turn_based'],
    quantiles: [{ name: 'rtf.p90', q: 0.9 }],
    of: ({ replies }) => defined(replies.map(({ realTimeFactor }) => realTimeFactor)),
  },
]

function one(isSo: boolean): RateCluster {
  return { trials: 1, successes: isSo ? 1 : 0 }
}
