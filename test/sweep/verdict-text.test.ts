import { describe, expect, it } from 'vitest'
import type { LevelRow } from '../../src/metrics/level-row.js'
import { repeatSummaries } from '../../src/metrics/repeats.js'
import { capacityOf, levelOutcomes } from '../../src/sweep/capacity.js'
import { percent, verdictLines } from '../../src/sweep/verdict-text.js'
import { factsWith, invalidRow, missingRow, rowOf, rowWith, TURN_BASED } from '../helpers/measured-levels.js'

const targets = { unit_miss_rate_max: 0.01, rtf_p90_below: 1 }
const RTF = { n: 9, p50: 1.1, p90: 1.25, p95: 1.3, p99: 1.4, max: 1.5 }

function verdictOf(rows: readonly LevelRow[]): string[] {
  return verdictLines({ rows, targets, repeats: repeatSummaries(rows), capacity: capacityOf(levelOutcomes(rows)) })
}

const slow = (concurrency: number) =>
  rowWith({
    ...rowOf([factsWith({ unitsExpected: null, units: [] })], { profile: TURN_BASED, concurrency }),
    rtf: RTF,
    missed_targets: ['rtf_p90'],
  })

describe('the first line of a verdict', () => {
  it.each([
    {
      name: 'native: names the unit misses and their target',
      rows: [rowWith({ concurrency: 1 }), missingRow(2)],
      line: 'Capacity: 1 session at once (unit miss 0%); level 2 misses: unit miss 25.0% (at most 1.00%).',
    },
    {
      name: 'turn-based: names the real-time factor and its target',
      rows: [rowWith({ concurrency: 2, mode: 'turn_based' }), slow(4)],
      line: 'Capacity: 2 sessions at once; level 4 misses: RTF p90 1.25 (below 1).',
    },
    {
      name: 'turn-based: names the real-time factor of the level that meets',
      rows: [rowWith({ concurrency: 2, mode: 'turn_based', rtf: { ...RTF, p90: 0.4 } }), slow(4)],
      line: 'Capacity: 2 sessions at once (RTF p90 0.40); level 4 misses: RTF p90 1.25 (below 1).',
    },
    {
      name: 'turn-based without a single figure says so',
      rows: [{ ...slow(1), rtf: null }],
      line: 'Capacity: none; level 1 misses: no reply with a real-time factor.',
    },
    {
      name: 'native without a unit says so',
      rows: [missingRow(1, { unit_miss_rate: null })],
      line: 'Capacity: none; level 1 misses: no unit was expected.',
    },
    {
      name: 'every target missed is named',
      rows: [
        missingRow(1, {
          sessions_failed: 3,
          sessions_attempted: 4,
          denied: 2,
          missed_targets: ['sessions_failed', 'denied', 'unit_miss_rate'],
        }),
      ],
      line: 'Capacity: none; level 1 misses: 3 of 4 sessions failed, 2 denied, unit miss 25.0% (at most 1.00%).',
    },
    {
      name: 'every level meets',
      rows: [rowWith({ concurrency: 4 })],
      line: 'Capacity: at least 4 sessions at once (unit miss 0%); every level meets its targets, record a higher one.',
    },
    {
      name: 'a level above is invalid',
      rows: [rowWith({ concurrency: 1 }), invalidRow(2)],
      line: 'Capacity: at least 1 session at once (unit miss 0%); level 2 is invalid: the load generator fell behind (1 pacing violation).',
    },
    {
      name: 'the first level was not finished',
      rows: [invalidRow(1, { pacing_violations: 0 })],
      line: 'Capacity: undecided; level 1 is invalid: the recording was not finished.',
    },
    {
      name: 'no session was attempted',
      rows: [rowOf([])],
      line: 'Capacity: undecided; level 1 is invalid: no session was attempted.',
    },
    { name: 'nothing was recorded', rows: [], line: 'Capacity: undecided; no level was recorded.' },
  ])('$name', ({ rows, line }) => {
    expect(verdictOf(rows)[0]).toBe(line)
  })
})

describe('the lines after it', () => {
  it('say how sure the capacity is, with the number of sessions that would settle it', () => {
    // 299 clean units show 1%; 2 are there, and each session brings 2.
    expect(verdictOf([rowWith({ concurrency: 1 })])).toContain(
      'Not shown with 95% confidence: 0 of 2 units missed, 0% to 77.6% at 95%; 149 more sessions at this rate would settle it.',
    )
  })

  it('say so when it is shown', () => {
    const rows = [rowOf([factsWith({ lagsUs: Array<number>(299).fill(1) })])]
    expect(verdictOf(rows)[1]).toMatch(/^Shown with 95% confidence: 0 of 299 units missed, 0% to 1\.00% at 95%\.$/)
  })

  it('count the runs that confirm it', () => {
    const row = rowWith({ concurrency: 1 })
    expect(verdictOf([row, row])).toContain('Confirmed by 2 runs of level 1 (strict gate).')
    expect(verdictOf([row, { ...row, strict_gate_pass: false }])).toContain(
      'Not confirmed: 1 of 2 runs of level 1 pass the strict gate.',
    )
  })

  it('flag runs that disagree more than their units allow', () => {
    const run = (missed: number) =>
      missingRow(2, { units_expected: 1744, units_missed: missed, unit_miss_rate: missed / 1744 })
    expect(verdictOf([run(3), run(25)]).join('\n')).toMatch(
      /Runs of level 2 disagree more than their units allow \(p = [\d.e-]+\)/,
    )
    expect(verdictOf([run(14), run(14)]).join('\n')).not.toContain('disagree')
  })

  it('point at misses that a stall of the client could explain, and at levels above the first miss', () => {
    const rows = [missingRow(2, { uncertain_misses: 7, meets_without_uncertain: true }), rowWith({ concurrency: 4 })]
    const text = verdictOf(rows).join('\n')
    expect(text).toContain('Level 2 would meet its unit target without the 7 misses')
    expect(text).toContain('Level 4 meets its targets above the first miss: repeat both levels.')
  })

  it('never hold a value that is none', () => {
    const kinds = [
      rowWith({ concurrency: 1 }),
      missingRow(2),
      invalidRow(4),
      slow(8),
      { ...slow(16), rtf: null },
      rowOf([]),
    ]
    for (const a of kinds) {
      for (const b of kinds) expect(verdictOf([a, b]).join('\n')).not.toMatch(/NaN|undefined|null|Infinity|\[object/)
    }
  })
})

describe('percent', () => {
  it.each([
    { rate: 0, text: '0%' },
    { rate: 0.0000012, text: '0.00012%' },
    { rate: 0.00099, text: '0.099%' },
    { rate: 0.001, text: '0.10%' },
    { rate: 0.01, text: '1.00%' },
    { rate: 0.0999, text: '9.99%' },
    { rate: 0.1, text: '10.0%' },
    { rate: 1, text: '100.0%' },
  ])('$rate reads $text', ({ rate, text }) => {
    expect(percent(rate)).toBe(text)
  })
})
