/** The columns of a level row, and what a row is computed from. */
import type { DurationUs } from '../base/clock.js'
import type { Mode, Profile, Targets } from '../profile/profile.js'
import type { Distribution } from './distribution.js'
import type { SessionFacts } from './session-facts.js'
import type { StallLookup } from './stalls.js'

export type MissedTarget = 'sessions_failed' | 'denied' | 'pacing_violations' | 'unit_miss_rate' | 'rtf_p90'
export type ConfidentVerdict = 'qualified' | 'failed' | 'inconclusive'
/** In order of precedence (docs/metrics.md, section 8). */
export type OverallVerdict = 'invalid' | 'misses' | 'inconclusive' | 'meets'

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface LevelRow {
  readonly profile: string
  readonly mode: Mode
  readonly concurrency: number
  readonly reserve_s: number
  readonly sessions_attempted: number
  readonly sessions_succeeded: number
  readonly sessions_failed: number
  readonly denied: number
  readonly admission_retries: number
  readonly pacing_violations: number
  readonly mean_open: number | null
  readonly peak_complete_streams: number
  readonly units_expected: number | null
  readonly units_missed: number | null
  readonly unit_miss_rate: number | null
  readonly units_late_or_missing: number | null
  readonly sessions_with_miss: number | null
  /** Misses that a stall of the client itself could explain; null where no stalls were recorded. */
  readonly uncertain_misses: number | null
  /** Whether the unit miss target would be met without the uncertain misses; null where that changes nothing. */
  readonly meets_without_uncertain: boolean | null
  readonly unit_lag_s: Distribution | null
  readonly speak_unit_lag_s: Distribution | null
  readonly listen_unit_lag_s: Distribution | null
  readonly replies_with_audio: number
  readonly first_audio_s: Distribution | null
  readonly buffer_needed_s: Distribution | null
  readonly underrun_replies: number
  readonly underrun_count: number
  readonly underrun_s: number
  readonly rtf: Distribution | null
  readonly send_lateness_s: Distribution | null
  readonly late_send_rate: number | null
  readonly units_completed: number | null
  readonly input_accepted_s: number | null
  readonly reply_s: number
  readonly units_completed_per_session: number | null
  readonly input_accepted_s_per_session: number | null
  readonly reply_s_per_session: number | null
  readonly valid: boolean
  readonly meets_targets: boolean
  readonly missed_targets: readonly MissedTarget[]
  readonly strict_gate_pass: boolean | null
  readonly unit_miss_bound95: (Interval & { readonly design_effect: number; readonly effective_units: number }) | null
  readonly confident_verdict: ConfidentVerdict | null
  /** Further sessions at this rate that would settle an inconclusive verdict; null where none would, or none is needed. */
  readonly further_sessions_to_settle: number | null
  readonly overall_verdict: OverallVerdict
  readonly unit_miss_wilson95: Interval | null
  readonly unit_miss_bootstrap95: (Interval & { readonly resamples: number; readonly seed: number }) | null
}

export interface LevelRowOptions {
  readonly profile: Profile
  readonly targets: Targets
  /** Sessions requested at once. */
  readonly concurrency: number
  /** Facts of every session of the run, any order. */
  readonly sessions: readonly SessionFacts[]
  readonly reserveUs: DurationUs
  /** Undefined where the recorder kept no record of its own stalls. */
  readonly stalls: StallLookup | undefined
  /** False when the recorder was stopped before its last session: the level was not measured. */
  readonly isComplete?: boolean
}
