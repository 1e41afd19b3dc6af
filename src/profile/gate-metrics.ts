/**
 * What a gate can ask of: the name of every metric, what it is measured in, and which profiles have it. The values behind
 * the names are looked up in src/sweep/gate-readings.ts; docs/formats.md, "Gate expressions", explains each.
 */
import { closest, distance } from 'fastest-levenshtein'
import type { Mode } from './profile.js'

/** `share` is 0 to 1 and written with `%`; `time` is in seconds and written with `ms` or `s`. */
export type GateUnit = 'share' | 'time' | 'count' | 'factor'

export interface GateMetric {
  readonly unit: GateUnit
  /** Kinds of profile that have it. */
  readonly modes: readonly Mode[]
  /** Whether it comes with 95% bounds, so that `confident(…)` can be asked of it. */
  readonly hasBounds?: true
  /**
   * A figure of the server has no value when the server gave nothing to take it from: no data is then not below anything,
   * and misses. A figure of the recorder has none when it was not recorded: that says nothing of the server.
   */
  readonly of: 'server' | 'recorder'
}

const ALL: readonly Mode[] = ['native', 'turn_based', 'stream']
const NATIVE: readonly Mode[] = ['native']
const TURNS: readonly Mode[] = ['turn_based']

const server = (unit: GateUnit, modes = ALL) => ({ unit, modes, of: 'server' }) as const
const recorder = (unit: GateUnit, modes = ALL) => ({ unit, modes, of: 'recorder' }) as const

/** Single figures of a level, under the names that they have in its row. */
export const COLUMN_METRICS = {
  unit_miss_rate: { ...server('share', NATIVE), hasBounds: true },
  units_expected: server('count', NATIVE),
  units_missed: server('count', NATIVE),
  units_late_or_missing: server('count', NATIVE),
  units_completed: server('count', NATIVE),
  sessions_with_miss: server('count', NATIVE),
  uncertain_misses: recorder('count', NATIVE),
  sessions_attempted: server('count'),
  sessions_succeeded: server('count'),
  sessions_failed: server('count'),
  denied: server('count'),
  admission_retries: server('count'),
  pacing_violations: server('count'),
  peak_complete_streams: server('count'),
  mean_open: server('factor'),
  replies_with_audio: server('count'),
  underrun_replies: server('count'),
  underrun_count: server('count'),
  underrun_s: server('time'),
  reply_s_per_session: server('time'),
  input_accepted_s_per_session: recorder('time'),
  units_completed_per_session: server('factor', NATIVE),
  late_send_rate: recorder('share'),
} as const satisfies Record<string, GateMetric>
export type ColumnMetric = keyof typeof COLUMN_METRICS

/** Shares taken from two columns. */
export const RATE_METRICS = {
  session_failure_rate: { ...server('share'), hasBounds: true },
  session_miss_rate: { ...server('share', NATIVE), hasBounds: true },
  denied_rate: { ...server('share'), hasBounds: true },
  underrun_rate: server('share'),
} as const satisfies Record<string, GateMetric>
export type RateMetric = keyof typeof RATE_METRICS

/** Distributions of a level; asked for as `unit_lag.p99`. */
export const DISTRIBUTION_METRICS = {
  unit_lag: server('time', NATIVE),
  speak_unit_lag: server('time', NATIVE),
  listen_unit_lag: server('time', NATIVE),
  first_audio: server('time'),
  buffer_needed: server('time'),
  rtf: server('factor', TURNS),
  send_lateness: recorder('time'),
  client_stall: recorder('time'),
} as const satisfies Record<string, GateMetric>
export type DistributionMetric = keyof typeof DISTRIBUTION_METRICS

/** What a distribution can be asked for. */
export const STATISTICS: Readonly<Record<DistributionMetric, readonly string[]>> = {
  unit_lag: ['p50', 'p90', 'p95', 'p99', 'max'],
  speak_unit_lag: ['p50', 'p90', 'p95', 'p99', 'max'],
  listen_unit_lag: ['p50', 'p90', 'p95', 'p99', 'max'],
  first_audio: ['p50', 'p90', 'p95', 'p99', 'max'],
  buffer_needed: ['p50', 'p90', 'p95', 'p99', 'max'],
  rtf: ['p50', 'p90', 'p95', 'p99', 'max'],
  send_lateness: ['p50', 'p90', 'p95', 'p99', 'p999', 'max'],
  client_stall: ['p50', 'p99', 'max'],
}

/** Figures of the whole profile, without a level. */
export const PROFILE_METRICS = {
  capacity: server('count', ['native', 'turn_based']),
  quality_capacity: recorder('count', ['native', 'turn_based']),
} as const satisfies Record<string, GateMetric>
export type ProfileMetric = keyof typeof PROFILE_METRICS

const quality = (unit: GateUnit) => ({ ...recorder(unit), hasBounds: true }) as const

/** Turn-taking metrics, asked for as `quality.NAME` or `quality.SUBSET.NAME`. */
export const QUALITY_METRICS = {
  pause_intrusion_rate: quality('share'),
  pause_intrusion_per_pause: quality('factor'),
  intrusion_s_per_pause_s: quality('factor'),
  inside_pause_onset_rate: quality('share'),
  pre_pause_speech_rate: quality('share'),
  carry_in_rate: quality('share'),
  any_speech_rate: quality('share'),
  early_start_rate: quality('share'),
  response_rate_1s: quality('share'),
  response_rate_2s: quality('share'),
  response_rate_5s: quality('share'),
  no_response_rate: quality('share'),
  response_latency_s: quality('time'),
  exercised_rate: quality('share'),
  speaking_at_end_rate: quality('share'),
  stop_latency_s: quality('time'),
  speech_s_per_interruption_s: quality('factor'),
  restart_rate: quality('share'),
} as const satisfies Record<string, GateMetric>
export type QualityMetric = keyof typeof QUALITY_METRICS

/** A metric as an expression names it. */
export type MetricReference =
  | { readonly kind: 'column'; readonly name: ColumnMetric }
  | { readonly kind: 'rate'; readonly name: RateMetric }
  | { readonly kind: 'distribution'; readonly name: DistributionMetric; readonly statistic: string }
  | { readonly kind: 'profile'; readonly name: ProfileMetric }
  | {
      readonly kind: 'quality'
      /** Undefined: every subset that has the metric. */
      readonly subset: string | undefined
      readonly name: QualityMetric
      readonly isP90: boolean
    }

export function metricOf(reference: MetricReference): GateMetric {
  switch (reference.kind) {
    case 'column':
      return COLUMN_METRICS[reference.name]
    case 'rate':
      return RATE_METRICS[reference.name]
    case 'distribution':
      return DISTRIBUTION_METRICS[reference.name]
    case 'profile':
      return PROFILE_METRICS[reference.name]
    default: {
      const { unit, modes, of } = QUALITY_METRICS[reference.name]
      // The interval that comes with a latency is that of its median.
      return reference.isP90 ? { unit, modes, of } : QUALITY_METRICS[reference.name]
    }
  }
}

/** The name as it is written, without a level. */
export function metricName(reference: MetricReference): string {
  switch (reference.kind) {
    case 'distribution':
      return `${reference.name}.${reference.statistic}`
    case 'quality':
      return ['quality', reference.subset, reference.name, reference.isP90 ? 'p90' : undefined]
        .filter((part) => part !== undefined)
        .join('.')
    default:
      return reference.name
  }
}

/** @returns the metric of a dotted name, or in words what is wrong with the name */
export function referenceOf(path: readonly string[]): MetricReference | string {
  const [head = '', ...rest] = path
  if (head === 'quality') return qualityReference(rest)
  if (isKey(DISTRIBUTION_METRICS, head)) {
    const [statistic] = rest
    const known = STATISTICS[head]
    if (rest.length === 1 && statistic !== undefined && known.includes(statistic)) {
      return { kind: 'distribution', name: head, statistic }
    }
    return `${head} is a distribution: ask for ${known.map((name) => `${head}.${name}`).join(', ')}`
  }
  const single = isKey(COLUMN_METRICS, head)
    ? ({ kind: 'column', name: head } as const)
    : isKey(RATE_METRICS, head)
      ? ({ kind: 'rate', name: head } as const)
      : isKey(PROFILE_METRICS, head)
        ? ({ kind: 'profile', name: head } as const)
        : undefined
  if (single === undefined) return unknown('metric', head, ALL_NAMES)
  return rest.length === 0 ? single : `${head} is a single figure and has no .${rest.join('.')}`
}

const ALL_NAMES = [
  ...Object.keys(PROFILE_METRICS),
  ...Object.keys(COLUMN_METRICS),
  ...Object.keys(RATE_METRICS),
  ...Object.keys(DISTRIBUTION_METRICS),
  'quality',
]

function qualityReference(path: readonly string[]): MetricReference | string {
  const isP90 = path.length > 1 && path.at(-1) === 'p90'
  const names = isP90 ? path.slice(0, -1) : path
  const name = names.at(-1)
  if (name === undefined || names.length > 2) {
    return 'quality takes the forms quality.METRIC and quality.SUBSET.METRIC, such as quality.pause_intrusion_rate'
  }
  if (!isKey(QUALITY_METRICS, name)) return unknown('quality metric', name, Object.keys(QUALITY_METRICS))
  if (isP90 && QUALITY_METRICS[name].unit !== 'time') return `${name} is no latency and has no .p90`
  return { kind: 'quality', subset: names.length === 2 ? names[0] : undefined, name, isP90 }
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = closest(name, known)
  const isNear = distance(name, near) <= Math.max(2, name.length / 2)
  return `unknown ${what} ${name}; ${isNear ? `did you mean ${near}?` : `known are ${known.join(', ')}`}`
}

function isKey<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name)
}
