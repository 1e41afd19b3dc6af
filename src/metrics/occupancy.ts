/** How many sessions were there at once: open in the mean, and inside their whole input at the peak. Pure. */
import type { InstantUs } from '../base/clock.js'
import { tidy } from './distribution.js'
import type { SessionFacts } from './session-facts.js'

/** Time average of the number of open sessions, from the first open to the last close of the level. */
export function meanOpen(sessions: readonly SessionFacts[]): number | null {
  let firstUs = Number.POSITIVE_INFINITY
  let lastUs = Number.NEGATIVE_INFINITY
  let openUs = 0
  for (const { openAtUs, closeAtUs } of sessions) {
    if (openAtUs === undefined || closeAtUs === undefined) continue
    firstUs = Math.min(firstUs, openAtUs)
    lastUs = Math.max(lastUs, closeAtUs)
    openUs += closeAtUs - openAtUs
  }
  return lastUs > firstUs ? tidy(openUs / (lastUs - firstUs)) : null
}

/** Largest number of sessions inside their own closed interval [t0, t0 + T] at one instant. */
export function peakCompleteStreams(sessions: readonly SessionFacts[]): number {
  const edges: { atUs: InstantUs; step: 1 | -1 }[] = []
  for (const { t0Us, inputUs, hasSentAllInput } of sessions) {
    if (t0Us === undefined || !hasSentAllInput) continue
    edges.push({ atUs: t0Us, step: 1 }, { atUs: t0Us + inputUs, step: -1 })
  }
  // Both ends belong to the interval: at one instant, starts come before ends.
  edges.sort((a, b) => a.atUs - b.atUs || b.step - a.step)
  let open = 0
  let peak = 0
  for (const edge of edges) {
    open += edge.step
    peak = Math.max(peak, open)
  }
  return peak
}
