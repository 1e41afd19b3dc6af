/**
 * User interruption, one sample: was there speech to interrupt, did it stop, did an answer follow? Whether there was speech
 * comes from detection on the whole window; the words begin at R only.
 * Source: docs/metrics.md, "User interruption".
 */
import type { InterruptionSample, SpanUs } from './loaded-sample.js'

export interface InterruptionFacts {
  readonly outcome: 'not_exercised' | 'speaking_at_end' | 'response' | 'no_response'
  readonly onsetUs: number
  readonly endUs: number
  /** From R to the first word; null where the outcome is no response. */
  readonly latencyUs: number | null
  /** From R to the end of the window. */
  readonly observableUs: number
  readonly isSpeakingAtOnset: boolean
  /** Speech that began before R goes on after it. */
  readonly isSpeakingAtEnd: boolean
  /** Any segment starts before S. */
  readonly hasSpeechBeforeOnset: boolean
  /** From S to the end of the segment over S; null where nothing covers S, and where that segment runs to the end of the window. */
  readonly stopUs: number | null
  readonly speechInInterruptionUs: number
  /** Segments that start after S and before R. */
  readonly restarts: number
}

type Input = Pick<InterruptionSample, 'totalUs' | 'onsetUs' | 'endUs' | 'speech' | 'words'>

export function interruptionFacts({ totalUs, onsetUs, endUs, speech, words }: Input): InterruptionFacts {
  const covering = speech.find((segment) => segment.startUs <= onsetUs && onsetUs < segment.endUs)
  const isSpeakingAtEnd = speech.some((segment) => segment.startUs < endUs && endUs < segment.endUs)
  const firstUs = words.reduce((first, { startUs }) => Math.min(first, startUs), Number.POSITIVE_INFINITY)
  const outcome = outcomeOf({ isExercised: covering !== undefined, isSpeakingAtEnd, hasWord: Number.isFinite(firstUs) })
  return {
    outcome,
    onsetUs,
    endUs,
    latencyUs: outcome === 'response' ? firstUs - endUs : null,
    observableUs: totalUs - endUs,
    isSpeakingAtOnset: covering !== undefined,
    isSpeakingAtEnd,
    hasSpeechBeforeOnset: speech.some(({ startUs }) => startUs < onsetUs),
    stopUs: covering === undefined || covering.endUs >= totalUs ? null : covering.endUs - onsetUs,
    speechInInterruptionUs: speech.reduce((sum, segment) => sum + overlapUs(segment, { startUs: onsetUs, endUs }), 0),
    restarts: speech.filter(({ startUs }) => startUs > onsetUs && startUs < endUs).length,
  }
}

/** The order matters: silence at S decides before anything that follows. */
function outcomeOf(seen: {
  readonly isExercised: boolean
  readonly isSpeakingAtEnd: boolean
  readonly hasWord: boolean
}): InterruptionFacts['outcome'] {
  if (!seen.isExercised) return 'not_exercised'
  if (seen.isSpeakingAtEnd) return 'speaking_at_end'
  return seen.hasWord ? 'response' : 'no_response'
}

function overlapUs(a: SpanUs, b: SpanUs): number {
  return Math.max(0, Math.min(a.endUs, b.endUs) - Math.max(a.startUs, b.startUs))
}
