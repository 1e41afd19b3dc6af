/**
 * The meter, tested on a server whose capacity is known on paper: the client that makes real measurements must find it,
 * and must tell its own failings from the server's.
 */
import { describe, expect, test } from 'vitest'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { predictCapacity } from '../../src/loopback/predict.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { capacityOf, levelOutcomes } from '../../src/sweep/capacity.js'
import { LATENCY_US, runVirtualLevel, speechLikeInput, type VirtualLevel } from '../helpers/virtual-level.js'

const LEVELS = [1, 2, 4, 8]
const JITTER = 0.02
const THERE_AND_BACK_S = (2 * LATENCY_US) / 1_000_000

/** Most of them no whole number of units, and none with a last unit so short that it follows at the heels of another. */
const INPUTS_MS = [2640, 4700, 3000, 3580, 2775]

function inputsFor(profile: Profile, lengthsMs: readonly number[] = INPUTS_MS): Int16Array[] {
  return lengthsMs.map((ms, index) => speechLikeInput(profile, ms, String(index)))
}

function expectAllPassed({ sessions, results }: VirtualLevel): void {
  expect(sessions.flatMap(({ name, reasons }) => reasons.map((reason) => `${name}: ${reason}`))).toEqual([])
  expect(new Set(sessions.map(({ protocolStatus }) => protocolStatus))).toEqual(new Set(['pass']))
  expect(new Set(results.map(({ outcome }) => outcome.kind))).toEqual(new Set(['completed']))
}

describe('the capacity that is measured is the one on paper', () => {
  test.each([
    { profileName: 'minicpmo-native', baseMs: 100, perUnitMs: 150, capacity: 4 },
    { profileName: 'minicpmo-native', baseMs: 50, perUnitMs: 300, capacity: 2 },
    { profileName: 'personaplex-native', baseMs: 8, perUnitMs: 12, capacity: 4 },
    { profileName: 'nemotron-voicechat', baseMs: 4, perUnitMs: 24, capacity: 2 },
  ])('$profileName, $baseMs ms + $perUnitMs ms a unit: $capacity', async (row) => {
    const { profileName, baseMs, perUnitMs, capacity } = row
    const profile = await loadProfile(profileName)
    const accelerator = { baseMs, perUnitMs, jitter: JITTER }
    const unitMs = profile.unit_ms ?? 0
    const predicted = predictCapacity({ unitMs, levels: LEVELS, accelerator, phases: 'any', packetMs: 80 })
    expect(predicted).toMatchObject({ atLeast: capacity, atMost: capacity })

    const inputs = inputsFor(profile)
    const levels: VirtualLevel[] = []
    for (const concurrency of LEVELS) {
      levels.push(
        await runVirtualLevel({ profile, server: accelerator, concurrency, inputs, sessions: 3 * concurrency }),
      )
    }
    for (const level of levels) expectAllPassed(level)
    const rows = levels.map((level) => level.row)
    expect(rows.map(({ valid }) => valid)).toEqual([true, true, true, true])
    expect(rows.map(({ peak_complete_streams: peak }) => peak)).toEqual(LEVELS)
    expect(capacityOf(levelOutcomes(rows))).toMatchObject({
      status: 'exact',
      sessions: predicted.atLeast,
      invalid_levels: [],
      meets_above: [],
    })
    // Far from the knee nothing is missed at all.
    expect(rows[0]).toMatchObject({ units_missed: 0, late_send_rate: 0 })
  })

  test.each(['aligned', 'spread', 'poisson'] as const)(
    'whole inputs under %s starts meet at the capacity',
    async (policy) => {
      const profile = await loadProfile('minicpmo-native')
      const level = await runVirtualLevel({
        profile,
        policy,
        server: { baseMs: 100, perUnitMs: 150, jitter: JITTER },
        concurrency: 4,
        inputs: inputsFor(profile, [2000, 3000]),
        sessions: 8,
      })
      expectAllPassed(level)
      if (policy !== 'poisson') expect(level.row).toMatchObject({ meets_targets: true, peak_complete_streams: 4 })
      expect(level.row.sessions_attempted).toBe(8)
    },
  )
})

describe('a server that takes exactly 120 ms for a unit', () => {
  test.each([
    { profileName: 'minicpmo-native', inputMs: 5000 },
    { profileName: 'minicpmo-native', inputMs: 3333 },
  ])('reads 120 ms and the way there and back: $profileName, $inputMs ms', async ({ profileName, inputMs }) => {
    const profile = await loadProfile(profileName)
    const { row, sessions } = await runVirtualLevel({
      profile,
      server: { baseMs: 100, perUnitMs: 20, jitter: 0 },
      concurrency: 1,
      inputs: inputsFor(profile, [inputMs]),
      sessions: 2,
    })
    const lagS = 0.12 + THERE_AND_BACK_S
    expect(row.units_completed).toBe(2 * Math.ceil(inputMs / 1000))
    expect(row.unit_lag_s).toMatchObject({ p50: lagS, p99: lagS, max: lagS })
    expect(row.send_lateness_s).toMatchObject({ p50: 0, max: 0 })
    expect(row.first_audio_s).toMatchObject({ max: lagS })
    expect(new Set(sessions.flatMap(({ units }) => units.map(({ lagUs }) => lagUs)))).toEqual(
      new Set([120_000 + 2 * LATENCY_US]),
    )
  })

  test('reads a queue as well: units that come at one instant to a server of one at a time', async () => {
    const profile = await loadProfile('minicpmo-native')
    const { row } = await runVirtualLevel({
      profile,
      policy: 'aligned',
      server: { baseMs: 100, perUnitMs: 20, jitter: 0, maxBatch: 1 },
      concurrency: 3,
      inputs: inputsFor(profile, [4000]),
      sessions: 3,
    })
    expect(row.unit_lag_s).toMatchObject({ p50: 0.24 + THERE_AND_BACK_S, max: 0.36 + THERE_AND_BACK_S })
  })

  test.each([
    { perUnitMs: 897.999, missed: 0 },
    { perUnitMs: 898, missed: 0 },
    { perUnitMs: 898.001, missed: 2 },
  ])('misses a unit only strictly beyond its length ($perUnitMs ms)', async ({ perUnitMs, missed }) => {
    const profile = await loadProfile('minicpmo-native')
    const { row } = await runVirtualLevel({
      profile,
      server: { baseMs: 100, perUnitMs, jitter: 0 },
      concurrency: 1,
      inputs: [speechLikeInput(profile, 1000, 'one unit')],
      sessions: 2,
    })
    expect(row).toMatchObject({ units_expected: 2, units_missed: missed })
  })

  test('shows one long stall of the server in the tail, and nowhere else', async () => {
    const profile = await loadProfile('minicpmo-native')
    const { row } = await runVirtualLevel({
      profile,
      server: { baseMs: 100, perUnitMs: 20, jitter: 0, stallEveryS: 20, stallMs: 1_400 },
      concurrency: 1,
      inputs: inputsFor(profile, [7000]),
      sessions: 3,
    })
    expect(row.valid).toBe(true)
    expect(row.unit_lag_s).toMatchObject({ p50: 0.12 + THERE_AND_BACK_S, max: 1.52 + THERE_AND_BACK_S })
    expect(row.units_missed).toBe(1)
  })
})

describe('a client that is held up', () => {
  const run = async (durationUs: number) => {
    const profile = await loadProfile('minicpmo-native')
    return runVirtualLevel({
      profile,
      server: { baseMs: 100, perUnitMs: 100, jitter: JITTER },
      concurrency: 4,
      inputs: inputsFor(profile, [4000]),
      sessions: 8,
      ...(durationUs === 0 ? {} : { clientStall: { afterUs: 2_000_000, durationUs } }),
    })
  }

  test('by 300 ms has an invalid level, not a bad server', async () => {
    const level = await run(300_000)
    expectAllPassed(level)
    expect(level.row).toMatchObject({
      valid: false,
      meets_targets: false,
      overall_verdict: 'invalid',
      strict_gate_pass: false,
      pacing_violations: 4,
      missed_targets: ['pacing_violations'],
      sessions_failed: 0,
      units_missed: 0,
    })
    expect(level.row.send_lateness_s?.max).toBeGreaterThan(0.2)
    expect(capacityOf(levelOutcomes([level.row]))).toMatchObject({ status: 'undecided', invalid_levels: [4] })
  })

  test('by 70 ms keeps the pacing rule, and the late sends show', async () => {
    const level = await run(70_000)
    expectAllPassed(level)
    expect(level.row).toMatchObject({ valid: true, meets_targets: true, pacing_violations: 0 })
    expect(level.row.late_send_rate).toBeGreaterThan(0)
  })

  test('by nothing sends every packet on time', async () => {
    expect((await run(0)).row).toMatchObject({ valid: true, late_send_rate: 0 })
  })
})

describe('sessions that were denied', () => {
  const server: LoopbackOptionsInput = { baseMs: 50, perUnitMs: 50, jitter: 0 }
  const INPUT_MS = 3500
  const UNITS = 4

  test.each([
    { name: 'a socket', limit: { maxSessions: 2 }, denials: 'sessionsDenied' },
    { name: 'model memory', limit: { modelSlots: 2 }, denials: 'admissionsRejected' },
  ] as const)('for want of $name stay in every denominator', async ({ limit, denials }) => {
    const profile = await loadProfile('minicpmo-native')
    const sessions = 8
    const level = await runVirtualLevel({
      profile,
      policy: 'aligned',
      server: { ...server, ...limit },
      concurrency: 4,
      inputs: [speechLikeInput(profile, INPUT_MS, 'denied')],
      sessions,
    })
    // Two waves of four, of which two are let in.
    expect(level.row).toMatchObject({
      sessions_attempted: sessions,
      sessions_succeeded: 4,
      sessions_failed: 4,
      denied: 4,
      units_expected: sessions * UNITS,
      units_missed: 4 * UNITS,
      unit_miss_rate: 0.5,
      units_completed: 4 * UNITS,
      sessions_with_miss: 4,
      valid: true,
      meets_targets: false,
      missed_targets: ['sessions_failed', 'denied', 'unit_miss_rate'],
      peak_complete_streams: 2,
    })
    expect(level.server[denials]).toBeGreaterThanOrEqual(4)
    expect(level.results.filter(({ outcome }) => outcome.kind === 'denied')).toHaveLength(4)
  })

  test('are counted apart from those that a later attempt let in', async () => {
    const profile = await loadProfile('minicpmo-native')
    const level = await runVirtualLevel({
      profile,
      server: { ...server, maxSessions: 2, teardownMs: 400 },
      concurrency: 2,
      inputs: [speechLikeInput(profile, INPUT_MS, 'retry')],
      sessions: 4,
    })
    expectAllPassed(level)
    expect(level.row).toMatchObject({ denied: 0, meets_targets: true })
    expect(level.row.admission_retries).toBeGreaterThanOrEqual(2)
  })
})

test('the same level gives the same row', async () => {
  const profile = await loadProfile('nemotron-voicechat')
  const run = () =>
    runVirtualLevel({
      profile,
      policy: 'poisson',
      server: { baseMs: 8, perUnitMs: 12, jitter: 0.1 },
      concurrency: 3,
      inputs: inputsFor(profile, [2000, 2345]),
      sessions: 6,
    })
  expect((await run()).row).toEqual((await run()).row)
})
