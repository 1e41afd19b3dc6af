/**
 * Resampling by a ratio of whole numbers, equal to `scipy.signal.resample_poly` with its default filter, so that audio
 * prepared here and audio prepared by the field's Python tools are the same.
 */
import { assert } from '../base/errors.js'

export interface ResampleRatio {
  readonly up: number
  readonly down: number
}

const KAISER_BETA = 5
/** Zero crossings of the filter on each side; scipy's choice. */
const HALF_LENGTH_CROSSINGS = 10

/** Samples that `resamplePoly` returns: `ceil(samples × up / down)`, in whole numbers. */
export function resampledLength(samples: number, ratio: ResampleRatio): number {
  const { up, down } = reduced(ratio)
  return Math.ceil((samples * up) / down)
}

/**
 * `out[n] = Σ x[k] · h[n·down + half − k·up]`, the audio taken as zero outside its ends; h is a sinc of cut-off
 * 1 / max(up, down) under a Kaiser window of beta 5, of `2·half + 1` taps with half = 10 · max(up, down), its sum `up`.
 * @param samples one channel, any scale; the input is returned as a copy where up equals down
 * Source: scipy 1.17 `scipy.signal.resample_poly`, `firwin(2·half + 1, 1 / max, window=('kaiser', 5.0))`.
 */
export function resamplePoly(samples: Float64Array, ratio: ResampleRatio): Float64Array {
  const { up, down } = reduced(ratio)
  if (up === down) return samples.slice()
  const halfTaps = HALF_LENGTH_CROSSINGS * Math.max(up, down)
  const phases = polyphase(lowPass(halfTaps, { up, down }), up)
  const output = new Float64Array(resampledLength(samples.length, { up, down }))
  // What the next output needs, kept up to date without a division for each of them.
  const newestStep = Math.floor(down / up)
  const phaseStep = down % up
  let newest = Math.floor(halfTaps / up)
  let phase = halfTaps % up
  let scanned = 0
  let lastSound = -1
  for (let n = 0; n < output.length; n += 1) {
    const taps = phases[phase]
    assert(taps !== undefined, 'every phase has its taps')
    // Tap j of a phase weighs the sample `newest − j`; the loop keeps to the taps whose sample exists.
    const oldest = Math.max(0, newest - taps.length + 1)
    const newestThere = Math.min(newest, samples.length - 1)
    for (; scanned <= newestThere; scanned += 1) if (samples[scanned] !== 0) lastSound = scanned
    // Most of a conversation's window is silence, and zeros under any taps sum to the zero that is there already.
    if (lastSound >= oldest) {
      let sum = 0
      let tap = newest - newestThere
      for (let index = newestThere; index >= oldest; index -= 1, tap += 1) {
        sum += (samples[index] as number) * (taps[tap] as number)
      }
      output[n] = sum
    }
    newest += newestStep
    phase += phaseStep
    if (phase >= up) {
      phase -= up
      newest += 1
    }
  }
  return output
}

/** The ratio between two sample rates in lowest terms. */
export function ratioOfRates(rates: { readonly fromHz: number; readonly toHz: number }): ResampleRatio {
  return reduced({ up: rates.toHz, down: rates.fromHz })
}

function reduced({ up, down }: ResampleRatio): ResampleRatio {
  assert(Number.isSafeInteger(up) && up > 0 && Number.isSafeInteger(down) && down > 0, `resampling by ${up}/${down}`)
  let [a, b] = [up, down]
  while (b !== 0) [a, b] = [b, a % b]
  return { up: up / a, down: down / a }
}

/** The filter's taps, `2·halfTaps + 1` of them, symmetric, with sum `up`. */
function lowPass(halfTaps: number, { up, down }: ResampleRatio): Float64Array {
  const cutOff = 1 / Math.max(up, down)
  const taps = new Float64Array(2 * halfTaps + 1)
  const windowScale = 1 / besselI0(KAISER_BETA)
  let sum = 0
  for (let m = 0; m <= halfTaps; m += 1) {
    const window = besselI0(KAISER_BETA * Math.sqrt(1 - (m / halfTaps) ** 2)) * windowScale
    const tap = sinc(m * cutOff) * window
    taps[halfTaps + m] = tap
    taps[halfTaps - m] = tap
    sum += m === 0 ? tap : 2 * tap
  }
  for (let index = 0; index < taps.length; index += 1) taps[index] = ((taps[index] as number) * up) / sum
  return taps
}

/** Splits the taps into `up` phases: phase p holds taps p, p + up, p + 2·up … */
function polyphase(taps: Float64Array, up: number): Float64Array[] {
  const phases: Float64Array[] = []
  for (let phase = 0; phase < up; phase += 1) {
    phases.push(
      Float64Array.from({ length: Math.ceil((taps.length - phase) / up) }, (_, j) => taps[phase + j * up] ?? 0),
    )
  }
  return phases
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** Modified Bessel function of the first kind and order 0, by its power series; for x up to 5 it ends within 25 terms. */
function besselI0(x: number): number {
  const quarterSquare = (x * x) / 4
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= quarterSquare / (k * k)
    sum += term
  }
  return sum
}
