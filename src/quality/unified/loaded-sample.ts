/**
 * A sample as it is scored: checked, its times in whole microseconds on the window `[0, T]`. The raw words stay beside them,
 * because the published rules of the reference column compare doubles.
 * Source: docs/metrics.md, "Unified turn-taking metrics".
 */
import type { Annotation, FdbV10Subset } from '../../dataset/annotation.js'
import type { Word } from '../transcripts/transcript.js'

export type ScoredSubset = Exclude<FdbV10Subset, 'icc_backchannel'>

/** In the order in which they are reported. */
export const SCORED_SUBSETS = [
  'synthetic_pause_handling',
  'candor_pause_handling',
  'candor_turn_taking',
  'synthetic_user_interruption',
] as const satisfies readonly ScoredSubset[]

export function isScoredSubset(name: string): name is ScoredSubset {
  return (SCORED_SUBSETS as readonly string[]).includes(name)
}

/** `startUs <= endUs`. */
export interface SpanUs {
  readonly startUs: number
  readonly endUs: number
}

export interface SampleHead {
  /** As the manifest has it: `SUBSET/ID` or `ID`. */
  readonly sampleId: string
  readonly subset: ScoredSubset
  /** As the manifest has it; scoring goes by subset. */
  readonly task: string
}

export interface IneligibleSample extends SampleHead {
  readonly kind: 'ineligible'
  readonly reasons: readonly string[]
}

interface EligibleHead extends SampleHead {
  /** Length of the input, T. */
  readonly totalUs: number
  /** In the order of the transcript, which need not be the order of time. */
  readonly words: readonly SpanUs[]
  readonly raw: { readonly words: readonly Word[]; readonly annotation: Annotation }
}

export interface PauseSample extends EligibleHead {
  readonly kind: 'pauses'
  /** At least one; in order, touching at most. */
  readonly pauses: readonly SpanUs[]
}

export interface TurnTakingSample extends EligibleHead {
  readonly kind: 'turn_end'
  /** E. */
  readonly turnEndUs: number
}

export interface InterruptionSample extends EligibleHead {
  readonly kind: 'interruption'
  /** S. */
  readonly onsetUs: number
  /** R, at or after S. */
  readonly endUs: number
  /** Detected speech: in order, each of positive length. */
  readonly speech: readonly SpanUs[]
}

export type EligibleSample = PauseSample | TurnTakingSample | InterruptionSample
export type LoadedSample = IneligibleSample | EligibleSample
