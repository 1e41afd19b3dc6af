/**
 * What stands beside labelled speech, in the files of Full-Duplex-Bench v1.0 and their shapes. Times are seconds on the
 * clip, exact: samples at 16 kHz over 16000.
 * Source: docs/inputs.md, "Built-in turns".
 */
import { jsonText } from '../base/json.js'
import type { AnnotationFile } from '../dataset/annotation.js'
import { LAYOUT_RATE_HZ, type LaidOut } from './turns-layout.js'

export interface AnnotationText {
  readonly file: AnnotationFile
  readonly text: string
}

/** The published files name a short span after the turn; nobody reads its end. */
const TURN_SPAN_SAMPLES = LAYOUT_RATE_HZ / 5

/** `pause.json`: from the last audible sample of each phrase to the first of the next. */
export function pauseAnnotation({ phrases }: LaidOut): AnnotationText {
  const pauses = phrases.slice(1).map(({ startSample }, index) => {
    const before = phrases[index] as LaidOut['phrases'][number]
    return { text: '[PAUSE]', timestamp: [secondsOf(before.endSample), secondsOf(startSample)] }
  })
  return { file: 'pause.json', text: jsonText(pauses) }
}

/** `turn_taking.json`: E is the end of the last audible sample. */
export function turnEndAnnotation({ phrases }: LaidOut): AnnotationText {
  const end = lastOf(phrases).endSample
  const entry = { text: '[TURN-TAKING]', timestamp: [secondsOf(end), secondsOf(end + TURN_SPAN_SAMPLES)] }
  return { file: 'turn_taking.json', text: jsonText([entry]) }
}

/** `interrupt.json`: S and R are the bounds of the interruption's audible part. */
export function interruptionAnnotation(
  { phrases }: LaidOut,
  words: { readonly question: string; readonly interruption: string },
): AnnotationText {
  const { startSample, endSample } = lastOf(phrases)
  const entry = {
    context: words.question,
    interrupt: words.interruption,
    timestamp: [secondsOf(startSample), secondsOf(endSample)],
  }
  return { file: 'interrupt.json', text: jsonText([entry]) }
}

function lastOf(phrases: LaidOut['phrases']): LaidOut['phrases'][number] {
  return phrases[phrases.length - 1] as LaidOut['phrases'][number]
}

function secondsOf(samples: number): number {
  return samples / LAYOUT_RATE_HZ
}
