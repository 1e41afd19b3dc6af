/** The progress of a level out of that of its senders. Pure. */
import type { LevelProgress } from './sender-messages.js'

/** Counts add up, the worst delay is the worst of all; histograms stay apart, to be added up by whoever shows them. */
export function mergedProgress(parts: readonly LevelProgress[]): LevelProgress {
  const sum = (of: (part: LevelProgress) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    open: sum(({ open }) => open),
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    denied: sum(({ denied }) => denied),
    total: sum(({ total }) => total),
    sendLatenessUs: parts.flatMap(({ sendLatenessUs }) => sendLatenessUs),
    unitLagUs: parts.flatMap(({ unitLagUs }) => unitLagUs),
    missedUnits: sum(({ missedUnits }) => missedUnits),
    loopDelayMaxMs: parts.reduce((most, { loopDelayMaxMs }) => Math.max(most, loopDelayMaxMs), 0),
  }
}
