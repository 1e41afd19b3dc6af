/** Gate expressions against fabricated levels: what is met, what is missed, and what nobody can say. */
import { describe, expect, it } from 'vitest'
import { parseGateExpression } from '../../src/profile/gate-expression.js'
import type { LatencyMetric, ShareMetric, SubsetScores } from '../../src/quality/unified/unified-result.js'
import { type GateContext, judgeCheck } from '../../src/sweep/gate-check.js'
import type { GateLevel } from '../../src/sweep/gate-readings.js'
import { factsWith, invalidRow, missingRow, rowOf, rowWith, TURN_BASED } from '../helpers/measured-levels.js'

const level = (concurrency: number, changes: Partial<GateLevel> = {}): GateLevel => ({
  ...rowWith({ concurrency }),
  repeat: 1,
  ...changes,
})
const missRate = (concurrency: number, rate: number, changes: Partial<GateLevel> = {}) =>
  level(concurrency, { unit_miss_rate: rate, ...changes })
const bounds = (low: number, high: number) => ({
  unit_miss_bound95: { low, high, design_effect: 1, effective_units: 400 },
})
const lag = (concurrency: number, p99: number) =>
  level(concurrency, { unit_lag_s: { n: 9, p50: 0.1, p90: 0.2, p95: 0.3, p99, max: 9 } })
const turnBased = (changes: Partial<GateLevel> = {}): GateLevel => ({
  ...rowOf([factsWith({ units: [] })], { profile: TURN_BASED, concurrency: 1 }),
  ...changes,
})

function judge(text: string, levels: readonly GateLevel[], changes: Partial<GateContext> = {}) {
  return judgeCheck(parseGateExpression(text), { levels, runs: 1, qualityCapacity: null, ...changes })
}

describe('a check of one figure', () => {
  it.each([
    { text: 'unit_miss_rate@8 < 1%', levels: [missRate(8, 0.0099)], verdict: 'met', reason: '0.99% at level 8' },
    {
      text: 'unit_miss_rate@8 < 1%',
      levels: [missRate(8, 0.01)],
      verdict: 'missed',
      reason: '1% at level 8, not < 1%',
    },
    { text: 'unit_miss_rate@8 <= 1%', levels: [missRate(8, 0.01)], verdict: 'met', reason: '1% at level 8' },
    // A figure just beside its limit does not look like the limit.
    { text: 'unit_miss_rate@8 <= 1%', levels: [missRate(8, 0.01002)], verdict: 'missed', reason: '1.002% at level 8' },
    { text: 'unit_miss_rate@8 < 0.7%', levels: [missRate(8, 0.007)], verdict: 'missed', reason: '0.7% at level 8' },
    { text: 'unit_lag.p99@4 <= 600ms', levels: [lag(4, 0.6)], verdict: 'met', reason: '600 ms at level 4' },
    {
      text: 'unit_lag.p99@4 < 600ms',
      levels: [lag(4, 0.6)],
      verdict: 'missed',
      reason: '600 ms at level 4, not < 600 ms',
    },
    { text: 'unit_lag.max@4 < 8.5s', levels: [lag(4, 0.6)], verdict: 'missed', reason: '9 s at level 4, not < 8.5 s' },
    { text: 'sessions_failed@8 == 0', levels: [level(8)], verdict: 'met', reason: '0 at level 8' },
    { text: 'sessions_succeeded@8 >= 9', levels: [level(8)], verdict: 'missed', reason: '8 at level 8, not >= 9' },
    { text: 'session_failure_rate@4 > 0%', levels: [level(4)], verdict: 'missed', reason: '0% at level 4, not > 0%' },
    {
      text: 'client_stall.p99@1 < 20ms',
      levels: [level(1, { client_stall_ms: { p50: 1, p99: 19, max: 50 } })],
      verdict: 'met',
      reason: '19 ms at level 1',
    },
    {
      text: 'unit_miss_rate@8 < 1%',
      levels: [level(4)],
      verdict: 'not_measured',
      reason: 'level 8 was not recorded; there is 4',
    },
    { text: 'unit_miss_rate@all < 1%', levels: [], verdict: 'not_measured', reason: 'there is none' },
    {
      text: 'unit_miss_rate@5..9 < 1%',
      levels: [level(4)],
      verdict: 'not_measured',
      reason: 'no level meant by it was recorded',
    },
    {
      text: 'unit_miss_rate@8 < 1%',
      levels: [{ ...invalidRow(8), unit_miss_rate: 0 }],
      verdict: 'not_measured',
      reason: 'level 8 is invalid: the load generator fell behind',
    },
    {
      text: 'unit_miss_rate@8 > 1%',
      levels: [{ ...rowOf([], { concurrency: 8 }) }],
      verdict: 'not_measured',
      reason: 'level 8 is invalid: no session was attempted',
    },
    // No data is not below anything: a server that never answered has no first audio in time.
    {
      text: 'first_audio.p90@1 < 1s',
      levels: [level(1)],
      verdict: 'missed',
      reason: 'level 1 has no data, which is not < 1 s',
    },
    { text: 'underrun_rate@1 < 5%', levels: [level(1)], verdict: 'missed', reason: 'level 1 has no data' },
    { text: 'rtf.p90@1 < 1', levels: [turnBased({ rtf: null })], verdict: 'missed', reason: 'level 1 has no data' },
    // What the recorder did not write down says nothing of the server.
    {
      text: 'client_stall.max@1 < 1s',
      levels: [level(1)],
      verdict: 'not_measured',
      reason: 'level 1: the figure was not recorded',
    },
    {
      text: 'uncertain_misses@1 == 0',
      levels: [level(1)],
      verdict: 'not_measured',
      reason: 'level 1: the figure was not recorded',
    },
    {
      text: 'unit_miss_rate@1 < 1%',
      levels: [turnBased()],
      verdict: 'not_measured',
      reason: 'profile turn-based has no unit_miss_rate',
    },
    {
      text: 'first_audio.p90@1 < 1s',
      levels: [level(1, { mode: 'stream' })],
      verdict: 'not_measured',
      reason: 'level 1: the figure was not recorded',
    },
    // Results come from files, too.
    {
      text: 'unit_miss_rate@1 < 1%',
      levels: [level(1, { unit_miss_rate: Number.NaN })],
      verdict: 'missed',
      reason: 'level 1 has no data',
    },
  ])('$text: $verdict, $reason', ({ text, levels, verdict, reason }) => {
    const result = judge(text, levels)
    expect(result.verdict).toBe(verdict)
    expect(result.reason).toContain(reason)
  })
})

describe('a check of several levels and runs', () => {
  const runs = (...rates: readonly number[]) => rates.map((rate, index) => missRate(8, rate, { repeat: index + 1 }))

  it.each([
    { name: 'every run meets', text: 'unit_miss_rate@8 < 1%', levels: runs(0, 0.005), verdict: 'met' },
    { name: 'one run misses', text: 'unit_miss_rate@8 < 1%', levels: runs(0, 0.02), verdict: 'missed' },
    {
      name: 'one run is invalid',
      text: 'unit_miss_rate@8 < 1%',
      levels: [...runs(0), { ...invalidRow(8), repeat: 2 }],
      verdict: 'not_measured',
    },
    {
      name: 'one run misses and one is invalid',
      text: 'unit_miss_rate@8 < 1%',
      levels: [...runs(0.5), { ...invalidRow(8), repeat: 2 }],
      verdict: 'missed',
    },
    { name: 'all levels meet', text: 'unit_miss_rate@all < 1%', levels: [level(1), level(8)], verdict: 'met' },
    {
      name: 'a level of all misses',
      text: 'unit_miss_rate@all < 1%',
      levels: [level(1), missingRow(8)],
      verdict: 'missed',
    },
    {
      name: 'a level above misses',
      text: 'unit_miss_rate@<=4 < 1%',
      levels: [level(4), missingRow(8)],
      verdict: 'met',
    },
    {
      name: 'a level outside misses',
      text: 'unit_miss_rate@2..4 < 1%',
      levels: [missingRow(1), level(4)],
      verdict: 'met',
    },
    { name: 'one of a list is absent', text: 'unit_miss_rate@4,8 < 1%', levels: [level(4)], verdict: 'not_measured' },
  ])('$name: $verdict', ({ text, levels, verdict }) => {
    expect(judge(text, levels).verdict).toBe(verdict)
  })

  it('asks for so many runs of each level', () => {
    expect(judge('unit_miss_rate@8 < 1%', runs(0, 0), { runs: 3 })).toMatchObject({
      verdict: 'not_measured',
      reason: 'level 8 was recorded 2 of 3 times',
    })
    expect(judge('unit_miss_rate@8 < 1%', runs(0, 0, 0), { runs: 3 }).verdict).toBe('met')
  })

  it('says of each figure where it is from and what it is worth', () => {
    expect(judge('unit_miss_rate@8 < 1%', runs(0, 0.25))).toEqual({
      expression: 'unit_miss_rate@8 < 1%',
      verdict: 'missed',
      reason: '25% at level 8 run 2, not < 1%',
      bound: 0.01,
      values: [
        { concurrency: 8, repeat: 1, value: 0, verdict: 'met' },
        { concurrency: 8, repeat: 2, value: 0.25, verdict: 'missed' },
      ],
    })
  })

  it('never passes for want of a level, whatever is asked', () => {
    for (const operator of ['<', '<=', '>', '>=', '==']) {
      expect(judge(`unit_miss_rate@2 ${operator} 1%`, [level(1)]).verdict).toBe('not_measured')
    }
  })
})

describe('a confident check', () => {
  it.each([
    { text: '< 1%', low: 0, high: 0.0099, verdict: 'met' },
    { text: '< 1%', low: 0, high: 0.01, verdict: 'inconclusive' },
    { text: '<= 1%', low: 0, high: 0.01, verdict: 'met' },
    { text: '<= 1%', low: 0.01, high: 0.05, verdict: 'inconclusive' },
    { text: '< 1%', low: 0.01, high: 0.05, verdict: 'missed' },
    { text: '> 1%', low: 0.02, high: 0.05, verdict: 'met' },
    { text: '> 1%', low: 0.005, high: 0.05, verdict: 'inconclusive' },
    { text: '>= 1%', low: 0, high: 0.009, verdict: 'missed' },
  ])('$text with bounds $low to $high: $verdict', ({ text, low, high, verdict }) => {
    const result = judge(`confident(unit_miss_rate@4 ${text})`, [missRate(4, 0.004, bounds(low, high))])
    expect(result).toMatchObject({ verdict, values: [{ value: 0.004, bounds95: { low, high }, verdict }] })
  })

  it('is open where there are no bounds, and where runs disagree more than their units allow', () => {
    expect(judge('confident(unit_miss_rate@4 < 1%)', [level(4, { unit_miss_bound95: null })]).verdict).toBe(
      'inconclusive',
    )
    const run = (missed: number, repeat: number) =>
      missRate(4, missed / 4000, { units_expected: 4000, units_missed: missed, repeat, ...bounds(0, 0.009) })
    expect(judge('confident(unit_miss_rate@4 < 1%)', [run(2, 1), run(3, 2)]).verdict).toBe('met')
    expect(judge('confident(unit_miss_rate@4 < 1%)', [run(0, 1), run(25, 2)])).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('disagree more than their units allow'),
    })
  })

  it('of sessions takes the exact bounds of so many sessions', () => {
    // No failure in 299 sessions is the least that shows "at most 1%" (0.99^299 < 0.05).
    const sessions = (count: number) => level(1, { sessions_attempted: count, sessions_succeeded: count })
    expect(judge('confident(session_failure_rate@1 <= 1%)', [sessions(299)]).verdict).toBe('met')
    expect(judge('confident(session_failure_rate@1 <= 1%)', [sessions(298)]).verdict).toBe('inconclusive')
  })
})

describe('a check of the capacity', () => {
  it.each([
    {
      text: 'capacity >= 4',
      levels: [level(2), level(4), missingRow(8)],
      verdict: 'met',
      reason: 'capacity is 4 to 7',
    },
    { text: 'capacity >= 4', levels: [level(2), missingRow(4)], verdict: 'missed', reason: 'capacity is 2 to 3' },
    { text: 'capacity >= 4', levels: [level(4), level(8)], verdict: 'met', reason: 'capacity is at least 8' },
    { text: 'capacity >= 9', levels: [level(4), level(8)], verdict: 'not_measured', reason: 'at least 8' },
    // Nothing between the two was recorded, so both 2 and 7 are possible.
    { text: 'capacity >= 4', levels: [level(2), missingRow(8)], verdict: 'not_measured', reason: 'capacity is 2 to 7' },
    { text: 'capacity < 8', levels: [level(2), missingRow(8)], verdict: 'met', reason: 'capacity is 2 to 7' },
    { text: 'capacity == 3', levels: [level(3), missingRow(4)], verdict: 'met', reason: 'capacity is 3' },
    { text: 'capacity == 8', levels: [level(3), missingRow(4)], verdict: 'missed', reason: 'capacity is 3, not == 8' },
    { text: 'capacity >= 1', levels: [missingRow(1)], verdict: 'missed', reason: 'capacity is 0, not >= 1' },
    { text: 'capacity >= 1', levels: [level(1), invalidRow(2)], verdict: 'met', reason: 'at least 1' },
    {
      text: 'capacity >= 2',
      levels: [level(1), invalidRow(2), level(4)],
      verdict: 'not_measured',
      reason: 'at least 1',
    },
    { text: 'capacity >= 1', levels: [invalidRow(1)], verdict: 'not_measured', reason: 'level 1 was not measured' },
    { text: 'capacity >= 1', levels: [], verdict: 'not_measured', reason: 'no level was recorded' },
    { text: 'capacity >= 1', levels: [level(1, { mode: 'stream' })], verdict: 'not_measured', reason: 'neither unit' },
    {
      text: 'quality_capacity >= 1',
      levels: [level(1)],
      verdict: 'not_measured',
      reason: 'the quality was not scored',
    },
  ])('$text: $verdict, $reason', ({ text, levels, verdict, reason }) => {
    const result = judge(text, levels)
    expect(result.verdict).toBe(verdict)
    expect(result.reason).toContain(reason)
  })

  it.each([
    { status: 'exact', sessions: 2, worse_level: 4, text: '>= 2', verdict: 'met' },
    { status: 'exact', sessions: 2, worse_level: 4, text: '>= 4', verdict: 'missed' },
    { status: 'at_least', sessions: 4, worse_level: null, text: '>= 4', verdict: 'met' },
    { status: 'not_enough_samples', sessions: 1, worse_level: null, text: '>= 2', verdict: 'not_measured' },
    { status: 'not_enough_samples', sessions: 1, worse_level: 4, text: '>= 4', verdict: 'missed' },
    { status: 'undecided', sessions: null, worse_level: null, text: '>= 1', verdict: 'not_measured' },
  ] as const)('of quality: $status $sessions $text: $verdict', ({ text, verdict, ...capacity }) => {
    const qualityCapacity = { ...capacity, undecided_level: null }
    expect(judge(`quality_capacity ${text}`, [level(1), level(2), level(4)], { qualityCapacity }).verdict).toBe(verdict)
  })
})

describe('a check of quality', () => {
  const share = (count: number, n: number, changes: Partial<ShareMetric> = {}): ShareMetric => ({
    value: n === 0 ? null : count / n,
    interval: null,
    count,
    n,
    selected_bounds: [0, 1],
    ...changes,
  })
  const latency = (value: LatencyMetric['value'], high: LatencyMetric['value'] = 2): LatencyMetric => ({
    value,
    interval: [0.5, high],
    p90: 'not_reached',
    n: 20,
  })
  const scored = (subsets: Record<string, SubsetScores['metrics']>) =>
    level(4, {
      quality: {
        subsets: Object.fromEntries(
          Object.entries(subsets).map(([name, metrics]) => [name, { metrics } as unknown as SubsetScores]),
        ),
      },
    })
  const pauses = scored({
    synthetic: { pause_intrusion_rate: share(1, 100) },
    candor: { pause_intrusion_rate: share(8, 100) },
  })

  it.each([
    { text: 'quality.pause_intrusion_rate@4 <= 10%', of: pauses, verdict: 'met' },
    { text: 'quality.pause_intrusion_rate@4 <= 5%', of: pauses, verdict: 'missed' },
    { text: 'quality.synthetic.pause_intrusion_rate@4 <= 5%', of: pauses, verdict: 'met' },
    { text: 'confident(quality.synthetic.pause_intrusion_rate@4 <= 5%)', of: pauses, verdict: 'met' },
    { text: 'confident(quality.synthetic.pause_intrusion_rate@4 <= 4%)', of: pauses, verdict: 'inconclusive' },
    { text: 'quality.other.pause_intrusion_rate@4 <= 5%', of: pauses, verdict: 'not_measured' },
    { text: 'quality.stop_latency_s@4 <= 5s', of: pauses, verdict: 'not_measured' },
    { text: 'quality.pause_intrusion_rate@4 <= 5%', of: level(4), verdict: 'not_measured' },
    {
      text: 'quality.pause_intrusion_rate@4 <= 5%',
      of: scored({ a: { pause_intrusion_rate: share(0, 0) } }),
      verdict: 'not_measured',
    },
    { text: 'quality.stop_latency_s@4 <= 1s', of: scored({ a: { stop_latency_s: latency(1) } }), verdict: 'met' },
    {
      text: 'quality.stop_latency_s@4 <= 9s',
      of: scored({ a: { stop_latency_s: latency('not_reached') } }),
      verdict: 'missed',
    },
    {
      text: 'quality.stop_latency_s.p90@4 <= 9s',
      of: scored({ a: { stop_latency_s: latency(1) } }),
      verdict: 'missed',
    },
    {
      text: 'confident(quality.stop_latency_s@4 <= 2s)',
      of: scored({ a: { stop_latency_s: latency(1) } }),
      verdict: 'met',
    },
    {
      text: 'confident(quality.stop_latency_s@4 <= 2s)',
      of: scored({ a: { stop_latency_s: latency(1, 'not_reached') } }),
      verdict: 'inconclusive',
    },
    // A window that ends before the horizon shows a lower bound only.
    {
      text: 'quality.response_rate_5s@4 >= 80%',
      of: scored({ a: { response_rate_5s: share(9, 10, { lower_bound_only: true }) } }),
      verdict: 'met',
    },
    {
      text: 'quality.response_rate_5s@4 >= 95%',
      of: scored({ a: { response_rate_5s: share(9, 10, { lower_bound_only: true }) } }),
      verdict: 'not_measured',
    },
  ])('$text: $verdict', ({ text, of, verdict }) => {
    expect(judge(text, [of]).verdict).toBe(verdict)
  })

  it('names the subset, and the subsets that there are', () => {
    expect(judge('quality.pause_intrusion_rate@4 <= 5%', [pauses]).reason).toBe('8% at level 4, candor, not <= 5%')
    expect(judge('quality.other.pause_intrusion_rate@4 <= 5%', [pauses]).reason).toContain(
      'scored are synthetic, candor',
    )
  })
})
