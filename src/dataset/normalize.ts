/**
 * Audio of any form to what is sent: mono PCM16 at the server's input rate.
 * Source: docs/inputs.md, "Normalization".
 */
import { roundHalfToEven } from '../base/round-half-even.js'
import { ratioOfRates, resamplePoly } from './resample.js'
import type { WavAudio, WavEncoding } from './wav.js'
import { wavChannel, wavMonoPcm16 } from './wav-samples.js'

export interface NormalizedAudio {
  readonly pcm: Int16Array
  /** What was done, in order, as short phrases for the user; empty where the samples are the file's own. */
  readonly actions: string[]
}

const ENCODING_NAMES: Readonly<Record<WavEncoding, string>> = {
  pcm8: '8-bit',
  pcm16: '16-bit',
  pcm24: '24-bit',
  pcm32: '32-bit',
  float32: '32-bit float',
  float64: '64-bit float',
}

/** An encoding as the user knows it: "24-bit", "32-bit float". */
export function encodingName(encoding: WavEncoding): string {
  return ENCODING_NAMES[encoding]
}

/**
 * Mono PCM16 at the target rate is copied sample for sample. Anything else: average the channels, resample
 * (`resamplePoly`), multiply by 32768, round half to even, clip to 16 bits.
 */
export function normalizeToPcm16(audio: WavAudio, targetRateHz: number): NormalizedAudio {
  const { encoding, channels, sampleRateHz } = audio
  if (encoding === 'pcm16' && channels === 1 && sampleRateHz === targetRateHz) {
    return { pcm: wavMonoPcm16(audio), actions: [] }
  }
  const actions: string[] = []
  if (encoding !== 'pcm16') actions.push(`converted from ${encodingName(encoding)}`)
  if (channels > 1) actions.push(`averaged ${channels} channels`)
  let samples = averagedChannels(audio)
  if (sampleRateHz !== targetRateHz) {
    actions.push(`resampled ${sampleRateHz} Hz to ${targetRateHz} Hz`)
    samples = resamplePoly(samples, ratioOfRates({ fromHz: sampleRateHz, toHz: targetRateHz }))
  }
  const { pcm, clippedSamples } = pcm16FromUnit(samples)
  if (clippedSamples > 0) actions.push(`clipped ${clippedSamples} samples`)
  return { pcm, actions }
}

/** Samples of full scale 1 to PCM16: times 32768, half to even, clipped to −32768..32767. Asserts nothing: NaN gives 0. */
export function pcm16FromUnit(samples: Float64Array): { pcm: Int16Array; clippedSamples: number } {
  const pcm = new Int16Array(samples.length)
  let clippedSamples = 0
  for (let index = 0; index < samples.length; index += 1) {
    const rounded = roundHalfToEven((samples[index] as number) * 32_768)
    const clipped = Math.min(32_767, Math.max(-32_768, rounded))
    if (clipped !== rounded) clippedSamples += 1
    pcm[index] = clipped
  }
  return { pcm, clippedSamples }
}

/** PCM16 to samples of full scale 1; exact. */
export function unitFromPcm16(pcm: Int16Array): Float64Array {
  return Float64Array.from(pcm, (sample) => sample / 32_768)
}

/** PCM16 from one sample rate to another, through `resamplePoly`; a copy where the rates are equal. */
export function resamplePcm16(pcm: Int16Array, rates: { readonly fromHz: number; readonly toHz: number }): Int16Array {
  if (rates.fromHz === rates.toHz) return pcm.slice()
  return pcm16FromUnit(resamplePoly(unitFromPcm16(pcm), ratioOfRates(rates))).pcm
}

function averagedChannels(audio: WavAudio): Float64Array {
  const sum = wavChannel(audio, 0)
  if (audio.channels === 1) return sum
  for (let channel = 1; channel < audio.channels; channel += 1) {
    const samples = wavChannel(audio, channel)
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] as number) + (samples[index] as number)
  }
  for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] as number) / audio.channels
  return sum
}
