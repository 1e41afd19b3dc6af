/**
 * Capacity of both sides. The point rule flips with a single unit near the knee, so a lower capacity is `worse` only where a
 * figure of the level that was lost is. Pure.
 */
import type { LevelRow } from '../../metrics/level-row.js'
import { type Capacity, capacityOf, levelOutcomes } from '../capacity.js'
import { mismatchText, targetMismatch } from './comparability.js'
import type { ComparedRun } from './compared-run.js'
import type { ComparedCapacity, ComparedLevel } from './comparison-result.js'

/**
 * @param options.old runs of one profile; so is `new`
 * @param options.levels compared levels of that profile, verdicts included
 */
export function comparedCapacity(options: {
  readonly profile: string
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
  readonly levels: readonly ComparedLevel[]
}): ComparedCapacity {
  const { profile, levels } = options
  const rowsOf = (runs: readonly ComparedRun[]) => runs.map(({ analysed }) => analysed.row)
  const [oldRows, newRows] = [rowsOf(options.old), rowsOf(options.new)]
  const stated = { profile, old: capacityOf(levelOutcomes(oldRows)), new: capacityOf(levelOutcomes(newRows)) }
  const targets = targetMismatch(options.old, options.new)
  if (targets !== undefined) {
    return { ...stated, point_rule: null, verdict: 'not comparable', notes: [mismatchText(targets)] }
  }
  const common = new Set(
    levels.filter(({ verdict }) => verdict !== 'not comparable').map(({ concurrency }) => concurrency),
  )
  const [old, fresh] = [oldRows, newRows].map((rows) =>
    capacityOf(levelOutcomes(rows.filter(({ concurrency }) => common.has(concurrency)))),
  ) as [Capacity, Capacity]
  if (common.size === 0) {
    return { ...stated, point_rule: null, verdict: 'not comparable', notes: ['no level compares'] }
  }
  const difference = (fresh.sessions ?? 0) - (old.sessions ?? 0)
  const open = inconclusiveNotes({ oldRows, newRows, old, new: fresh, isDifferent: difference !== 0 })
  if (difference === 0) return { ...stated, point_rule: 'same', verdict: 'no difference shown', notes: open }
  const pointRule = difference < 0 ? 'lower' : 'higher'
  const wanted = difference < 0 ? 'worse' : 'better'
  // The level at which one side misses and the other does not.
  const deciding = difference < 0 ? fresh.first_missing_level : old.first_missing_level
  const level = levels.find(({ concurrency }) => concurrency === deciding)
  const isShown = level?.metrics.some(({ verdict }) => verdict === wanted) === true
  return {
    ...stated,
    point_rule: pointRule,
    verdict: isShown ? wanted : 'no difference shown',
    notes: [
      ...(isShown || deciding === null
        ? []
        : [`${pointRule} by the point rule, but no figure of level ${deciding} is shown to be ${wanted}`]),
      ...open,
    ],
  }
}

/** Levels beside the capacity at which too few units were seen to be sure of the target. */
function inconclusiveNotes(options: {
  readonly oldRows: readonly LevelRow[]
  readonly newRows: readonly LevelRow[]
  readonly old: Capacity
  readonly new: Capacity
  readonly isDifferent: boolean
}): string[] {
  if (!options.isDifferent) return []
  const note = (side: 'OLD' | 'NEW', rows: readonly LevelRow[]) =>
    [
      ...new Set(
        [options.old, options.new].flatMap(({ sessions, first_missing_level: missing }) => [sessions, missing]),
      ),
    ]
      .filter((level) => level !== null)
      .sort((a, b) => a - b)
      .filter((level) =>
        rows.some(({ concurrency, confident_verdict: verdict }) => concurrency === level && verdict === 'inconclusive'),
      )
      .map((level) => `level ${level} of ${side} is inconclusive at 95%`)
  return [...note('OLD', options.oldRows), ...note('NEW', options.newRows)]
}
