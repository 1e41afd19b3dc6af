/**
 * When sessions begin. The policy changes the load that a server sees, so it is recorded with every result, and results
 * under different policies do not compare (docs/metrics.md, section 2).
 *
 * - `pool`: N slots; each takes the next input as soon as its session has ended. The default, as the field does it.
 * - `aligned`: waves of N sessions; a wave begins when the one before has ended, and its packets share one start.
 * - `spread`: as aligned, with the starts of a wave spread evenly over one packet interval.
 * - `poisson`: arrivals at a seeded Poisson process whose rate keeps N sessions open in the mean (Little's law); how many
 *   are open at an instant follows from the arrivals.
 */
import type { DurationUs } from '../base/clock.js'
import type { StartPolicy } from '../profile/sweep-file.js'
import { seededRandom } from '../stats/random.js'

/** Whether sessions begin in waves that start together. */
export function isWaves(policy: StartPolicy): boolean {
  return policy === 'aligned' || policy === 'spread'
}

/** Offsets of the arrivals from the start of the level; the first arrives at once. */
export function poissonArrivalsUs(options: {
  readonly sessions: number
  readonly concurrency: number
  /** Mean time that a session stays open, for the arrival rate. */
  readonly meanSessionUs: DurationUs
  readonly seed: string
}): DurationUs[] {
  const random = seededRandom(options.seed)
  const meanGapUs = options.meanSessionUs / options.concurrency
  const arrivals: DurationUs[] = []
  let atUs = 0
  for (let index = 0; index < options.sessions; index += 1) {
    arrivals.push(Math.round(atUs))
    atUs += random.exponential(meanGapUs)
  }
  return arrivals
}
