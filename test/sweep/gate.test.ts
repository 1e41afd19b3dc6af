import { describe, expect, it } from 'vitest'
import type { LevelRow } from '../../src/metrics/level-row.js'
import { gateSchema } from '../../src/profile/sweep-file.js'
import { exitCodeOfGate, judgeGate } from '../../src/sweep/gate.js'
import { invalidRow, missingRow, rowWith } from '../helpers/measured-levels.js'

const yes = (concurrency: number, changes: Partial<LevelRow> = {}) => rowWith({ concurrency, ...changes })
const times = (count: number, row: LevelRow) => Array.from({ length: count }, () => row)
const turnBased = (concurrency: number) =>
  yes(concurrency, { mode: 'turn_based', strict_gate_pass: null, confident_verdict: null })

const QUALIFIED = { confident_verdict: 'qualified' } as const
const FAILED = { confident_verdict: 'failed' } as const

describe('the gate on targets', () => {
  it.each([
    { name: 'every level up to it meets', rows: [yes(1), yes(2), yes(4)], verdict: 'pass' },
    { name: 'and a higher one misses', rows: [yes(1), yes(4), missingRow(8)], verdict: 'pass' },
    { name: 'and a higher one is invalid', rows: [yes(1), yes(4), invalidRow(8)], verdict: 'pass' },
    { name: 'the level itself misses', rows: [yes(1), yes(2), missingRow(4)], verdict: 'fail' },
    { name: 'a lower level misses although it meets itself', rows: [yes(1), missingRow(2), yes(4)], verdict: 'fail' },
    { name: 'the lowest level misses', rows: [missingRow(1)], verdict: 'fail' },
    { name: 'one of two runs misses', rows: [yes(4), missingRow(4)], verdict: 'fail' },
    { name: 'the level is invalid', rows: [yes(2), invalidRow(4)], verdict: 'undecided' },
    { name: 'a lower level is invalid', rows: [yes(1), invalidRow(2), yes(4)], verdict: 'undecided' },
    { name: 'nothing was recorded', rows: [], verdict: 'undecided' },
    { name: 'no level that high was recorded', rows: [yes(1), yes(2)], verdict: 'undecided' },
    {
      name: 'it lies between the capacity and the first miss, unrecorded',
      rows: [yes(2), missingRow(8)],
      verdict: 'undecided',
    },
    { name: 'a higher level meets, itself was not recorded', rows: [yes(2), yes(8)], verdict: 'undecided' },
    { name: 'the first miss lies above, nothing below', rows: [missingRow(8)], verdict: 'undecided' },
  ])('at level 4: $name: $verdict', ({ rows, verdict }) => {
    expect(judgeGate(rows, gateSchema.parse({ min_capacity: 4 })).verdict).toBe(verdict)
  })

  it.each([
    { runs: 2, verdict: 'undecided' },
    { runs: 3, verdict: 'pass' },
    { runs: 4, verdict: 'pass' },
  ])('asks for 3 runs: $runs recorded: $verdict', ({ runs, verdict }) => {
    const gate = gateSchema.parse({ min_capacity: 4, runs: 3 })
    expect(judgeGate([yes(1), ...times(runs, yes(4))], gate).verdict).toBe(verdict)
  })

  it.each([
    { name: 'shown', rows: [yes(4, QUALIFIED)], verdict: 'pass' },
    { name: 'not shown', rows: [yes(4)], verdict: 'undecided' },
    { name: 'shown in one run of two', rows: [yes(4, QUALIFIED), yes(4)], verdict: 'undecided' },
    { name: 'refuted in one run of two', rows: [yes(4, QUALIFIED), yes(4, FAILED)], verdict: 'fail' },
    { name: 'shown at a lower level only', rows: [yes(2, QUALIFIED), yes(4)], verdict: 'undecided' },
    { name: 'turn-based, where nothing can be shown', rows: [turnBased(4)], verdict: 'undecided' },
    { name: 'missed by the point rule', rows: [missingRow(4, QUALIFIED)], verdict: 'fail' },
  ])('with confidence: $name: $verdict', ({ rows, verdict }) => {
    expect(judgeGate(rows, gateSchema.parse({ min_capacity: 4, confident: true })).verdict).toBe(verdict)
  })
})

describe('the strict campaign gate', () => {
  const notStrict = { strict_gate_pass: false }

  it.each([
    { name: 'all runs pass', rows: times(3, yes(4)), verdict: 'pass' },
    { name: 'more runs than asked for, all pass', rows: times(5, yes(4)), verdict: 'pass' },
    { name: 'one of three does not', rows: [yes(4), yes(4), yes(4, notStrict)], verdict: 'fail' },
    { name: 'one of two does not, although a third is missing', rows: [yes(4), yes(4, notStrict)], verdict: 'fail' },
    { name: 'too few runs', rows: times(2, yes(4)), verdict: 'undecided' },
    { name: 'a run is invalid', rows: [...times(3, yes(4)), invalidRow(4)], verdict: 'undecided' },
    { name: 'not recorded', rows: times(3, yes(8)), verdict: 'undecided' },
    { name: 'turn-based, which has no strict gate', rows: times(3, turnBased(4)), verdict: 'undecided' },
    { name: 'other levels do not matter', rows: [missingRow(2), invalidRow(8), ...times(3, yes(4))], verdict: 'pass' },
  ])('with three runs of level 4: $name: $verdict', ({ rows, verdict }) => {
    expect(judgeGate(rows, gateSchema.parse({ min_capacity: 4, rule: 'strict', runs: 3 })).verdict).toBe(verdict)
  })
})

describe('the result of a gate', () => {
  it.each([
    { rows: [yes(1)], exit: 0 },
    { rows: [missingRow(1)], exit: 1 },
    { rows: [invalidRow(1)], exit: 3 },
  ])('has the exit code $exit, so that no data never looks like a pass', ({ rows, exit }) => {
    expect(exitCodeOfGate(judgeGate(rows, gateSchema.parse({ min_capacity: 1 })))).toBe(exit)
  })

  it('holds the gate it was judged by and a reason to read', () => {
    const gate = gateSchema.parse({ min_capacity: 2 })
    expect(judgeGate([yes(1), missingRow(2)], gate)).toEqual({
      gate: { min_capacity: 2, rule: 'targets', runs: 1, confident: false },
      verdict: 'fail',
      reason: 'level 2 misses its targets; 2 was asked for',
      checks: [
        {
          expression: 'min_capacity 2',
          verdict: 'missed',
          reason: 'level 2 misses its targets; 2 was asked for',
          bound: 2,
          values: [],
        },
      ],
    })
  })

  it.each([
    { checks: ['denied@1 == 0'], verdict: 'pass', reason: 'all 2 checks are met' },
    { checks: ['denied@1 > 0'], verdict: 'fail', reason: '1 of 2 checks missed: denied@1 > 0' },
    { checks: ['denied@2 == 0'], verdict: 'undecided', reason: '1 of 2 checks cannot be decided: denied@2 == 0' },
    { checks: ['denied@2 == 0', 'denied@1 > 0'], verdict: 'fail', reason: '1 of 3 checks missed: denied@1 > 0' },
  ])('adds up a capacity and $checks to $verdict', ({ checks, verdict, reason }) => {
    expect(judgeGate([yes(1)], gateSchema.parse({ min_capacity: 1, checks }))).toMatchObject({ verdict, reason })
  })

  it('of a lone check names it', () => {
    const { reason } = judgeGate([yes(1)], gateSchema.parse({ checks: ['denied@1 > 0'] }))
    expect(reason).toBe('denied@1 > 0: 0 at level 1, not > 0')
  })
})
