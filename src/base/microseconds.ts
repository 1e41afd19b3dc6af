/** Media times of files (annotations, words, segments) as whole microseconds, so that no float noise decides a comparison. */

/**
 * Seconds to the whole number of microseconds nearest to the exact value of the double, half way to even: what Python's
 * `round(seconds, 6)` gives, times a million.
 * @param seconds finite, below 2^53 microseconds
 * Source: docs/metrics.md, "Unified turn-taking metrics", choice of the rounding.
 */
export function microsecondsOf(seconds: number): number {
  // A double lies exactly half way between two microseconds only at odd multiples of 1/128 s: a microsecond is 2^-6 · 5^-6.
  const scaled = seconds * 128
  if (Number.isInteger(scaled) && scaled % 2 !== 0) {
    const below = Math.floor(scaled * 7812.5)
    return below % 2 === 0 ? below : below + 1
  }
  // toFixed rounds the exact value, where `seconds * 1e6` would round the product first.
  const rounded = Math.round(Number(seconds.toFixed(6)) * 1e6)
  return rounded === 0 ? 0 : rounded
}

/** Back to seconds, for files: at most six decimals. */
export function secondsOfMicroseconds(us: number): number {
  return us / 1e6
}
