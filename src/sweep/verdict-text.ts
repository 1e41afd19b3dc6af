/** The verdict in words that a person can act on. Pure text from figures; the first line stands alone. */
import type { LevelRow, MissedTarget } from '../metrics/level-row.js'
import type { RepeatSummary } from '../metrics/repeats.js'
import type { Targets } from '../profile/profile.js'
import type { Capacity } from './capacity.js'

export interface VerdictInput {
  readonly capacity: Capacity
  readonly rows: readonly LevelRow[]
  readonly repeats: readonly RepeatSummary[]
  readonly targets: Targets
}

export function verdictLines({ capacity, rows, repeats, targets }: VerdictInput): string[] {
  return [
    capacityLine(capacity, rows, targets),
    ...confidenceLines(capacity, rows),
    ...streamLines(rows),
    ...repeatLines(capacity, repeats),
    ...uncertainLines(rows),
    ...capacity.meets_above.map(
      (level) => `Level ${level} meets its targets above the first miss: repeat both levels.`,
    ),
  ]
}

function capacityLine(capacity: Capacity, rows: readonly LevelRow[], targets: Targets): string {
  const missing = capacity.first_missing_level
  const figure = capacity.sessions === null ? '' : figureAt(rows, capacity.sessions)
  const why = missing === null ? '' : `level ${missing} misses: ${missReasons(rows, missing, targets)}`
  const invalid = capacity.invalid_levels.map((level) => `level ${level} is invalid: ${invalidReason(rows, level)}`)
  const tail = [why, ...invalid].filter((text) => text !== '').join('; ')
  switch (capacity.status) {
    case 'exact':
      return `Capacity: ${sessions(capacity.sessions)} at once${figure}; ${tail}.`
    case 'at_least':
      return capacity.invalid_levels.length > 0
        ? `Capacity: at least ${sessions(capacity.sessions)} at once${figure}; ${tail}.`
        : `Capacity: at least ${sessions(capacity.sessions)} at once${figure}; every level meets its targets, record a higher one.`
    case 'none':
      return `Capacity: none; ${tail}.`
    default:
      return rows.length === 0
        ? 'Capacity: undecided; no level was recorded.'
        : `Capacity: undecided; ${tail || 'nothing was measured'}.`
  }
}

/** What the level was judged by: unit misses where there are units, the replies' real-time factor where there are turns. */
function figureAt(rows: readonly LevelRow[], level: number): string {
  const own = rows.filter((row) => row.concurrency === level)
  const misses = own.map((row) => (row.mode === 'native' ? row.unit_miss_rate : null)).filter((rate) => rate !== null)
  if (misses.length > 0) return ` (unit miss ${percent(Math.max(...misses))})`
  const factors = own.map((row) => row.rtf?.p90).filter((factor) => factor !== undefined)
  return factors.length > 0 ? ` (RTF p90 ${Math.max(...factors).toFixed(2)})` : ''
}

function sessions(count: number | null): string {
  return `${count} session${count === 1 ? '' : 's'}`
}

function missReasons(rows: readonly LevelRow[], level: number, targets: Targets): string {
  const missing = rows.filter((row) => row.concurrency === level && !row.meets_targets)
  const worst = missing[0]
  if (worst === undefined) return ''
  return worst.missed_targets.map((target) => describeMiss(worst, target, targets)).join(', ')
}

/** One missed target with its figure and its limit. */
export function describeMiss(row: LevelRow, target: MissedTarget, targets: Targets): string {
  switch (target) {
    case 'sessions_failed':
      return `${row.sessions_failed} of ${row.sessions_attempted} sessions failed`
    case 'denied':
      return `${row.denied} denied`
    case 'pacing_violations':
      return violations(row.pacing_violations)
    case 'unit_miss_rate':
      return row.unit_miss_rate === null
        ? 'no unit was expected'
        : `unit miss ${percent(row.unit_miss_rate)} (at most ${percent(targets.unit_miss_rate_max)})`
    case 'rtf_p90':
      return row.rtf === null
        ? 'no reply with a real-time factor'
        : `RTF p90 ${row.rtf.p90.toFixed(2)} (below ${targets.rtf_p90_below})`
    default:
      return target satisfies never
  }
}

function invalidReason(rows: readonly LevelRow[], level: number): string {
  const row = rows.find(({ concurrency, valid }) => concurrency === level && !valid)
  if (row === undefined || row.sessions_attempted === 0) return 'no session was attempted'
  return row.pacing_violations > 0
    ? `the load generator fell behind (${violations(row.pacing_violations)})`
    : 'the recording was not finished'
}

function violations(count: number): string {
  return `${count} pacing violation${count === 1 ? '' : 's'}`
}

/** What a protocol without deadlines can show. */
function streamLines(rows: readonly LevelRow[]): string[] {
  return rows.some(({ mode }) => mode === 'stream')
    ? ['Admission and pacing only: this protocol has neither unit receipts nor turns, so no deadline was judged.']
    : []
}

/** How sure the capacity is: the verdict of its highest level at 95%. */
function confidenceLines(capacity: Capacity, rows: readonly LevelRow[]): string[] {
  if (capacity.sessions === null) return []
  const atCapacity = rows.filter(({ concurrency, mode }) => concurrency === capacity.sessions && mode === 'native')
  return atCapacity.slice(0, 1).flatMap((row) => {
    const bound = row.unit_miss_bound95
    if (bound === null || row.confident_verdict === null) return []
    const counts = `${row.units_missed} of ${row.units_expected} units missed, ${percent(bound.low)} to ${percent(bound.high)} at 95%`
    if (row.confident_verdict === 'qualified') return [`Shown with 95% confidence: ${counts}.`]
    const further =
      row.further_sessions_to_settle === null
        ? ''
        : `; ${row.further_sessions_to_settle} more sessions at this rate would settle it`
    return [`Not shown with 95% confidence: ${counts}${further}.`]
  })
}

function repeatLines(capacity: Capacity, repeats: readonly RepeatSummary[]): string[] {
  const lines: string[] = []
  const own = repeats.find(({ concurrency }) => concurrency === capacity.sessions)
  if (own !== undefined && own.runs > 1 && own.strict_gate_passes !== null) {
    lines.push(
      own.strict_gate_passes === own.runs
        ? `Confirmed by ${own.runs} runs of level ${own.concurrency} (strict gate).`
        : `Not confirmed: ${own.strict_gate_passes} of ${own.runs} runs of level ${own.concurrency} pass the strict gate.`,
    )
  }
  for (const repeat of repeats) {
    if (repeat.over_dispersed === true) {
      lines.push(
        `Runs of level ${repeat.concurrency} disagree more than their units allow (p = ${repeat.over_dispersion_p}): trust the spread over runs, not the interval.`,
      )
    }
  }
  return lines
}

function uncertainLines(rows: readonly LevelRow[]): string[] {
  return rows
    .filter((row) => row.meets_without_uncertain === true)
    .map(
      (row) =>
        `Level ${row.concurrency} would meet its unit target without the ${row.uncertain_misses} misses that a stall of this client could explain: record it again on a quiet host.`,
    )
}

export function percent(rate: number): string {
  const value = rate * 100
  if (value === 0) return '0%'
  return `${value >= 10 ? value.toFixed(1) : value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)}%`
}
