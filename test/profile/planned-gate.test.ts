import { describe, expect, it } from 'vitest'
import { describeProblems } from '../../src/base/schema.js'
import { plannedGate } from '../../src/profile/planned-gate.js'
import { gateSchema, sweepFileSchema } from '../../src/profile/sweep-file.js'
import { NATIVE, shippedProfile, TURN_BASED } from '../helpers/measured-levels.js'

const LEVELS = [4, 1, 2]
const planned = (check: string, profile = NATIVE) =>
  plannedGate(gateSchema.parse({ checks: [check] }), { profile, levels: LEVELS, isQualityScored: false }).checks?.[0]

describe('a gate before its sweep', () => {
  it.each([
    ['unit_lag.p99@all < 1s', 'unit_lag.p99@1,2,4 < 1s'],
    ['unit_lag.p99@<=2 < 1s', 'unit_lag.p99@1,2 < 1s'],
    ['unit_lag.p99@2..9 < 1s', 'unit_lag.p99@2,4 < 1s'],
    ['unit_lag.p99@4,1 < 1s', 'unit_lag.p99@4,1 < 1s'],
    ['capacity >= 4', 'capacity >= 4'],
    ['confident(unit_miss_rate@all < 1%)', 'confident(unit_miss_rate@1,2,4 < 1%)'],
  ])('%s names its levels, so that none can drop out unnoticed: %s', (check, named) => {
    expect(planned(check)).toBe(named)
  })

  it.each([
    { check: 'unit_miss_rate@8 < 1%', profile: NATIVE, says: 'level 8 is not in this sweep; it runs 1, 2, 4' },
    { check: 'unit_miss_rate@2,8 < 1%', profile: NATIVE, says: 'level 8 is not in this sweep' },
    { check: 'unit_miss_rate@5..9 < 1%', profile: NATIVE, says: 'no level of this sweep is meant' },
    { check: 'unit_miss_rate@2 < 1%', profile: TURN_BASED, says: 'turn-based has no unit_miss_rate' },
    { check: 'rtf.p90@2 < 1', profile: NATIVE, says: 'minicpmo-native has no rtf.p90' },
    { check: 'quality.carry_in_rate@2 < 5%', profile: NATIVE, says: 'does not score quality (--quality)' },
    { check: 'quality_capacity >= 1', profile: NATIVE, says: 'does not score quality' },
    { check: 'capacity >= 1', profile: shippedProfile('vllm-duplex'), says: 'has no capacity' },
  ])('$check is refused: $says', ({ check, profile, says }) => {
    expect(() => planned(check, profile)).toThrow(says)
  })

  it('may ask for quality where it is scored', () => {
    const gate = gateSchema.parse({ checks: ['quality.carry_in_rate@all < 5%', 'quality_capacity >= 1'] })
    expect(plannedGate(gate, { profile: NATIVE, levels: LEVELS, isQualityScored: true }).checks).toEqual([
      'quality.carry_in_rate@1,2,4 < 5%',
      'quality_capacity >= 1',
    ])
  })

  it('without checks stays as it is', () => {
    const gate = gateSchema.parse({ min_capacity: 8 })
    const sweep = { profile: NATIVE, levels: LEVELS, isQualityScored: false }
    expect(plannedGate(gate, sweep)).toBe(gate)
    expect(plannedGate(undefined, sweep)).toBeUndefined()
  })
})

describe('the gate of a sweep file', () => {
  const problems = (gate: object) =>
    describeProblems(sweepFileSchema, { schema: 'floorload.sweep/1', name: 'mine', levels: [1, 2], gate })

  it.each([
    { gate: { min_capacity: 2 } },
    { gate: { checks: ['unit_miss_rate@2 < 1%'] } },
    { gate: { checks: ['unit_miss_rate@2 < 1%'], runs: 3 } },
    { gate: { min_capacity: 2, rule: 'strict', checks: ['denied@all == 0'] } },
  ])('may be $gate', ({ gate }) => {
    expect(problems(gate)).toBeUndefined()
  })

  it.each([
    { gate: {}, says: 'gate.min_capacity is missing' },
    { gate: { checks: [] }, says: 'gate.checks is []; it must be at least 1 items' },
    { gate: { checks: ['unit_miss_rate@2 < 1%'], rule: 'strict' }, says: 'gate.min_capacity is missing' },
    { gate: { checks: ['unit_miss_rate@2 < 1%'], confident: true }, says: 'gate.min_capacity is missing' },
    {
      gate: { checks: ['denied@2 == 0', 'unit_mis_rate@2 < 1%'] },
      says: 'gate.checks.1 is "unit_mis_rate@2 < 1%"; it is not allowed: column 1: unknown metric unit_mis_rate; did you mean',
    },
    { gate: { checks: ['denied@8 == 0'] }, says: 'level 8 is not in this sweep; it runs 1, 2' },
    { gate: { checks: [4] }, says: 'gate.checks.0 is 4; it must be a string' },
    { gate: { checks: 'denied@2 == 0' }, says: 'gate.checks is "denied@2 == 0"; it must be an array' },
  ])('is refused: $gate', ({ gate, says }) => {
    expect(problems(gate)).toContain(says)
  })
})
