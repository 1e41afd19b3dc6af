/** Trims, levels and frames synthesized speech; samples in, samples out. */
import { assert } from '../base/errors.js'

/** About −6 dBFS, the level at which the detector was checked against these voices. */
export const PEAK = 16_384

/** −40 dB of the peak: above the noise of the voices, which lasts through their own silence (up to −48 dB). */
const SILENCE_RATIO = 0.01

/**
 * Cuts the quiet ends (below −40 dB of the peak) and scales to a peak of 16384 (−6 dBFS).
 * @param pcm speech with at least one sample that is not zero
 * @param marginSamples kept on both sides of the first and last loud sample, for weak onsets
 */
export function trimAndLevel(pcm: Int16Array, marginSamples: number): Int16Array {
  return audibleSpeech(pcm, marginSamples).pcm
}

/** The same, and where the first loud sample and the one after the last are in what was cut out. */
export function audibleSpeech(
  pcm: Int16Array,
  marginSamples: number,
): { readonly pcm: Int16Array; readonly startSample: number; readonly endSample: number } {
  let peak = 0
  for (const sample of pcm) peak = Math.max(peak, Math.abs(sample))
  assert(peak > 0, 'speech is not silent')
  const isLoud = (sample: number): boolean => Math.abs(sample) >= peak * SILENCE_RATIO
  const first = pcm.findIndex(isLoud)
  const afterLast = pcm.findLastIndex(isLoud) + 1
  const start = Math.max(0, first - marginSamples)
  return {
    pcm: pcm.slice(start, afterLast + marginSamples).map((sample) => Math.round((sample * PEAK) / peak)),
    startSample: first - start,
    endSample: afterLast - start,
  }
}

/**
 * Speech between two stretches of digital silence.
 * @param isWholeSeconds lengthens the second stretch until the whole is a multiple of `sampleRateHz`
 */
export function withSilence(
  speech: Int16Array,
  silence: {
    readonly leadSamples: number
    readonly tailSamples: number
    readonly sampleRateHz: number
    readonly isWholeSeconds: boolean
  },
): Int16Array {
  const { leadSamples, tailSamples, sampleRateHz, isWholeSeconds } = silence
  const samples = leadSamples + speech.length + tailSamples
  const framed = new Int16Array(isWholeSeconds ? Math.ceil(samples / sampleRateHz) * sampleRateHz : samples)
  framed.set(speech, leadSamples)
  return framed
}
