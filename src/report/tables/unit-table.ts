/**
 * `units`: one row for each unit that was due, with or without a receipt, so that the mean of `missed` over a level is its
 * miss rate. Native profiles only. Columns: docs/exports.md.
 */
import { type InstantUs, US_PER_MS } from '../../base/clock.js'
import type { UnitFacts } from '../../metrics/session-facts.js'
import { type Column, type Table, tableOf } from './table.js'
import { levelSeconds, SESSION_KEY, secondsOf, sessionsOf, type TabledRun, type TabledSession } from './tabled-run.js'

export function unitTable(runs: readonly TabledRun[]): Table {
  return tableOf('units', COLUMNS, sessionsOf(runs).flatMap(unitsOf))
}

interface UnitRow extends TabledSession {
  readonly unit: number
  /** Undefined for a unit without a receipt. */
  readonly done: UnitFacts | undefined
}

function unitsOf(session: TabledSession): UnitRow[] {
  const byNumber = new Map(session.facts.units.map((done) => [done.unit, done]))
  return Array.from({ length: session.facts.unitsExpected ?? 0 }, (_, unit) => ({
    ...session,
    unit,
    done: byNumber.get(unit),
  }))
}

const COLUMNS: readonly Column<UnitRow>[] = [
  ...SESSION_KEY,
  { name: 'unit', type: 'integer', isRequired: true, of: ({ unit }) => unit },
  { name: 'ready_s', type: 'number', of: ({ run, done }) => levelSeconds(run, readyAtUs(done)) },
  { name: 'done_s', type: 'number', of: ({ run, done }) => levelSeconds(run, done?.doneAtUs) },
  { name: 'lag_s', type: 'number', of: ({ done }) => secondsOf(done?.lagUs) },
  { name: 'speak', type: 'boolean', of: ({ done }) => done?.isSpeak },
  { name: 'missed', type: 'boolean', isRequired: true, of: (row) => whyMissed(row) !== null },
  { name: 'why', type: 'text', of: whyMissed },
]

/**
 * The rule of the level row (docs/metrics.md): late, without an established lag, or in a session that failed. What the unit
 * itself did comes first, so that `session_failed` are those that count as missed for their session alone.
 */
function whyMissed({ run, facts, done }: UnitRow): 'no_receipt' | 'no_lag' | 'late' | 'session_failed' | null {
  if (done === undefined) return 'no_receipt'
  if (done.lagUs === undefined) return 'no_lag'
  if (done.lagUs > (run.profile.unit_ms ?? 0) * US_PER_MS) return 'late'
  return facts.hasSucceeded ? null : 'session_failed'
}

function readyAtUs(done: UnitFacts | undefined): InstantUs | undefined {
  return done?.lagUs === undefined ? undefined : done.doneAtUs - done.lagUs
}
