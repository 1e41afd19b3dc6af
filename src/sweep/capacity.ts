/**
 * Names the capacity from the levels that were measured. Point rule of docs/metrics.md, section 7: the highest level below
 * the first one that misses; decided only from levels below the first invalid one. Pure.
 */
import type { LevelRow, MissedTarget } from '../metrics/level-row.js'

export type LevelState = 'meets' | 'misses' | 'invalid'

export interface LevelOutcome {
  readonly concurrency: number
  /** Meets only if every run meets; invalid if one is. */
  readonly state: LevelState
  readonly runs: number
  readonly missedTargets: readonly MissedTarget[]
}

export interface Capacity {
  readonly status: /** The level above misses. */
    | 'exact'
    /** Nothing above was measured: it may be more. */
    | 'at_least'
    /** The first level misses. */
    | 'none'
    /** The first level is invalid, or nothing was recorded. */
    | 'undecided'
  /** Sessions at once; null where there is none or it is undecided. */
  readonly sessions: number | null
  readonly first_missing_level: number | null
  readonly invalid_levels: readonly number[]
  /** Levels above the first miss that meet their targets all the same: worth a repeat. */
  readonly meets_above: readonly number[]
}

export function levelOutcomes(rows: readonly LevelRow[]): LevelOutcome[] {
  const byConcurrency = new Map<number, LevelRow[]>()
  for (const row of rows) {
    const group = byConcurrency.get(row.concurrency)
    if (group === undefined) byConcurrency.set(row.concurrency, [row])
    else group.push(row)
  }
  return [...byConcurrency.entries()]
    .sort(([a], [b]) => a - b)
    .map(([concurrency, group]) => ({
      concurrency,
      state: group.some(({ valid }) => !valid)
        ? ('invalid' as const)
        : group.every((row) => row.meets_targets)
          ? ('meets' as const)
          : ('misses' as const),
      runs: group.length,
      missedTargets: [...new Set(group.flatMap((row) => row.missed_targets))],
    }))
}

export function capacityOf(levels: readonly LevelOutcome[]): Capacity {
  const sorted = [...levels].sort((a, b) => a.concurrency - b.concurrency)
  const stopIndex = sorted.findIndex(({ state }) => state !== 'meets')
  const below = stopIndex < 0 ? sorted : sorted.slice(0, stopIndex)
  const highest = below.at(-1)?.concurrency ?? null
  const stopper = stopIndex < 0 ? undefined : sorted[stopIndex]
  const above = stopIndex < 0 ? [] : sorted.slice(stopIndex + 1)
  const common = {
    sessions: highest,
    invalid_levels: sorted.filter(({ state }) => state === 'invalid').map(({ concurrency }) => concurrency),
    meets_above: above.filter(({ state }) => state === 'meets').map(({ concurrency }) => concurrency),
  }
  if (stopper?.state === 'misses') {
    return { status: highest === null ? 'none' : 'exact', ...common, first_missing_level: stopper.concurrency }
  }
  return { status: highest === null ? 'undecided' : 'at_least', ...common, first_missing_level: null }
}
