/** Segments in samples to spans in microseconds on the window. */
import { microsecondsOf } from '../../base/microseconds.js'
import type { SpeechSegment } from '../../speech/speech-segments.js'
import { WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import type { SpanUs } from './loaded-sample.js'

/**
 * @param window.samples of the detected audio; a segment that reaches its last sample ends at T, also where T was written
 *   with fewer digits than a sample needs
 */
export function detectedSpeech(
  segments: readonly SpeechSegment[],
  window: { readonly samples: number; readonly totalUs: number },
): readonly SpanUs[] {
  return segments.map(({ startSample, endSample }) => ({
    startUs: microsecondsOf(startSample / WINDOW_RATE_HZ),
    endUs: endSample >= window.samples ? window.totalUs : microsecondsOf(endSample / WINDOW_RATE_HZ),
  }))
}
