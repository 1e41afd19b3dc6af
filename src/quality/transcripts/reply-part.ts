/**
 * Which part of a window is transcribed, and the words' way back onto the window. For user interruption only the reply
 * counts: the audio is cut at R, the end of the interruption, and R is added to every time. Pure.
 * Source: docs/transcripts.md, "Cut at R".
 */
import { microsecondsOf, secondsOfMicroseconds } from '../../base/microseconds.js'
import type { Transcript } from './transcript.js'

/** Shorter audio holds no word and is refused by recognizers: it is not sent, and has no words. */
export const MIN_SENT_S = 0.1
/** A recognizer's frames reach a little over the ends of its audio; starts that far outside are moved to the end. */
export const OVERHANG_S = 0.1

const RATE_HZ = 16_000

/**
 * First sample at or before R, in whole microseconds: rounded down, as the field's tool does, so that nothing from R on
 * is lost. At most one sample before R is included.
 */
export function cutSampleOf(cutS: number): number {
  return Math.floor((microsecondsOf(cutS) * RATE_HZ) / 1_000_000)
}

/** The samples from R on; all of them without a cut. A view. */
export function partToTranscribe(pcm: Int16Array, cutS: number | null): Int16Array {
  return cutS === null ? pcm : pcm.subarray(Math.min(pcm.length, cutSampleOf(cutS)))
}

/**
 * Times of the part to times of the window, in whole microseconds: no start is before R, nor below 0.
 * @param part its length in samples, and R where it was cut
 * @returns the problem as a phrase when a word starts outside of the audio by more than `OVERHANG_S`
 */
export function onWindow(
  transcript: Transcript,
  part: { readonly samples: number; readonly cutS: number | null },
):
  | { readonly ok: true; readonly transcript: Transcript; readonly movedWords: number }
  | { readonly ok: false; readonly problem: string } {
  const offsetUs = part.cutS === null ? 0 : microsecondsOf(part.cutS)
  // R need not lie on a sample: the part is counted as beginning at R, so it may reach over T by less than a sample.
  const lengthUs = Math.floor((part.samples * 1_000_000) / RATE_HZ) - fractionUs(part.cutS)
  const overhangUs = microsecondsOf(OVERHANG_S)
  let movedWords = 0
  const words = []
  for (const word of transcript.words) {
    const startUs = microsecondsOf(word.startS)
    if (startUs < -overhangUs || startUs > lengthUs + overhangUs) {
      const seconds = secondsOfMicroseconds(lengthUs)
      return { ok: false, problem: `the word "${word.text}" starts at ${word.startS} s of ${seconds} s of audio` }
    }
    const insideUs = Math.min(Math.max(startUs, 0), lengthUs)
    if (insideUs !== startUs) movedWords += 1
    words.push({
      text: word.text,
      startS: secondsOfMicroseconds(offsetUs + insideUs),
      endS: word.endS === null ? null : secondsOfMicroseconds(offsetUs + Math.max(microsecondsOf(word.endS), insideUs)),
    })
  }
  return { ok: true, transcript: { text: transcript.text, words }, movedWords }
}

/** How far R lies behind the sample that the part begins with. */
function fractionUs(cutS: number | null): number {
  if (cutS === null) return 0
  return Math.ceil(microsecondsOf(cutS) - (cutSampleOf(cutS) * 1_000_000) / RATE_HZ)
}
