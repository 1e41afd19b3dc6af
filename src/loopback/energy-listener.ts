/**
 * Hears by loudness alone, and answers at once: for runs with so many sessions that a speech detector would take the
 * processor, and for tests. A window counts as speech when its RMS is at or above the threshold, so noise and music do too.
 */
import { DETECTOR_RATE_HZ, toDetectorRate } from './detector-rate.js'
import { foldWindows, START_OF_HEARING, type UnitListener, WINDOW_MS } from './hearing.js'
import { cutWindows } from './windows.js'

/** About -40 dB of full scale: well above room noise in the datasets, well below soft speech. */
export const ENERGY_THRESHOLD = 0.01

const WINDOW_SAMPLES = (WINDOW_MS * DETECTOR_RATE_HZ) / 1000

export function energyListener(sampleRateHz: number): UnitListener {
  let state = START_OF_HEARING
  let rest: Float32Array = new Float32Array(0)
  return {
    hear(pcm) {
      const cut = cutWindows(rest, toDetectorRate(pcm, sampleRateHz), WINDOW_SAMPLES)
      rest = cut.rest
      const folded = foldWindows(
        state,
        cut.windows.map((window) => (rms(window) >= ENERGY_THRESHOLD ? 1 : 0)),
      )
      state = folded.state
      return folded.heard
    },
  }
}

function rms(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}
