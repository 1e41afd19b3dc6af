/** Speech probabilities to speech segments, by the rules of Silero's own Python tools, so that both give the same spans. */
import { assert } from '../base/errors.js'

/** The detector's sample rate and window; fixed by the model. */
export const DETECTOR_RATE_HZ = 16_000
export const WINDOW_SAMPLES = 512

export interface SpeechSegment {
  /** First sample of the segment. */
  readonly startSample: number
  /** First sample after the segment; later than `startSample`. */
  readonly endSample: number
}

export interface SegmentParameters {
  /** A window at or above it starts speech. */
  readonly threshold: number
  /** A window below it may end speech. */
  readonly negThreshold: number
  /** Only longer segments count. */
  readonly minSpeechMs: number
  /** Speech ends when this long has passed since the first window below `negThreshold`, none since reaching `threshold`. */
  readonly minSilenceMs: number
  /** Added on both sides of each segment; half of a gap at most. */
  readonly padMs: number
}

/** The values that our metrics are defined with; Silero's own defaults, but for its padding of 30 ms. */
export const SEGMENT_DEFAULTS: SegmentParameters = {
  threshold: 0.5,
  negThreshold: 0.35,
  minSpeechMs: 250,
  minSilenceMs: 100,
  padMs: 0,
}

export interface SegmentInput extends Partial<SegmentParameters> {
  /** One value for each window of 512 samples at 16 kHz, the last of which may be partial. */
  readonly probabilities: ArrayLike<number>
  /** Samples of the audio at 16 kHz; it bounds the last segment. */
  readonly samples: number
}

/**
 * The speech segments of one stretch of audio, in order, not overlapping, on the grid of windows but for the end of the
 * audio and the padding. Where `threshold` is given and `negThreshold` is not, the latter is `max(threshold − 0.15, 0.01)`.
 * Source: silero-vad 6.2.3, `get_speech_timestamps_from_probs`, 16 kHz. Leaves out a maximum length of speech.
 */
export function speechSegments(input: SegmentInput): SpeechSegment[] {
  const { probabilities, samples } = input
  assert(probabilities.length === Math.ceil(samples / WINDOW_SAMPLES), 'there is one probability for each window')
  const threshold = input.threshold ?? SEGMENT_DEFAULTS.threshold
  const negThreshold = input.negThreshold ?? Math.max(threshold - 0.15, 0.01)
  const minSpeechSamples = samplesOfMs(input.minSpeechMs ?? SEGMENT_DEFAULTS.minSpeechMs)
  const minSilenceSamples = samplesOfMs(input.minSilenceMs ?? SEGMENT_DEFAULTS.minSilenceMs)

  const segments: SpeechSegment[] = []
  let startSample: number | undefined
  /** First sample of the silence that may end the segment. */
  let silenceSample: number | undefined
  for (let index = 0; index < probabilities.length; index += 1) {
    const probability = probabilities[index] as number
    const sample = index * WINDOW_SAMPLES
    if (probability >= threshold) {
      silenceSample = undefined
      startSample ??= sample
    } else if (probability < negThreshold && startSample !== undefined) {
      silenceSample ??= sample
      if (sample - silenceSample < minSilenceSamples) continue
      if (silenceSample - startSample > minSpeechSamples) segments.push({ startSample, endSample: silenceSample })
      startSample = undefined
      silenceSample = undefined
    }
  }
  // Speech that is open at the end lasts to the end, even where a short silence has begun.
  if (startSample !== undefined && samples - startSample > minSpeechSamples) {
    segments.push({ startSample, endSample: samples })
  }
  return padded(segments, { samples, padSamples: samplesOfMs(input.padMs ?? SEGMENT_DEFAULTS.padMs) })
}

/** Widens each segment on both sides; two that are closer than twice the padding share the gap. */
function padded(
  segments: readonly SpeechSegment[],
  { samples, padSamples }: { readonly samples: number; readonly padSamples: number },
): SpeechSegment[] {
  return segments.map((segment, index) => {
    const before = segments[index - 1]
    const after = segments[index + 1]
    return {
      startSample: Math.trunc(Math.max(0, segment.startSample - sharedPad(before, segment, padSamples))),
      endSample: Math.trunc(Math.min(samples, segment.endSample + sharedPad(segment, after, padSamples))),
    }
  })
}

function sharedPad(before: SpeechSegment | undefined, after: SpeechSegment | undefined, padSamples: number): number {
  if (before === undefined || after === undefined) return padSamples
  const gapSamples = after.startSample - before.endSample
  return gapSamples < 2 * padSamples ? Math.floor(gapSamples / 2) : padSamples
}

function samplesOfMs(ms: number): number {
  return (ms * DETECTOR_RATE_HZ) / 1000
}
