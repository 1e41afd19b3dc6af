/** What `floorload compare` says: `floorload.comparison/1` (docs/formats.md, "Comparison"). */
import type { MetricComparison } from '../../quality/pairing/level-comparison.js'
import type { Capacity } from '../capacity.js'
import type { METRIC_DEFINITIONS } from '../serving-result.js'

export const COMPARISON_SCHEMA_NAME = 'floorload.comparison/1'

export type ComparisonVerdict = 'worse' | 'better' | 'no difference shown' | 'not comparable'

/** One thing in which the two sides were not measured alike. */
export interface Mismatch {
  /** Name of what differs: `inputs`, `start policy`. */
  readonly what: string
  readonly old: string
  readonly new: string
}

/** `share` is 0 to 1, `time` in seconds, `factor` a plain number. */
export type ComparedUnit = 'share' | 'time' | 'factor'

export interface MetricDifference {
  readonly metric: string
  readonly unit: ComparedUnit
  /** Null where the side has no value. */
  readonly old: number | null
  readonly new: number | null
  /** What the figure was taken from: units, replies or sessions. */
  readonly old_n: number
  readonly new_n: number
  /** New minus old; above 0 is worse in every metric here. */
  readonly difference: number | null
  readonly interval95: readonly [number, number] | null
  /** A difference has to be larger than this to count. */
  readonly threshold: number | null
  /** Two-sided; null where nothing could be tested. */
  readonly p: number | null
  /** After Holm, over all that was tested. */
  readonly p_adjusted: number | null
  /** Repeats of a side disagree by more than their sessions explain, so runs were compared and not sessions. */
  readonly over_runs: boolean
  readonly verdict: ComparisonVerdict
  /** Why the verdict is not what the figures suggest; null where there is nothing to add. */
  readonly note: string | null
}

export interface QualityDifference extends Omit<MetricComparison, 'verdict'> {
  readonly p: number | null
  readonly p_adjusted: number | null
  readonly verdict: ComparisonVerdict
  readonly note: string | null
}

export interface ComparedLevel {
  readonly profile: string
  readonly concurrency: number
  /** Names of the runs. */
  readonly old_runs: readonly string[]
  readonly new_runs: readonly string[]
  /** `not comparable` of the whole level: `mismatches` or `invalid` says why. */
  readonly verdict: ComparisonVerdict
  readonly mismatches: readonly Mismatch[]
  /** Why a side was not measured. */
  readonly invalid: readonly string[]
  readonly warnings: readonly string[]
  readonly metrics: readonly MetricDifference[]
  readonly quality: readonly QualityDifference[]
}

export interface ComparedCapacity {
  readonly profile: string
  /** Of each side as its own report states it. */
  readonly old: Capacity
  readonly new: Capacity
  /** By the point rule over the levels that compare. */
  readonly point_rule: 'higher' | 'lower' | 'same' | null
  readonly verdict: ComparisonVerdict
  readonly notes: readonly string[]
}

export interface ComparedSideSummary {
  /** Name of the folder. */
  readonly name: string
  readonly profiles: readonly string[]
  readonly models: readonly string[]
  readonly recorded_by: readonly string[]
  readonly runs: readonly string[]
}

export interface Comparison {
  readonly schema: typeof COMPARISON_SCHEMA_NAME
  readonly tool: { readonly name: 'floorload'; readonly version: string }
  /** Both sides are computed anew from their traces, by these. */
  readonly definitions: typeof METRIC_DEFINITIONS
  readonly verdict: ComparisonVerdict
  /** What a person reads first. */
  readonly summary: readonly string[]
  readonly old: ComparedSideSummary
  readonly new: ComparedSideSummary
  readonly method: {
    readonly comparisons: number
    /** Those of them that could have differed at all; Holm's adjustment is over these. */
    readonly tested: number
    /** Chance that anything at all is called better or worse between two servers that do not differ. */
    readonly family_error_rate: 0.05
    readonly adjustment: 'holm'
    readonly resamples: number
    readonly permutations: number
    readonly seed: number
  }
  readonly thresholds: Readonly<Record<string, { readonly absolute: number; readonly relative: number }>>
  readonly capacity: readonly ComparedCapacity[]
  readonly levels: readonly ComparedLevel[]
  /** Levels that only one side has. */
  readonly unmatched: readonly {
    readonly profile: string
    readonly concurrency: number
    readonly side: 'old' | 'new'
  }[]
  readonly warnings: readonly string[]
}
