import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capacityOf, type LevelState, levelOutcomes } from '../../src/sweep/capacity.js'
import { invalidRow, missingRow, rowWith } from '../helpers/measured-levels.js'

const ROWS = { yes: (level: number) => rowWith({ concurrency: level }), no: missingRow, invalid: invalidRow }

/** `'1 yes, 2 invalid'`: one row each; a level named twice was run twice. */
function capacity(text: string) {
  const rows = text === '' ? [] : text.split(', ').map((part) => part.split(' '))
  return capacityOf(levelOutcomes(rows.map(([level, kind]) => ROWS[kind as keyof typeof ROWS](Number(level)))))
}

describe('the capacity (docs/metrics.md, section 7 and example 7)', () => {
  it.each([
    { levels: '1 yes, 2 yes, 4 yes, 8 no, 16 yes', status: 'exact', sessions: 4, missing: 8, invalid: [], above: [16] },
    { levels: '1 yes, 2 invalid, 4 yes', status: 'at_least', sessions: 1, missing: null, invalid: [2], above: [4] },
    { levels: '1 no', status: 'none', sessions: null, missing: 1, invalid: [], above: [] },
    { levels: '1 no, 2 yes', status: 'none', sessions: null, missing: 1, invalid: [], above: [2] },
    { levels: '1 yes, 2 yes', status: 'at_least', sessions: 2, missing: null, invalid: [], above: [] },
    { levels: '', status: 'undecided', sessions: null, missing: null, invalid: [], above: [] },
    { levels: '1 invalid', status: 'undecided', sessions: null, missing: null, invalid: [1], above: [] },
    { levels: '1 invalid, 2 yes', status: 'undecided', sessions: null, missing: null, invalid: [1], above: [2] },
    { levels: '1 yes, 2 invalid, 4 no', status: 'at_least', sessions: 1, missing: null, invalid: [2], above: [] },
    { levels: '1 yes, 2 no, 4 invalid', status: 'exact', sessions: 1, missing: 2, invalid: [4], above: [] },
    { levels: '8 no, 4 yes, 2 yes', status: 'exact', sessions: 4, missing: 8, invalid: [], above: [] },
    { levels: '1 yes, 2 yes, 2 no, 4 yes', status: 'exact', sessions: 1, missing: 2, invalid: [], above: [4] },
    { levels: '1 yes, 2 yes, 2 invalid', status: 'at_least', sessions: 1, missing: null, invalid: [2], above: [] },
    { levels: '1 yes, 2 no, 2 invalid', status: 'at_least', sessions: 1, missing: null, invalid: [2], above: [] },
    { levels: '1 yes, 1 yes', status: 'at_least', sessions: 1, missing: null, invalid: [], above: [] },
    { levels: '4 no, 64 no, 16 yes', status: 'none', sessions: null, missing: 4, invalid: [], above: [16] },
  ])('of "$levels" is $status $sessions', ({ levels, status, sessions, missing, invalid, above }) => {
    expect(capacity(levels)).toEqual({
      status,
      sessions,
      first_missing_level: missing,
      invalid_levels: invalid,
      meets_above: above,
    })
  })

  it('an inconclusive level that meets its targets counts: the point rule decides', () => {
    const row = rowWith({ concurrency: 2, confident_verdict: 'inconclusive', overall_verdict: 'inconclusive' })
    expect(capacityOf(levelOutcomes([row])).sessions).toBe(2)
  })

  it('names what any run of a level missed, once', () => {
    const rows = [
      missingRow(2, { missed_targets: ['denied', 'unit_miss_rate'] }),
      missingRow(2, { missed_targets: ['unit_miss_rate', 'sessions_failed'] }),
    ]
    const missedTargets = ['denied', 'unit_miss_rate', 'sessions_failed']
    expect(levelOutcomes(rows)).toEqual([{ concurrency: 2, state: 'misses', runs: 2, missedTargets }])
  })

  it('never rises when a level that met its targets no longer does', () => {
    const states = fc.array(fc.constantFrom<LevelState>('meets', 'misses', 'invalid'), { minLength: 1, maxLength: 7 })
    const worse = fc.constantFrom<LevelState>('misses', 'invalid')
    fc.assert(
      fc.property(states, fc.nat(), worse, (before, pick, state) => {
        const levelsOf = (all: readonly LevelState[]) =>
          all.map((each, index) => ({ concurrency: 2 ** index, state: each, runs: 1, missedTargets: [] }))
        const after = before.with(pick % before.length, state)
        const [was, is] = [capacityOf(levelsOf(before)), capacityOf(levelsOf(after))]
        if (before[pick % before.length] === 'meets') expect(is.sessions ?? 0).toBeLessThanOrEqual(was.sessions ?? 0)
        if (is.sessions !== null) expect(after[Math.log2(is.sessions)]).toBe('meets')
      }),
    )
  })
})
