import { describe, expect, it } from 'vitest'
import { repeatSummaries, workDrops } from '../../src/metrics/repeats.js'
import { rowWith } from '../helpers/measured-levels.js'

const run = (concurrency: number, missed: number, expected = 100) =>
  rowWith({ concurrency, units_expected: expected, units_missed: missed, unit_miss_rate: missed / expected })

describe('several runs of one level', () => {
  it('have one summary per level, ascending by number and not by text', () => {
    expect(repeatSummaries([run(16, 0), run(2, 0), run(16, 1)]).map((s) => [s.concurrency, s.runs])).toEqual([
      [2, 1],
      [16, 2],
    ])
  })

  it('profiles are kept apart', () => {
    const rows = [run(2, 0), { ...run(2, 1), profile: 'another' }]
    expect(repeatSummaries(rows).map(({ profile, runs }) => [profile, runs])).toEqual([
      ['another', 1],
      ['minicpmo-native', 1],
    ])
  })

  it.each([
    { missed: [3], spread: { median: 0.03, min: 0.03, max: 0.03 } },
    { missed: [5, 1], spread: { median: 0.03, min: 0.01, max: 0.05 } },
    { missed: [9, 1, 2], spread: { median: 0.02, min: 0.01, max: 0.09 } },
  ])('misses of $missed in 100 units spread as $spread', ({ missed, spread }) => {
    const [summary] = repeatSummaries(missed.map((count) => run(2, count)))
    const rate = summary?.unit_miss_rate
    expect(rate).toMatchObject({ min: spread.min, max: spread.max })
    expect(rate?.median).toBeCloseTo(spread.median, 12)
  })

  it('a run without a rate has no part in the spread', () => {
    const without = { ...run(2, 0), unit_miss_rate: null, unit_lag_s: null }
    expect(repeatSummaries([without])[0]).toMatchObject({ unit_miss_rate: null, unit_lag_p95_s: null })
    expect(repeatSummaries([without, run(2, 4)])[0]?.unit_miss_rate).toEqual({ median: 0.04, min: 0.04, max: 0.04 })
  })

  it('3 and 25 of 1,744, which one published campaign had at one level, disagree more than units allow', () => {
    expect(repeatSummaries([run(4, 3, 1744), run(4, 25, 1744)])[0]?.over_dispersed).toBe(true)
    expect(repeatSummaries([run(4, 12, 1744), run(4, 16, 1744)])[0]?.over_dispersed).toBe(false)
  })

  it('a single run disagrees with nobody, and runs without a miss are not flagged', () => {
    expect(repeatSummaries([run(4, 3)])[0]).toMatchObject({ over_dispersed: null, over_dispersion_p: null })
    expect(repeatSummaries([run(4, 0), run(4, 0)])[0]?.over_dispersed).toBe(false)
  })

  it.each([
    { name: 'all meet', verdicts: ['meets', 'meets'], expected: 'meets' },
    { name: 'one is inconclusive', verdicts: ['meets', 'inconclusive'], expected: 'inconclusive' },
    { name: 'one misses', verdicts: ['inconclusive', 'misses'], expected: 'misses' },
    { name: 'one is invalid', verdicts: ['invalid', 'misses'], expected: 'invalid' },
  ] as const)('the verdict over runs when $name: $expected', ({ verdicts, expected }) => {
    const rows = verdicts.map((overall_verdict) => ({ ...run(4, 0), overall_verdict }))
    expect(repeatSummaries(rows)[0]?.overall_verdict).toBe(expected)
  })

  it('runs that meet but disagree are inconclusive', () => {
    const rows = [run(4, 0, 5000), run(4, 40, 5000)].map((row) => ({ ...row, overall_verdict: 'meets' as const }))
    expect(repeatSummaries(rows)[0]).toMatchObject({ over_dispersed: true, overall_verdict: 'inconclusive' })
  })

  it('strict passes are counted where the gate is defined', () => {
    const rows = [run(4, 0), { ...run(4, 0), strict_gate_pass: false }, run(4, 0)]
    expect(repeatSummaries(rows)[0]?.strict_gate_passes).toBe(2)
    expect(repeatSummaries([{ ...run(4, 0), strict_gate_pass: null }])[0]?.strict_gate_passes).toBeNull()
  })
})

describe('work done against the lowest level', () => {
  const lowest = rowWith({ units_completed_per_session: 100, input_accepted_s_per_session: 10, reply_s_per_session: 5 })

  it.each([
    { name: 'exactly nine tenths is no drop', changes: { units_completed_per_session: 90 }, drops: [] },
    {
      name: 'just below nine tenths is one',
      changes: { units_completed_per_session: 89.99 },
      drops: ['units_completed'],
    },
    { name: 'more work is no drop', changes: { units_completed_per_session: 200, reply_s_per_session: 9 }, drops: [] },
    {
      name: 'each measure is judged alone',
      changes: { input_accepted_s_per_session: 1, reply_s_per_session: 1 },
      drops: ['input_accepted', 'reply'],
    },
    { name: 'a measure that is not there is no drop', changes: { units_completed_per_session: null }, drops: [] },
  ])('$name', ({ changes, drops }) => {
    expect(workDrops({ ...lowest, ...changes }, lowest)).toEqual(drops)
  })

  it('nothing can drop below nothing', () => {
    const idle = { ...lowest, reply_s_per_session: 0 }
    expect(workDrops(idle, idle)).toEqual([])
  })
})
