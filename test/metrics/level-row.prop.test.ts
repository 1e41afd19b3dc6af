import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import { deniedFacts, factsWith, rowOf } from '../helpers/measured-levels.js'

const lagUs = fc.oneof(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 999_999, max: 3_000_000 }))

/** Sessions as a level may hold them; names are given when they are put together. */
const session: fc.Arbitrary<SessionFacts> = fc.oneof(
  fc
    .record({
      lagsUs: fc.array(lagUs, { minLength: 1, maxLength: 8 }),
      hasSucceeded: fc.boolean(),
      openAtUs: fc.integer({ min: 0, max: 20_000_000 }),
      lateUs: fc.integer({ min: -1000, max: 79_000 }),
      isPaced: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    })
    .map(({ openAtUs, lateUs, isPaced, ...rest }) =>
      factsWith({
        ...rest,
        openAtUs,
        t0Us: openAtUs + 1000,
        closeAtUs: openAtUs + 9_000_000,
        pacing: { problems: isPaced ? [] : ['late'], latenessUs: [0, lateUs], isInputStalled: false },
        replyS: Math.abs(lateUs) / 1000,
      }),
    ),
  fc.constant(deniedFacts()),
)
const level = fc
  .array(session, { maxLength: 6 })
  .map((sessions) => sessions.map((facts, index) => ({ ...facts, name: `s${index}` })))
const shuffledLevel = level.chain((sessions) =>
  fc.tuple(fc.constant(sessions), fc.shuffledSubarray(sessions, { minLength: sessions.length })),
)
const failed = session.map((facts) => ({ ...facts, name: 'z', hasSucceeded: false, reasons: ['N9'] }))

const RUNS = { numRuns: 60 }

describe('any level', () => {
  it('has the same row in whatever order its sessions are read', () => {
    fc.assert(
      fc.property(shuffledLevel, ([sessions, shuffled]) => {
        expect(rowOf(shuffled)).toEqual(rowOf(sessions))
      }),
      RUNS,
    )
  })

  it('is never improved by a failed session', () => {
    fc.assert(
      fc.property(level, failed, (sessions, worse) => {
        const concurrency = Math.max(1, sessions.length)
        const before = rowOf(sessions, { concurrency })
        const after = rowOf([...sessions, worse], { concurrency })
        expect(after.units_missed ?? 0).toBeGreaterThanOrEqual(before.units_missed ?? 0)
        expect(after.unit_miss_rate ?? 0).toBeGreaterThanOrEqual(before.unit_miss_rate ?? 0)
        expect(after.sessions_failed).toBe(before.sessions_failed + 1)
        expect(after.sessions_succeeded).toBe(before.sessions_succeeded)
        expect(after.meets_targets).toBe(false)
        expect(after.strict_gate_pass).toBe(false)
        expect(after.missed_targets).toEqual(expect.arrayContaining([...before.missed_targets]))
      }),
      RUNS,
    )
  })

  it('has figures that agree with each other', () => {
    fc.assert(
      fc.property(level, (sessions) => {
        const row = rowOf(sessions)
        expect(row.sessions_succeeded + row.sessions_failed).toBe(row.sessions_attempted)
        expect(row.denied).toBeLessThanOrEqual(row.sessions_failed)
        expect(row.units_late_or_missing ?? 0).toBeLessThanOrEqual(row.units_missed ?? 0)
        expect(row.units_missed ?? 0).toBeLessThanOrEqual(row.units_expected ?? 0)
        expect(row.peak_complete_streams).toBeLessThanOrEqual(row.sessions_attempted)
        expect(row.mean_open ?? 0).toBeLessThanOrEqual(row.sessions_attempted)
        expect((row.unit_lag_s?.n ?? 0) === 0).toBe(row.unit_lag_s === null)
        expect((row.speak_unit_lag_s?.n ?? 0) + (row.listen_unit_lag_s?.n ?? 0)).toBe(row.unit_lag_s?.n ?? 0)
        const { unit_lag_s: lag, unit_miss_bound95: bound } = row
        if (lag !== null) expect([lag.p50, lag.p90, lag.p95, lag.p99, lag.max]).toEqual(sorted(lag))
        if (bound !== null && row.unit_miss_rate !== null) {
          expect(bound.low).toBeLessThanOrEqual(row.unit_miss_rate + 1e-9)
          expect(bound.high).toBeGreaterThanOrEqual(row.unit_miss_rate - 1e-9)
        }
        if (row.meets_targets) expect(row).toMatchObject({ valid: true, missed_targets: [] })
      }),
      RUNS,
    )
  })
})

function sorted({ p50, p90, p95, p99, max }: { p50: number; p90: number; p95: number; p99: number; max: number }) {
  return [p50, p90, p95, p99, max].sort((a, b) => a - b)
}
