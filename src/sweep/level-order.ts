/** In which order the levels of a sweep run, and how many sessions each has. Pure; the order is recorded with the result. */
import type { SweepConfig } from '../profile/sweep-file.js'
import { deriveSeed, seededRandom } from '../stats/random.js'

export interface PlannedLevel {
  readonly concurrency: number
  /** From 1. */
  readonly repeat: number
  readonly sessions: number
}

/**
 * All levels of the first repeat, then all of the second, and so on: drift of a warm server then falls on every level
 * alike instead of on the last one's repeats.
 */
export function plannedLevels(
  config: Pick<SweepConfig, 'levels' | 'order' | 'repeats' | 'sessions' | 'seed'>,
  inputs: number,
): PlannedLevel[] {
  const planned: PlannedLevel[] = []
  for (let repeat = 1; repeat <= config.repeats; repeat += 1) {
    for (const concurrency of orderedLevels(config, repeat)) {
      planned.push({ concurrency, repeat, sessions: sessionsOfLevel(config.sessions, concurrency, inputs) })
    }
  }
  return planned
}

function orderedLevels(config: Pick<SweepConfig, 'levels' | 'order' | 'seed'>, repeat: number): readonly number[] {
  switch (config.order) {
    case 'ascending':
      return [...config.levels].sort((a, b) => a - b)
    case 'descending':
      return [...config.levels].sort((a, b) => b - a)
    case 'shuffled':
      return seededRandom(deriveSeed(config.seed, `order-${repeat}`)).shuffle(config.levels)
    default:
      return config.levels
  }
}

export function sessionsOfLevel(sessions: SweepConfig['sessions'], concurrency: number, inputs: number): number {
  if (sessions === 'all') return Math.max(inputs, 2 * concurrency)
  return 'count' in sessions ? sessions.count : sessions.per_slot * concurrency
}
