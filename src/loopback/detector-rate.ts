/** Input audio to the 16 kHz float samples that speech detectors take. Pure. */

export const DETECTOR_RATE_HZ = 16_000

/**
 * One unit's samples at 16 kHz, in [-1, 1). Other rates are smoothed over three samples where they are higher, and
 * interpolated linearly, each unit by itself: good enough to tell speech from silence, and nothing else depends on it.
 * Keeping no state between units is what lets the results be shared between sessions.
 */
export function toDetectorRate(pcm: Int16Array, sampleRateHz: number): Float32Array {
  if (sampleRateHz === DETECTOR_RATE_HZ) return Float32Array.from(pcm, (sample) => sample / 32768)
  const source = sampleRateHz > DETECTOR_RATE_HZ ? smooth(pcm) : Float32Array.from(pcm)
  const result = new Float32Array(Math.floor((pcm.length * DETECTOR_RATE_HZ) / sampleRateHz))
  for (let index = 0; index < result.length; index += 1) {
    const position = (index * sampleRateHz) / DETECTOR_RATE_HZ
    const left = Math.floor(position)
    const before = source[left] ?? 0
    const after = source[left + 1] ?? before
    result[index] = (before + (after - before) * (position - left)) / 32768
  }
  return result
}

/** Weights 1, 2, 1: takes most of what lies above the new Nyquist frequency. */
function smooth(pcm: Int16Array): Float32Array {
  return Float32Array.from(pcm, (sample, index) => {
    return ((pcm[index - 1] ?? sample) + 2 * sample + (pcm[index + 1] ?? sample)) / 4
  })
}
