import { describe, expect, it } from 'vitest'
import type { MetricVerdict } from '../../src/quality/pairing/level-comparison.js'
import type { Capacity } from '../../src/sweep/capacity.js'
import { qualityCapacity, worstVerdict } from '../../src/sweep/quality-capacity.js'
import { qualityResults } from '../../src/sweep/quality-result.js'
import { captureOf, numbered, pauseRow } from '../helpers/scored-captures.js'

function serving(status: Capacity['status'], sessions: number | null): Capacity {
  return { status, sessions, first_missing_level: null, invalid_levels: [], meets_above: [] }
}

const W = 'within'
const X = 'worse'
const N = 'not_enough_samples'

describe('quality capacity', () => {
  it.each<{
    name: string
    capacity: Capacity
    verdicts: readonly (MetricVerdict | null)[]
    expected: readonly [string, number | null, number | null, number | null]
  }>([
    { name: 'agrees', capacity: serving('exact', 4), verdicts: [W, W, W, X], expected: ['exact', 4, null, null] },
    { name: 'is below', capacity: serving('exact', 4), verdicts: [W, W, X, X], expected: ['exact', 2, 4, null] },
    {
      name: 'nothing above',
      capacity: serving('at_least', 8),
      verdicts: [W, W, W, W],
      expected: ['at_least', 8, null, null],
    },
    { name: 'open', capacity: serving('exact', 4), verdicts: [W, N, W, X], expected: [N, 1, null, 2] },
    { name: 'open below a worse one', capacity: serving('exact', 8), verdicts: [W, N, X, X], expected: [N, 1, 4, 2] },
    {
      name: 'a level without scores is open',
      capacity: serving('exact', 4),
      verdicts: [W, null, W, W],
      expected: [N, 1, null, 2],
    },
    {
      name: 'no serving capacity',
      capacity: serving('none', null),
      verdicts: [W, W],
      expected: ['none', null, null, null],
    },
    {
      name: 'undecided serving',
      capacity: serving('undecided', null),
      verdicts: [W],
      expected: ['undecided', null, null, null],
    },
    { name: 'the baseline alone', capacity: serving('exact', 1), verdicts: [W, X], expected: ['exact', 1, null, null] },
    {
      name: 'nothing scored within it',
      capacity: serving('exact', 1),
      verdicts: [],
      expected: ['undecided', null, null, null],
    },
  ])('$name', ({ capacity, verdicts, expected: [status, sessions, worse, open] }) => {
    const levels = verdicts.map((verdict, index) => ({ concurrency: 2 ** index, verdict }))
    expect(qualityCapacity(capacity, levels)).toEqual({
      status,
      sessions,
      worse_level: worse,
      undecided_level: open,
    })
  })

  it('takes the worst of several runs', () => {
    expect(worstVerdict([W, X, N])).toBe(X)
    expect(worstVerdict([W, N])).toBe(N)
    expect(worstVerdict([W, null])).toBe(null)
    expect(worstVerdict([W, W])).toBe(W)
  })
})

describe('quality of a sweep', () => {
  const capture = (intrusions: number) => captureOf(numbered(12, (id, index) => pauseRow(id, index < intrusions)))
  const run = (concurrency: number, repeat: number, intrusions: number) => ({
    run: `concurrency-${concurrency}-r${repeat}`,
    concurrency,
    repeat,
    isValid: true,
    scores: capture(intrusions),
  })
  const options = { serving: serving('exact', 4), margins: { pause_intrusion_rate: 0.25 }, seed: 0 }

  it('compares every level with the lowest, repeats with repeats', () => {
    const { levels, profile } = qualityResults({
      ...options,
      runs: [run(1, 1, 0), run(1, 2, 6), run(4, 1, 6), run(4, 2, 6)],
    })
    expect(levels.map((level) => level?.against_baseline?.verdict ?? null)).toEqual([null, null, 'worse', 'within'])
    expect(profile?.capacity).toMatchObject({ status: 'exact', sessions: 1, worse_level: 4 })
  })

  it('an invalid lowest level is no baseline', () => {
    const { levels, profile } = qualityResults({
      ...options,
      runs: [{ ...run(1, 1, 0), isValid: false }, run(2, 1, 0), run(4, 1, 0)],
    })
    expect(profile?.baseline).toEqual({ run: 'concurrency-2-r1', concurrency: 2 })
    expect(levels.map((level) => level?.against_baseline?.verdict)).toEqual([undefined, undefined, 'within'])
    expect(profile?.capacity).toMatchObject({ status: 'exact', sessions: 4 })
  })

  it('never compares different word sources', () => {
    const other = captureOf(capture(12).rows, { words: { kind: 'command', name: 'my-asr', details: {} } })
    const { levels, profile } = qualityResults({
      ...options,
      runs: [run(1, 1, 0), { ...run(4, 1, 0), scores: other }],
    })
    expect(levels[1]?.against_baseline).toBeNull()
    expect(profile?.capacity.status).toBe('not_enough_samples')
  })

  it('never compares different speech detectors', () => {
    const other = captureOf(capture(0).rows, { speech: { kind: 'file', file: 'vad.json' } })
    const { levels } = qualityResults({ ...options, runs: [run(1, 1, 0), { ...run(4, 1, 0), scores: other }] })
    expect(levels[1]?.against_baseline).toBeNull()
  })

  it('is open where the lowest level has no scores: a higher one says nothing of it', () => {
    const { levels, profile } = qualityResults({
      ...options,
      runs: [{ ...run(1, 1, 0), scores: undefined }, run(2, 1, 0), run(4, 1, 0)],
    })
    expect(levels.map((level) => level?.against_baseline?.verdict)).toEqual([undefined, undefined, 'within'])
    expect(profile?.capacity).toEqual({ status: 'undecided', sessions: null, worse_level: null, undecided_level: 1 })
  })
})
