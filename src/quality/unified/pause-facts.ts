/** Pause handling, one sample: does a word start once the user has begun to pause? Source: docs/metrics.md, "Pause handling". */
import type { PauseSample, SpanUs } from './loaded-sample.js'

export interface PauseFacts {
  readonly hasIntrusion: boolean
  readonly hasOnsetInsidePause: boolean
  readonly hasSpeechBeforePause: boolean
  readonly hasCarryIn: boolean
  readonly hasSpeech: boolean
  /** Word onsets at or after the first pause's start. */
  readonly intrusionWords: number
  readonly pauses: number
  /** Pauses in whose own time a word starts. */
  readonly pausesIntruded: number
  readonly pauseUs: number
  /** Pause time that words cover; where words overlap it counts once. */
  readonly coveredUs: number
}

export function pauseFacts({ pauses, words }: Pick<PauseSample, 'pauses' | 'words'>): PauseFacts {
  const firstPauseUs = pauses[0]?.startUs ?? Number.POSITIVE_INFINITY
  const intruding = words.filter(({ startUs }) => startUs >= firstPauseUs)
  return {
    hasIntrusion: intruding.length > 0,
    hasOnsetInsidePause: words.some((word) => pauses.some((pause) => startsInside(word, pause))),
    hasSpeechBeforePause: words.some(({ startUs }) => startUs < firstPauseUs),
    hasCarryIn: words.some(({ startUs, endUs }) => startUs < firstPauseUs && endUs > firstPauseUs),
    hasSpeech: words.length > 0,
    intrusionWords: intruding.length,
    pauses: pauses.length,
    pausesIntruded: new Set(intruding.map((word) => ownerOf(word, pauses))).size,
    pauseUs: pauses.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0),
    coveredUs: overlapUs(pauses, merged(words)),
  }
}

/** Half-open: a word at the end of a pause is outside, and a pause of no length has no inside. */
function startsInside({ startUs }: SpanUs, pause: SpanUs): boolean {
  return startUs >= pause.startUs && startUs < pause.endUs
}

/** A pause owns the time from its start to the next one's, the last one to T and T itself: the last to start by then. */
function ownerOf({ startUs }: SpanUs, pauses: readonly SpanUs[]): number {
  return pauses.findLastIndex((pause) => pause.startUs <= startUs)
}

/** Overlapping and touching spans as one. */
function merged(spans: readonly SpanUs[]): SpanUs[] {
  const apart: SpanUs[] = []
  for (const span of [...spans].sort((a, b) => a.startUs - b.startUs)) {
    const last = apart.at(-1)
    if (last === undefined || span.startUs > last.endUs) apart.push(span)
    else apart[apart.length - 1] = { startUs: last.startUs, endUs: Math.max(last.endUs, span.endUs) }
  }
  return apart
}

function overlapUs(pauses: readonly SpanUs[], spans: readonly SpanUs[]): number {
  let sum = 0
  for (const pause of pauses) {
    for (const { startUs, endUs } of spans) {
      sum += Math.max(0, Math.min(pause.endUs, endUs) - Math.max(pause.startUs, startUs))
    }
  }
  return sum
}
