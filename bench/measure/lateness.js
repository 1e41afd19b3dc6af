/** Lateness of sends: start of the write minus the instant at which it was due, for each packet. */

export const LATE_MS = 20
/** Instants are whole microseconds. */
const EARLY_MS = -0.001

/** @param latenessMs of each send, in any order */
export function latenessOf(latenessMs) {
  const sorted = Float64Array.from(latenessMs).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return {
    sends: sorted.length,
    lateness_ms: { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: sorted.at(-1) },
    over_20ms: sorted.filter((value) => value > LATE_MS).length,
    early: sorted.filter((value) => value < EARLY_MS).length,
  }
}
