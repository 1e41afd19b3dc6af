/**
 * Milliseconds on the wire against whole samples in the program. A millisecond of 16 kHz audio is 16 samples, so every
 * sample count is an exact binary fraction of milliseconds and servers are held to equality. At other rates it is not
 * (20 samples at 24 kHz are 0.8333… ms), and a server may round on its way: values agree within a millionth.
 */

/** The one sample rate whose milliseconds are compared for equality. */
const EXACT_RATE_HZ = 16_000
const TOLERANCE_MS = 1e-6

export function msOfSamples(samples: number, sampleRateHz: number): number {
  return (samples * 1000) / sampleRateHz
}

/** Whether a wire value, of any JSON type, is the required number of milliseconds at this sample rate. */
export function isSameMs(found: unknown, requiredMs: number, sampleRateHz: number): boolean {
  if (typeof found !== 'number') return false
  return sampleRateHz === EXACT_RATE_HZ ? found === requiredMs : Math.abs(found - requiredMs) <= TOLERANCE_MS
}
