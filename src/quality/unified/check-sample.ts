/**
 * The load checks: raw seconds in, a sample in whole microseconds out, or the first problem found. All bounds are inclusive,
 * and everything is rounded before it is compared. Order: input length, annotation, words, speech.
 * Source: docs/metrics.md, "Unified turn-taking metrics", load checks.
 */
import { microsecondsOf } from '../../base/microseconds.js'
import { type Annotation, annotationProblem, type SpanS } from '../../dataset/annotation.js'
import type { Word } from '../transcripts/transcript.js'
import type { EligibleSample, SampleHead, SpanUs } from './loaded-sample.js'

export interface RawSample extends SampleHead {
  readonly input: InputLength
  readonly annotation: Annotation
  readonly words: readonly Word[]
  /** Detected speech in seconds; read for interruption samples only. */
  readonly speech: readonly SpanS[]
}

/** What the manifest says of the input. */
export interface InputLength {
  readonly durationS?: number | undefined
  readonly samples?: number | undefined
  readonly sampleRateHz?: number | undefined
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string }

/** @returns the problem as a phrase without the sample's name */
export function checkSample(raw: RawSample): Checked<EligibleSample> {
  const length = checkInputLength(raw.input)
  if (!length.ok) return length
  const { durationS, totalUs } = length.value
  const problem = annotationProblem(raw.annotation, durationS)
  if (problem !== undefined) return { ok: false, problem }
  const words = raw.words.map(wordSpan)
  const wordProblem = problemOfWords(raw, words, durationS)
  if (wordProblem !== undefined) return { ok: false, problem: wordProblem }
  const { sampleId, subset, task, annotation } = raw
  const head = { sampleId, subset, task, totalUs, words, raw: { words: raw.words, annotation } }
  switch (annotation.kind) {
    case 'pauses':
      return { ok: true, value: { ...head, kind: 'pauses', pauses: annotation.pauses.map(span) } }
    case 'turn_end':
      return { ok: true, value: { ...head, kind: 'turn_end', turnEndUs: microsecondsOf(annotation.endS) } }
    case 'interruption': {
      const speech = raw.speech.map(span)
      const heardProblem = speechProblem(speech, totalUs)
      if (heardProblem !== undefined) return { ok: false, problem: heardProblem }
      const [onsetUs, endUs] = [microsecondsOf(annotation.startS), microsecondsOf(annotation.endS)]
      return { ok: true, value: { ...head, kind: 'interruption', onsetUs, endUs, speech } }
    }
    default:
      return annotation satisfies never
  }
}

/** T: the duration, else samples over rate; where both are given they must agree within a microsecond. */
export function checkInputLength({
  durationS,
  samples,
  sampleRateHz,
}: InputLength): Checked<{ readonly durationS: number; readonly totalUs: number }> {
  const hasSamples = samples !== undefined && sampleRateHz !== undefined && sampleRateHz > 0
  const counted = hasSamples ? samples / sampleRateHz : undefined
  const length = durationS ?? counted
  if (length === undefined) return { ok: false, problem: 'the manifest does not say how long its input is' }
  const totalUs = microsecondsOf(length)
  if (!Number.isSafeInteger(totalUs) || totalUs <= 0) return { ok: false, problem: `its input lasts ${length} s` }
  if (counted !== undefined && !(Math.abs(microsecondsOf(counted) - totalUs) <= 1)) {
    return {
      ok: false,
      problem: `its input lasts ${length} s, but ${samples} samples at ${sampleRateHz} Hz are ${counted} s`,
    }
  }
  return { ok: true, value: { durationS: length, totalUs } }
}

/** Detected speech: in order and apart, each of positive length, inside the window. Segments may touch. */
export function speechProblem(speech: readonly SpanUs[], totalUs: number): string | undefined {
  let previousEndUs = 0
  for (const [index, { startUs, endUs }] of speech.entries()) {
    const name = `speech segment ${index + 1}, [${startUs / 1e6}, ${endUs / 1e6}],`
    if (!(startUs >= 0 && endUs <= totalUs)) return `${name} lies outside [0, ${totalUs / 1e6}]`
    if (endUs <= startUs) return `${name} has no positive length`
    if (startUs < previousEndUs) return `${name} starts before the end of the one before it`
    previousEndUs = endUs
  }
  return undefined
}

function problemOfWords(raw: RawSample, words: readonly SpanUs[], durationS: number): string | undefined {
  const totalUs = microsecondsOf(durationS)
  const named = (index: number) => {
    const word = raw.words[index]
    return `word ${index + 1}, ${JSON.stringify(word?.text ?? '')}, starts at ${word?.startS} s,`
  }
  const outside = words.findIndex(({ startUs }) => !(startUs >= 0 && startUs <= totalUs))
  if (outside >= 0) return `${named(outside)} outside [0, ${durationS}]`
  if (raw.annotation.kind !== 'interruption') return undefined
  const { endS } = raw.annotation
  const early = words.findIndex(({ startUs }) => startUs < microsecondsOf(endS))
  return early >= 0 ? `${named(early)} before the end of the interruption at ${endS} s` : undefined
}

/** A missing end, or one before the start, makes a word of no length. */
function wordSpan({ startS, endS }: Word): SpanUs {
  const startUs = microsecondsOf(startS)
  return { startUs, endUs: endS === null ? startUs : Math.max(startUs, microsecondsOf(endS)) }
}

function span([startS, endS]: SpanS): SpanUs {
  return { startUs: microsecondsOf(startS), endUs: microsecondsOf(endS) }
}
