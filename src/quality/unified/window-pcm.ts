/** The samples of an exported window, or why the file is none: mono, 16 bits, 16 kHz, exactly as long as the input. */
import { parseWav } from '../../dataset/wav.js'
import { wavMonoPcm16 } from '../../dataset/wav-samples.js'
import { WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import type { Checked } from './check-sample.js'

/** @param totalUs T; where it is no whole number of samples, the nearest one counts */
export function windowPcm(bytes: Uint8Array, totalUs: number): Checked<Int16Array> {
  const audio = parseWav(bytes)
  if (!audio.ok) return { ok: false, problem: audio.problem }
  const { encoding, channels, sampleRateHz, frames } = audio
  if (encoding !== 'pcm16' || channels !== 1 || sampleRateHz !== WINDOW_RATE_HZ) {
    const found = `${encoding}, ${channels} channel(s), ${sampleRateHz} Hz`
    return { ok: false, problem: `is ${found}; it must be mono PCM16 at ${WINDOW_RATE_HZ} Hz` }
  }
  const samples = (totalUs * WINDOW_RATE_HZ) / 1e6
  if (Math.abs(frames - samples) > 0.5) {
    return {
      ok: false,
      problem: `holds ${frames} samples; the input of ${totalUs / 1e6} s has ${Math.round(samples)} at ${WINDOW_RATE_HZ} Hz`,
    }
  }
  return { ok: true, value: wavMonoPcm16(audio) }
}
