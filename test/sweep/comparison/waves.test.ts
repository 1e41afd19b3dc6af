import { expect, test } from 'vitest'
import type { ComparedSession } from '../../../src/sweep/comparison/compared-run.js'
import { wavesOf } from '../../../src/sweep/comparison/waves.js'
import { factsWith } from '../../helpers/measured-levels.js'

/** So many sessions in each of so many runs of both sides, begun in the order of their strata. */
function sessionsOf(sessions: number, runs: readonly [number, number]): ComparedSession[] {
  return ([0, 1] as const).flatMap((side) =>
    Array.from({ length: runs[side] }, (_, run) =>
      Array.from({ length: sessions }, (_, place) => ({ facts: factsWith(), side, run, stratum: place, place })),
    ).flat(),
  )
}

test.each([
  { name: 'three waves', sessions: 6, concurrency: 2, runs: [1, 1], groups: [0, 0, 1, 1, 2, 2] },
  { name: 'the rest joins the last wave', sessions: 5, concurrency: 2, runs: [1, 1], groups: [0, 0, 1, 1, 1] },
  { name: 'fewer sessions than slots', sessions: 3, concurrency: 4, runs: [1, 1], groups: [0, 0, 0] },
  { name: 'at most eight groups', sessions: 10, concurrency: 1, runs: [1, 1], groups: [0, 0, 1, 2, 3, 4, 4, 5, 6, 7] },
  { name: 'repeats side by side', sessions: 2, concurrency: 1, runs: [2, 2], groups: [0, 1, 2, 3] },
  { name: 'repeats of one side pooled', sessions: 2, concurrency: 1, runs: [2, 1], groups: [0, 1, 0, 1] },
] as const)('$name', ({ sessions, concurrency, runs, groups }) => {
  const all = sessionsOf(sessions, runs)
  const waves = wavesOf(all, concurrency)
  expect(waves.groupOf.slice(0, groups.length)).toEqual(groups)
  expect(waves.groups).toBe(Math.max(...groups) + 1)
  // Both sides of a pair stand in one group.
  for (const [index, { side, run, stratum }] of all.entries()) {
    if (runs[0] !== runs[1] || side === 0) continue
    const other = all.findIndex((pair) => pair.side === 0 && pair.run === run && pair.stratum === stratum)
    expect(waves.groupOf[index]).toBe(waves.groupOf[other])
  }
})
