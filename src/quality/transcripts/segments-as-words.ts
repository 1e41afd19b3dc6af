/**
 * Speech segments in the place of words: without any recognizer, every stretch of detected speech counts as one word. A
 * definition of its own, comparable with no score from transcripts. Pure.
 */
import type { SpeechSegment } from '../../speech/speech-segments.js'
import { WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import type { SpeechIdentity } from '../unified/unified-result.js'
import type { Transcript } from './transcript.js'
import type { RecognizerIdentity } from './word-source.js'

/** Text of a word that nobody has read. */
export const SEGMENT_TEXT = '[speech]'

/** Segments of a stretch of audio as words of it; times count from its first sample. */
export function segmentsAsWords(segments: readonly SpeechSegment[]): Transcript {
  const words = segments.map(({ startSample, endSample }) => ({
    text: SEGMENT_TEXT,
    startS: startSample / WINDOW_RATE_HZ,
    endS: endSample / WINDOW_RATE_HZ,
  }))
  return { text: words.map(({ text }) => text).join(' '), words }
}

export function vadIdentity(speech: SpeechIdentity): RecognizerIdentity {
  return { kind: 'vad', name: 'vad', details: { ...speech } }
}
