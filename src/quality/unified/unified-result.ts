/**
 * What the unified scorer says: `unified.json` and the rows of `unified-samples.jsonl`. The names are those of the
 * specification `fdb-v1.0-unified-4`; docs/formats.md, "Unified scores", lists the choices where it gives none.
 */
import type { FdbTask } from '../../dataset/annotation.js'
import type { RecognizerIdentity } from '../transcripts/word-source.js'

/** Of scores from transcripts. */
export const UNIFIED_DEFINITIONS = 'fdb-v1.0-unified-4'
/** Of scores in which speech segments count as words: never comparable with the former. */
export const VAD_WORD_DEFINITIONS = 'floorload-unified-vad-1'

/** `null` is no data; `not_reached` a quantile that falls on a sample without a response. */
export type MetricValue = number | 'not_reached' | null
export type MetricInterval = readonly [MetricValue, MetricValue] | null

/** A share of samples. */
export interface ShareMetric {
  readonly value: number | null
  readonly interval: readonly [number, number] | null
  readonly count: number
  readonly n: number
  readonly selected_bounds: readonly [number, number]
  /** Present and true on a `response_rate_ks` whose horizon is shorter than k. */
  readonly lower_bound_only?: true
}

/** A quantile of latencies. */
export interface LatencyMetric {
  readonly value: MetricValue
  readonly interval: MetricInterval
  readonly p90: MetricValue
  readonly n: number
}

/** A ratio of sums over samples. */
export interface PooledMetric {
  readonly value: number | null
  readonly interval: readonly [number, number] | null
  /** Samples that enter it, as many as each resample draws. */
  readonly n: number
  /** The two sums: pauses, or seconds. */
  readonly numerator: number
  readonly denominator: number
}

export type UnifiedMetric = ShareMetric | LatencyMetric | PooledMetric

export interface SubsetScores {
  readonly counts: {
    readonly declared: number
    readonly selected: number
    readonly eligible: number
    readonly ineligible: number
    /** Samples per reason; a sample may have several. */
    readonly ineligible_reasons: Readonly<Record<string, number>>
    /** User interruption only. */
    readonly exercised?: number
  }
  /** Eligible over selected. */
  readonly coverage: number
  /** Turn taking and interruption only; null without an eligible sample. */
  readonly min_observable_s?: number | null
  readonly metrics: Readonly<Record<string, UnifiedMetric>>
  /** Our own computation of the published v1.0 rules, for reference; left out where segments stand for words. */
  readonly official_rules?: OfficialRules
}

/** Figures by the official evaluators' rules; null where they have no number, and why. */
export interface OfficialRules {
  readonly takeover_rate: number | null
  /** Mean over takeovers, a negative latency as 0; null for pause handling, which has none. */
  readonly latency_s: number | null
  readonly takeovers: number | null
  readonly n: number
  readonly no_number?: string
}

interface RowHead {
  readonly sample_id: string
  readonly subset: string
  readonly task: FdbTask | string
}

export interface IneligibleRow extends RowHead {
  readonly eligible: false
  readonly reasons: readonly string[]
}

export interface PauseRow extends RowHead {
  readonly eligible: true
  readonly pause_intrusion: boolean
  readonly inside_pause_onset: boolean
  readonly pre_pause_speech: boolean
  readonly carry_in: boolean
  readonly any_speech: boolean
  readonly intrusion_words: number
  readonly pauses: number
  readonly pauses_intruded: number
  readonly pause_s: number
  readonly intrusion_s: number
}

export interface TurnTakingRow extends RowHead {
  readonly eligible: true
  readonly outcome: 'early_start' | 'response' | 'no_response'
  readonly latency_s: number | null
  readonly observable_s: number
}

export interface InterruptionRow extends RowHead {
  readonly eligible: true
  readonly outcome: 'not_exercised' | 'speaking_at_end' | 'response' | 'no_response'
  readonly S: number
  readonly R: number
  readonly latency_s: number | null
  readonly observable_s: number
  readonly speech_at_onset: boolean
  readonly speech_at_end: boolean
  readonly speech_before_onset: boolean
  readonly stop_s: number | null
  readonly stop_observed: boolean
  readonly speech_in_interruption_s: number
  readonly interruption_s: number
  readonly restarts: number
}

export type UnifiedRow = IneligibleRow | PauseRow | TurnTakingRow | InterruptionRow

export interface UnifiedResult {
  readonly definitions: typeof UNIFIED_DEFINITIONS | typeof VAD_WORD_DEFINITIONS
  readonly tool: { readonly name: 'floorload'; readonly version: string }
  readonly manifest_sha256: string
  /** Null where the tree has no receipt of its transcripts. */
  readonly asr_sha256: string | null
  readonly words: RecognizerIdentity
  /** Who found the speech segments of the interruption samples, and in vad scores the words. */
  readonly speech: SpeechIdentity
  readonly bootstrap: { readonly resamples: 2000; readonly seed: 0 }
  /** By subset, in the dataset's order; subsets without a selected sample are left out. */
  readonly subsets: Readonly<Record<string, SubsetScores>>
}

export interface SpeechIdentity {
  /** `silero`, or `file` with the name of the file beside each `output.wav`. */
  readonly kind: 'silero' | 'file'
  readonly file?: string
  readonly version?: string
  readonly model_sha256?: string
  readonly settings?: Readonly<Record<string, number>>
}
