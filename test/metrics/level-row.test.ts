import { describe, expect, it } from 'vitest'
import type { ReplyFacts, SessionFacts } from '../../src/metrics/session-facts.js'
import { LevelStalls, StallIndex } from '../../src/metrics/stalls.js'
import { deniedFacts, factsWith, LEGACY, measure, NATIVE, rowOf, TURN_BASED } from '../helpers/measured-levels.js'
import { BuiltSession, deniedRecording } from '../helpers/session-builder.js'

const S = 1_000_000

function stream(name: string, openS: number, closeS: number, t0S: number, endS: number): SessionFacts {
  return factsWith({
    name,
    openAtUs: openS * S,
    closeAtUs: closeS * S,
    t0Us: t0S * S,
    inputUs: (endS - t0S) * S,
  })
}

function reply(changes: Partial<ReplyFacts> = {}): ReplyFacts {
  return {
    id: 'reply_0',
    firstAudioUs: 100_000,
    bufferNeededUs: 0,
    pausesUs: [],
    realTimeFactor: 0.5,
    deltas: 2,
    isCut: false,
    ...changes,
  }
}

describe('open sessions and complete streams', () => {
  it('example 6: open over [0,10] and [5,15], streams inside [1,9] and [6,14]: mean open 20/15, peak 2', () => {
    const row = rowOf([stream('a', 0, 10, 1, 9), stream('b', 5, 15, 6, 14)])
    expect(row.mean_open).toBeCloseTo(20 / 15, 9)
    expect(row.peak_complete_streams).toBe(2)
  })

  it.each([
    { name: 'intervals that touch at one instant overlap', second: 9, peak: 2 },
    { name: 'intervals 1 µs apart do not', second: 9.000001, peak: 1 },
  ])('$name', ({ second, peak }) => {
    const row = rowOf([stream('a', 0, 10, 1, 9), stream('b', 5, 25, second, second + 8)])
    expect(row.peak_complete_streams).toBe(peak)
  })

  it('a gap between sessions counts in the mean', () => {
    expect(rowOf([stream('a', 0, 10, 1, 9), stream('b', 30, 40, 31, 39)]).mean_open).toBe(0.5)
  })

  it('a session that did not send all its input is open, but no complete stream', () => {
    const cut = { ...stream('b', 0, 10, 1, 9), hasSentAllInput: false, hasSucceeded: false }
    expect(rowOf([stream('a', 0, 10, 1, 9), cut])).toMatchObject({ mean_open: 2, peak_complete_streams: 1 })
  })

  it('a failed session that sent everything counts in the peak', () => {
    const failed = { ...stream('b', 0, 10, 1, 9), hasSucceeded: false }
    expect(rowOf([stream('a', 0, 10, 1, 9), failed]).peak_complete_streams).toBe(2)
  })

  it('a session that never opened counts in neither', () => {
    const row = rowOf([stream('a', 0, 10, 1, 9), deniedFacts({ name: 'b' })])
    expect(row).toMatchObject({ mean_open: 1, peak_complete_streams: 1 })
    expect(rowOf([deniedFacts()])).toMatchObject({ mean_open: null, peak_complete_streams: 0 })
  })
})

describe('the unit miss rate', () => {
  it('example 8: one succeeded with lags 0.2 0.2 1.2, one denied, 3 units each: 4 of 6 missed', () => {
    const one = new BuiltSession({ profile: NATIVE, inputSamples: 48_000, lagsUs: [200_000, 200_000, 1_200_000] })
    const row = rowOf([measure(one.recording()), measure(deniedRecording({ inputSamples: 48_000 }))])
    expect(row).toMatchObject({
      units_expected: 6,
      units_missed: 4,
      unit_miss_rate: 4 / 6,
      sessions_succeeded: 1,
      sessions_failed: 1,
      denied: 1,
      sessions_with_miss: 2,
      missed_targets: ['sessions_failed', 'denied', 'unit_miss_rate'],
    })
  })

  it('every unit of a failed session is missed, whatever its lags were, and its lags stay in the distribution', () => {
    const failed = factsWith({ name: 'b', hasSucceeded: false, reasons: ['N9'], lagsUs: [100_000, 1_500_000] })
    const row = rowOf([factsWith({ lagsUs: [200_000] }), failed])
    expect(row).toMatchObject({ units_expected: 3, units_missed: 2, units_late_or_missing: 1, units_completed: 3 })
    expect(row.unit_lag_s).toMatchObject({ n: 3, p50: 0.2, max: 1.5 })
  })

  it('speak and listen units have distributions of their own', () => {
    const [speak, listen] = factsWith({ lagsUs: [100_000, 400_000] }).units
    const units = [{ ...speak, isSpeak: true }, listen] as SessionFacts['units']
    const row = rowOf([factsWith({ units })])
    expect(row.unit_lag_s).toMatchObject({ n: 2 })
    expect(row.speak_unit_lag_s).toMatchObject({ n: 1, max: 0.1 })
    expect(row.listen_unit_lag_s).toMatchObject({ n: 1, max: 0.4 })
  })

  it.each([
    { missed: 0, isMet: true },
    { missed: 1, isMet: true },
    { missed: 2, isMet: false },
  ])('$missed of 100 units missed meets the target of 1%: $isMet', ({ missed, isMet }) => {
    const lagsUs = Array.from({ length: 100 }, (_, unit) => (unit < missed ? 1_000_001 : 1))
    const row = rowOf([factsWith({ lagsUs })])
    expect(row).toMatchObject({ meets_targets: isMet, missed_targets: isMet ? [] : ['unit_miss_rate'] })
    // The strict campaign gate asks for less than 1%, not for at most.
    expect(row.strict_gate_pass).toBe(missed === 0)
  })

  it('a target of its own is judged instead', () => {
    const sessions = [factsWith({ lagsUs: [1_000_001, 1] })]
    const targets = { unit_miss_rate_max: 0.5, rtf_p90_below: 1 }
    expect(rowOf(sessions, { targets })).toMatchObject({ meets_targets: true, strict_gate_pass: false })
  })
})

describe('misses that a stall of the client could explain', () => {
  /** The process slept from 4 s (due) to 4.3 s, and woke next at 4.31 s. */
  const stalls = new StallIndex([{ dueAtUs: 4_000_000, ranAtUs: 4_300_000, endAtUs: 4_310_000 }])

  it.each([
    { name: 'lag over by exactly the stall, stamped inside it', lagUs: 1_300_000, doneAtUs: 4_305_000, uncertain: 1 },
    { name: 'lag over by 1 µs more than the stall', lagUs: 1_300_001, doneAtUs: 4_305_000, uncertain: 0 },
    { name: 'stamped at the very start', lagUs: 1_100_000, doneAtUs: 4_000_000, uncertain: 1 },
    { name: 'stamped before it', lagUs: 1_100_000, doneAtUs: 3_999_999, uncertain: 0 },
    { name: 'stamped at the very end', lagUs: 1_100_000, doneAtUs: 4_310_000, uncertain: 1 },
    { name: 'stamped after it', lagUs: 1_100_000, doneAtUs: 4_310_001, uncertain: 0 },
    { name: 'in time at all', lagUs: 900_000, doneAtUs: 4_305_000, uncertain: 0 },
  ])('$name: $uncertain uncertain', ({ lagUs, doneAtUs, uncertain }) => {
    const units = [{ unit: 0, lagUs, doneAtUs, isSpeak: false }]
    const row = rowOf([factsWith({ units, unitsExpected: 1 })], { stalls })
    const isMissed = lagUs > 1_000_000
    expect(row).toMatchObject({
      units_missed: isMissed ? 1 : 0,
      uncertain_misses: uncertain,
      meets_without_uncertain: uncertain === 1 ? true : null,
      meets_targets: !isMissed,
    })
  })

  it('a late unit of a failed session is missed for another reason', () => {
    const units = [{ unit: 0, lagUs: 1_100_000, doneAtUs: 4_305_000, isSpeak: false }]
    const row = rowOf([factsWith({ units, unitsExpected: 1, hasSucceeded: false })], { stalls })
    expect(row).toMatchObject({ units_missed: 1, uncertain_misses: 0, meets_without_uncertain: null })
  })

  it('says no where enough other misses remain', () => {
    const units = [
      { unit: 0, lagUs: 1_100_000, doneAtUs: 4_305_000, isSpeak: false },
      { unit: 1, lagUs: 2_000_000, doneAtUs: 6_305_000, isSpeak: false },
    ]
    const row = rowOf([factsWith({ units, unitsExpected: 2 })], { stalls })
    expect(row).toMatchObject({ units_missed: 2, uncertain_misses: 1, meets_without_uncertain: false })
  })

  it.each([
    { name: 'its own sender', stalled: ['one'], uncertain: 1 },
    { name: 'another sender', stalled: ['two'], uncertain: 0 },
    { name: 'the only sender there was', stalled: null, uncertain: 1 },
  ])('a stall of $name makes $uncertain uncertain', ({ stalled, uncertain }) => {
    const units = [{ unit: 0, lagUs: 1_100_000, doneAtUs: 4_305_000, isSpeak: false }]
    const senders = new LevelStalls([
      { sessions: stalled, stalls: [{ dueAtUs: 4_000_000, ranAtUs: 4_300_000, endAtUs: 4_310_000 }] },
      { sessions: ['three', stalled?.[0] === 'two' ? 'one' : 'two'], stalls: [] },
    ])
    const row = rowOf([factsWith({ name: 'one', units, unitsExpected: 1 })], { stalls: senders })
    expect(row.uncertain_misses).toBe(uncertain)
  })

  it('is null where no stalls were recorded, and 0 where there were none', () => {
    expect(rowOf([factsWith()]).uncertain_misses).toBeNull()
    expect(rowOf([factsWith()], { stalls: new StallIndex([]) }).uncertain_misses).toBe(0)
  })
})

describe('playback', () => {
  it.each([
    { neededUs: 79_999, count: 0 },
    { neededUs: 80_000, count: 0 },
    { neededUs: 80_000.0009, count: 0 },
    { neededUs: 80_001, count: 1 },
  ])('a reply that needs $neededUs µs is $count underrun at a reserve of 80 ms', ({ neededUs, count }) => {
    expect(rowOf([factsWith({ replies: [reply({ bufferNeededUs: neededUs })] })]).underrun_replies).toBe(count)
  })

  it('pauses of all replies add up', () => {
    const replies = [
      reply({ pausesUs: [20_000, 30_000] }),
      reply({ id: 'reply_1', pausesUs: [1] }),
      reply({ id: 'r2' }),
    ]
    const row = rowOf([factsWith({ replies })])
    expect(row).toMatchObject({ replies_with_audio: 3, underrun_count: 3, underrun_s: 0.050001 })
  })
})

describe('turn-based levels', () => {
  const session = (realTimeFactor: number | undefined) =>
    factsWith({ unitsExpected: null, units: [], replies: [reply({ realTimeFactor })] })

  it.each([
    { rtf: 0.999, missed: [] },
    { rtf: 1, missed: ['rtf_p90'] },
    { rtf: undefined, missed: ['rtf_p90'] },
  ])('a real-time factor of $rtf misses $missed', ({ rtf, missed }) => {
    const row = rowOf([session(rtf)], { profile: TURN_BASED })
    expect(row).toMatchObject({ missed_targets: missed, meets_targets: missed.length === 0, valid: true })
  })

  it('have no unit figure, no gate and no confident verdict', () => {
    const row = rowOf([session(0.5)], { profile: TURN_BASED })
    expect(row).toMatchObject({
      mode: 'turn_based',
      units_expected: null,
      units_missed: null,
      unit_miss_rate: null,
      units_late_or_missing: null,
      sessions_with_miss: null,
      uncertain_misses: null,
      unit_lag_s: null,
      units_completed: null,
      units_completed_per_session: null,
      strict_gate_pass: null,
      confident_verdict: null,
      unit_miss_bound95: null,
      unit_miss_wilson95: null,
      unit_miss_bootstrap95: null,
      overall_verdict: 'meets',
    })
  })

  it('legacy levels have no accepted input', () => {
    const row = rowOf([{ ...session(0.5), acceptedMs: null }], { profile: LEGACY })
    expect(row).toMatchObject({ input_accepted_s: null, input_accepted_s_per_session: null })
  })

  it('native levels have no real-time factor', () => {
    expect(rowOf([factsWith({ replies: [reply()] })]).rtf).toBeNull()
  })
})

describe('validity comes before the verdict', () => {
  const late = { problems: ['packet 3 0.09 s off its schedule'], latenessUs: [0, 90_000], isInputStalled: false }

  it.each([
    { name: 'no session was attempted', sessions: [], isComplete: true, missed: [] },
    {
      name: 'the generator fell behind',
      sessions: [factsWith({ pacing: late })],
      isComplete: true,
      missed: ['pacing_violations'],
    },
    { name: 'the recording was not finished', sessions: [factsWith()], isComplete: false, missed: [] },
  ])('invalid: $name', ({ sessions, isComplete, missed }) => {
    expect(rowOf(sessions, { isComplete })).toMatchObject({
      valid: false,
      meets_targets: false,
      missed_targets: missed,
      strict_gate_pass: false,
      overall_verdict: 'invalid',
    })
  })

  it('a session with a pacing violation can succeed', () => {
    expect(rowOf([factsWith({ pacing: late })])).toMatchObject({ sessions_succeeded: 1, sessions_failed: 0 })
  })

  it('a level where nothing succeeded is a measured miss', () => {
    const row = rowOf([deniedFacts(), deniedFacts({ name: 'two' })])
    expect(row).toMatchObject({ valid: true, meets_targets: false, unit_miss_rate: 1, overall_verdict: 'misses' })
  })

  it('the strict gate asks for as many complete streams at once as were requested', () => {
    const sessions = [stream('a', 0, 10, 1, 3), stream('b', 0, 10, 1, 3)]
    expect(rowOf(sessions, { concurrency: 2 }).strict_gate_pass).toBe(true)
    expect(rowOf(sessions, { concurrency: 3 }).strict_gate_pass).toBe(false)
  })
})

describe('empty distributions are null, never 0', () => {
  it('in a level without a session', () => {
    const row = rowOf([])
    expect(row).toMatchObject({
      mean_open: null,
      peak_complete_streams: 0,
      units_expected: 0,
      units_missed: 0,
      unit_miss_rate: null,
      unit_lag_s: null,
      speak_unit_lag_s: null,
      listen_unit_lag_s: null,
      first_audio_s: null,
      buffer_needed_s: null,
      underrun_count: 0,
      underrun_s: 0,
      rtf: null,
      send_lateness_s: null,
      late_send_rate: null,
      units_completed_per_session: null,
      reply_s_per_session: null,
      unit_miss_bound95: null,
      unit_miss_wilson95: null,
      unit_miss_bootstrap95: null,
    })
  })

  it('lateness that one session does not know is not taken from the others', () => {
    const unknown = { problems: [], latenessUs: undefined, isInputStalled: false }
    const row = rowOf([factsWith(), factsWith({ name: 'two', pacing: unknown })])
    expect(row).toMatchObject({ send_lateness_s: null, late_send_rate: null })
  })

  it('no number of a row is NaN or infinite', () => {
    for (const sessions of [[], [deniedFacts()], [factsWith()], [factsWith({ unitsExpected: 0, units: [] })]]) {
      for (const profile of [NATIVE, TURN_BASED, LEGACY]) {
        const numbers: number[] = []
        JSON.stringify(rowOf(sessions, { profile }), (_, value: unknown) => {
          if (typeof value === 'number') numbers.push(value)
          return value
        })
        expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([])
      }
    }
  })
})

describe('percentiles', () => {
  it('interpolate between order statistics at q(n − 1)', () => {
    // 0.1 to 1.1 s in steps of 0.1: n = 11, so p90 is the tenth value, p95 halfway to the last, p99 nine tenths of the way.
    const lagsUs = Array.from({ length: 11 }, (_, index) => (11 - index) * 100_000)
    const expected = { n: 11, p50: 0.6, p90: 1, p95: 1.05, p99: 1.09, max: 1.1 }
    expect(rowOf([factsWith({ lagsUs })]).unit_lag_s).toEqual(expected)
  })

  it('send lateness has a p99.9, and keeps its sign', () => {
    const pacing = { problems: [], latenessUs: [-1000, -500], isInputStalled: false }
    expect(rowOf([factsWith({ pacing })]).send_lateness_s).toEqual({
      n: 2,
      p50: -0.00075,
      p90: -0.00055,
      p95: -0.000525,
      p99: -0.000505,
      p999: -0.0005005,
      max: -0.0005,
    })
  })
})

describe('how sure a level is', () => {
  const clean = (units: number) => factsWith({ lagsUs: Array<number>(units).fill(1) })
  const missing = (units: number, missed: number, name = 'one') =>
    factsWith({ name, lagsUs: Array.from({ length: units }, (_, unit) => (unit < missed ? 1_000_001 : 1)) })

  it.each([
    // Further sessions counted up one by one with exact binomial tails, outside this code. 299 independent units without a miss are the least that shows at most 1% at 95%: 0.99^299 is below 0.05.
    { name: '298 clean units', sessions: [clean(298)], verdict: 'inconclusive', further: 1, overall: 'inconclusive' },
    { name: '299 clean units', sessions: [clean(299)], verdict: 'qualified', further: null, overall: 'meets' },
    { name: 'half of 10 units', sessions: [missing(10, 5)], verdict: 'failed', further: null, overall: 'misses' },
    { name: '1 of 50 units', sessions: [missing(50, 1)], verdict: 'inconclusive', further: 8, overall: 'misses' },
    {
      name: '1 of 100 units: at the target',
      sessions: [missing(100, 1)],
      verdict: 'inconclusive',
      further: null,
      overall: 'inconclusive',
    },
    { name: 'no units', sessions: [], verdict: 'inconclusive', further: null, overall: 'invalid' },
  ])('$name: $verdict, $further more sessions', ({ sessions, verdict, further, overall }) => {
    const row = rowOf(sessions)
    expect(row.confident_verdict).toBe(verdict)
    expect(row.further_sessions_to_settle).toBe(further)
    expect(row.overall_verdict).toBe(overall)
  })

  it('misses bunched in one session widen the bounds, scattered ones do not', () => {
    const bunched = rowOf([missing(10, 10, 'a'), missing(10, 0, 'b'), missing(10, 0, 'c')])
    expect(bunched.unit_miss_bound95).toMatchObject({ design_effect: 10, effective_units: 3 })
    const scattered = rowOf([missing(10, 2, 'a'), missing(10, 2, 'b'), missing(10, 2, 'c')])
    expect(scattered.unit_miss_bound95).toMatchObject({ design_effect: 1, effective_units: 30 })
  })

  it('an interval without a miss begins at 0 and one without a success ends at 1', () => {
    expect(rowOf([clean(20)]).unit_miss_bound95?.low).toBe(0)
    expect(rowOf([missing(20, 20)]).unit_miss_bound95?.high).toBe(1)
    expect(rowOf([clean(20)]).unit_miss_bootstrap95).toMatchObject({ low: 0, high: 0 })
  })
})

describe('work done', () => {
  it('stands per session attempted, denied ones included', () => {
    const sessions = [factsWith({ replyS: 1.5 }), deniedFacts({ name: 'two' })]
    expect(rowOf(sessions)).toMatchObject({
      units_completed: 2,
      units_completed_per_session: 1,
      input_accepted_s: 2,
      input_accepted_s_per_session: 1,
      reply_s: 1.5,
      reply_s_per_session: 0.75,
    })
  })
})
