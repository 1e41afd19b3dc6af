/** Two captures of the same samples side by side. Pure. */

import type { UnifiedRow } from '../unified/unified-result.js'
import { isExercised, isScored, type ScoredRow } from './compared-metrics.js'

export interface Overlap {
  readonly both: number
  readonly level_only: number
  readonly baseline_only: number
  readonly neither: number
}

export interface PairedSample {
  readonly baseline: ScoredRow
  readonly level: ScoredRow
}

export interface PairedSubset {
  readonly subset: string
  /** Over the samples selected in either capture: whose window can be scored. */
  readonly eligible: Overlap
  /** Over the samples eligible in both: whose interruption cut into speech. Null for other tasks. */
  readonly exercised: Overlap | null
  readonly pairs: readonly PairedSample[]
}

/** The subsets in the order of their first row. A sample that one capture did not select counts as not eligible there. */
export function pairSamples(captures: {
  readonly baseline: readonly UnifiedRow[]
  readonly level: readonly UnifiedRow[]
}): PairedSubset[] {
  const baseline = bySample(captures.baseline)
  const level = bySample(captures.level)
  const keys = [...new Set([...baseline.keys(), ...level.keys()])]
  const subsets = [...new Set([...captures.baseline, ...captures.level].map(({ subset }) => subset))]
  return subsets.map((subset) => {
    const own = keys.flatMap((key) => {
      const rows = { baseline: baseline.get(key), level: level.get(key) }
      return (rows.baseline ?? rows.level)?.subset === subset ? [rows] : []
    })
    const pairs = own.flatMap(({ baseline: before, level: after }) =>
      before !== undefined && after !== undefined && isScored(before) && isScored(after)
        ? [{ baseline: before, level: after }]
        : [],
    )
    const exercised = pairs.map((pair) => ({ baseline: isExercised(pair.baseline), level: isExercised(pair.level) }))
    return {
      subset,
      eligible: overlapOf(
        own.map((rows) => ({ baseline: rows.baseline?.eligible === true, level: rows.level?.eligible === true })),
      ),
      exercised: exercised.some(({ baseline: before }) => before !== undefined) ? overlapOf(exercised) : null,
      pairs,
    }
  })
}

function bySample(rows: readonly UnifiedRow[]): Map<string, UnifiedRow> {
  return new Map(rows.map((row) => [`${row.subset}\n${row.sample_id}`, row]))
}

function overlapOf(
  states: readonly { readonly baseline: boolean | undefined; readonly level: boolean | undefined }[],
): Overlap {
  const count = (before: boolean, after: boolean) =>
    states.filter(({ baseline, level }) => (baseline === true) === before && (level === true) === after).length
  return {
    both: count(true, true),
    level_only: count(false, true),
    baseline_only: count(true, false),
    neither: count(false, false),
  }
}
