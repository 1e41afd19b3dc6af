/** What several runs of one level say together, and how a level's work compares with the lowest one's. Pure. */
import { overDispersion } from '../stats/contingency.js'
import { tidy } from './distribution.js'
import type { LevelRow, OverallVerdict } from './level-row.js'

export interface RepeatSummary {
  readonly profile: string
  readonly concurrency: number
  readonly runs: number
  readonly unit_miss_rate: Spread | null
  readonly unit_lag_p95_s: Spread | null
  /** All runs pass the strict campaign gate; null where it is not defined. */
  readonly strict_gate_passes: number | null
  /** Whether the runs disagree more than their units allow (p < 0.01); null with fewer than two runs or without units. */
  readonly over_dispersed: boolean | null
  readonly over_dispersion_p: number | null
  /** Over all runs, in the order of docs/metrics.md, section 8; runs that disagree make it inconclusive. */
  readonly overall_verdict: OverallVerdict
}

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** One summary per profile and concurrency, ascending; levels with a single run included. */
export function repeatSummaries(rows: readonly LevelRow[]): RepeatSummary[] {
  const groups = new Map<string, LevelRow[]>()
  for (const row of rows) {
    const key = `${row.profile}\n${String(row.concurrency).padStart(9, '0')}`
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => summaryOf(group))
}

function summaryOf(rows: readonly LevelRow[]): RepeatSummary {
  const counts = rows.flatMap((row) =>
    row.units_expected === null ? [] : [{ trials: row.units_expected, successes: row.units_missed ?? 0 }],
  )
  const dispersion = overDispersion(counts)
  return {
    profile: rows[0]?.profile ?? '',
    concurrency: rows[0]?.concurrency ?? 0,
    runs: rows.length,
    unit_miss_rate: spreadOf(rows.map((row) => row.unit_miss_rate)),
    unit_lag_p95_s: spreadOf(rows.map((row) => row.unit_lag_s?.p95 ?? null)),
    strict_gate_passes: rows.some((row) => row.strict_gate_pass === null)
      ? null
      : rows.filter((row) => row.strict_gate_pass).length,
    over_dispersed: dispersion?.isFlagged ?? null,
    over_dispersion_p: dispersion === undefined ? null : Number(dispersion.pValue.toPrecision(6)),
    overall_verdict: overallVerdict(rows, dispersion?.isFlagged === true),
  }
}

function overallVerdict(rows: readonly LevelRow[], isOverDispersed: boolean): OverallVerdict {
  const isAny = (verdict: OverallVerdict) => rows.some((row) => row.overall_verdict === verdict)
  if (isAny('invalid')) return 'invalid'
  if (isAny('misses')) return 'misses'
  return isOverDispersed || isAny('inconclusive') ? 'inconclusive' : 'meets'
}

function spreadOf(values: readonly (number | null)[]): Spread | null {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  const min = known[0]
  const max = known.at(-1)
  const lower = known[Math.floor((known.length - 1) / 2)]
  const upper = known[Math.ceil((known.length - 1) / 2)]
  if (min === undefined || max === undefined || lower === undefined || upper === undefined) return null
  return { median: tidy((lower + upper) / 2), min, max }
}

/** A server must not look faster by doing less: work per session below 0.9 of the lowest level's is flagged. */
const WORK_DROP_BELOW = 0.9

export type WorkMeasure = 'units_completed' | 'input_accepted' | 'reply'

/** Which work measures of a row fell more than 10% below those of the lowest level of its profile. */
export function workDrops(row: LevelRow, lowest: LevelRow): WorkMeasure[] {
  const pairs: [WorkMeasure, number | null, number | null][] = [
    ['units_completed', row.units_completed_per_session, lowest.units_completed_per_session],
    ['input_accepted', row.input_accepted_s_per_session, lowest.input_accepted_s_per_session],
    ['reply', row.reply_s_per_session, lowest.reply_s_per_session],
  ]
  return pairs
    .filter(([, value, base]) => value !== null && base !== null && value < WORK_DROP_BELOW * base)
    .map(([measure]) => measure)
}
