import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readRun, readSession } from '../../src/capture/run-reader.io.js'
import { type LevelRow, levelRow } from '../../src/metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { samplesPerPacket } from '../../src/profile/profile.js'
import { shippedProfile } from '../helpers/measured-levels.js'

/** Hand-made levels with the right answers beside them; origin, keys and tolerances are in test/vectors/serving/README.md. */
const SERVING = 'test/vectors/serving'
const LEVELS = readdirSync(SERVING).filter((name) => /^\d\d-/.test(name))

const COUNTS = new Set([
  ...['sessions_attempted', 'sessions_succeeded', 'sessions_failed', 'denied', 'admission_retries', 'concurrency'],
  ...['pacing_violations', 'peak_complete_streams', 'units_expected', 'units_missed', 'sessions_with_miss', 'valid'],
  ...['replies_with_audio', 'underrun_replies', 'underrun_count', 'meets_targets', 'strict_gate_pass', 'profile'],
  ...['units_completed', 'units_late_or_missing', 'confident_verdict', 'mode'],
])
const TIMES = new Set([
  ...['reserve_s', 'unit_lag_s', 'speak_unit_lag_s', 'listen_unit_lag_s', 'first_audio_s', 'buffer_needed_s'],
  ...['send_lateness_s', 'input_accepted_s', 'reply_s', 'input_accepted_s_per_session', 'reply_s_per_session'],
])
const RATES = new Set(['unit_miss_rate', 'late_send_rate', 'units_completed_per_session'])

function toleranceOf(key: string): number {
  if (TIMES.has(key)) return 2e-6
  if (RATES.has(key) || key === 'unit_miss_bound95') return key === 'unit_miss_bound95' ? 2e-9 : 1e-9
  if (key === 'underrun_s') return 20e-6
  if (key === 'mean_open' || key === 'rtf') return 2e-5
  if (key === 'unit_miss_wilson95') return 1e-4
  throw new Error(`the README names no tolerance for ${key}`)
}

/** Null stays null, objects have exactly the expected keys, numbers are within the tolerance. */
function expectWithin(actual: unknown, expected: unknown, tolerance: number, what: string): void {
  if (typeof expected === 'object' && expected !== null) {
    expect(actual, what).toBeTypeOf('object')
    const record = expected as Record<string, unknown>
    expect(Object.keys(actual as object).sort(), what).toEqual(Object.keys(record).sort())
    for (const [key, value] of Object.entries(record)) {
      const isCount = key === 'n'
      expectWithin((actual as Record<string, unknown>)[key], value, isCount ? 0 : tolerance, `${what}.${key}`)
    }
    return
  }
  if (typeof expected !== 'number') {
    expect(actual, what).toBe(expected)
    return
  }
  expect(actual, what).toBeTypeOf('number')
  expect(Math.abs((actual as number) - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(tolerance)
}

interface Measured {
  readonly sessions: readonly SessionFacts[]
  readonly row: LevelRow
}

async function measureLevel(level: string): Promise<Measured> {
  const run = await readRun(`${SERVING}/${level}`)
  const profile = shippedProfile(run.profileName)
  const sessions: SessionFacts[] = []
  for (const entry of run.sessions) {
    const recording = await readSession(entry, { inputRateHz: profile.input.sample_rate_hz })
    sessions.push(sessionFacts({ recording, profile, admissionRetryLimit: 3, reserveUs: 80_000 }))
  }
  const concurrency = run.concurrency ?? 0
  const { targets } = profile
  return {
    sessions,
    row: levelRow({ profile, targets, concurrency, sessions, reserveUs: 80_000, stalls: undefined }),
  }
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
}

describe.each(LEVELS)('recorded level %s', (level) => {
  let measured: Measured
  beforeAll(async () => {
    measured = await measureLevel(level)
  })

  const expectedRow = readJson(`${SERVING}/${level}/expected.json`)
  delete expectedRow.about

  it.each(Object.entries(expectedRow))('has the %s of its vector', (key, expected) => {
    const actual = measured.row[key as keyof LevelRow]
    if (key === 'missed_targets') {
      expect([...measured.row.missed_targets].sort()).toEqual([...(expected as string[])].sort())
    } else if (key === 'unit_miss_bootstrap95' && expected !== null) {
      const { low_range: low, high_range: high } = expected as { low_range: number[]; high_range: number[] }
      const interval = measured.row.unit_miss_bootstrap95
      expect(interval?.low).toBeGreaterThanOrEqual((low[0] as number) - 1e-9)
      expect(interval?.low).toBeLessThanOrEqual((low[1] as number) + 1e-9)
      expect(interval?.high).toBeGreaterThanOrEqual((high[0] as number) - 1e-9)
      expect(interval?.high).toBeLessThanOrEqual((high[1] as number) + 1e-9)
    } else if (COUNTS.has(key) || expected === null) expect(actual).toBe(expected)
    else expectWithin(actual, expected, toleranceOf(key), key)
  })

  const expectedSessions = readJson(`${SERVING}/${level}/expected-sessions.json`) as Record<string, ExpectedSession>

  it('has the sessions of its vector and no others', () => {
    expect(measured.sessions.map(({ name }) => name)).toEqual(Object.keys(expectedSessions))
  })

  it.each(Object.entries(expectedSessions))('session %s has the facts of its vector', (name, expected) => {
    const facts = measured.sessions.find((session) => session.name === name)
    if (facts === undefined) throw new Error(`no session ${name}`)
    const unitUs = (shippedProfile(measured.row.profile).unit_ms ?? 0) * 1000
    const inTime = facts.units.filter(({ lagUs }) => lagUs !== undefined && lagUs <= unitUs).length
    const missed = facts.hasSucceeded ? (facts.unitsExpected ?? 0) - inTime : facts.unitsExpected
    expect({
      passed: facts.hasSucceeded,
      denied: facts.isDenied,
      admission_retries: facts.admissionRetries,
      pacing_problems: facts.pacing.problems.length,
      sent_all_input: facts.hasSentAllInput,
      units_expected: facts.unitsExpected,
      units_missed: facts.unitsExpected === null ? null : missed,
      speak_units: facts.units.filter(({ isSpeak }) => isSpeak).map(({ unit }) => unit),
      replies: facts.replies.map(({ id, deltas, isCut }) => ({ id, deltas, cut: isCut })),
    }).toEqual({
      passed: expected.passed,
      denied: expected.denied,
      admission_retries: expected.admission_retries,
      pacing_problems: expected.pacing_problems.length,
      sent_all_input: expected.sent_all_input,
      units_expected: expected.units_expected,
      units_missed: expected.units_missed,
      speak_units: expected.speak_units,
      replies: expected.replies.map(({ id, deltas, cut }) => ({ id, deltas, cut })),
    })
    const seconds = (us: number | undefined) => (us === undefined ? null : us / 1e6)
    expectWithin(facts.inputSamples / inputRateOf(measured.row.profile), expected.input_s, 2e-6, 'input_s')
    expectWithin(seconds(facts.openAtUs), expected.open_s, 2e-6, 'open_s')
    expectWithin(seconds(facts.closeAtUs), expected.close_s, 2e-6, 'close_s')
    expectWithin(seconds(facts.t0Us), expected.t0_s, 2e-6, 't0_s')
    const lags = Object.fromEntries(facts.units.map(({ unit, lagUs }) => [unit, seconds(lagUs)]))
    expectWithin(lags, expected.unit_lag_s, 2e-6, 'unit_lag_s')
    facts.replies.forEach((reply, index) => {
      const wanted = expected.replies[index]
      expectWithin(seconds(reply.firstAudioUs), wanted?.first_audio_s, 2e-6, 'first_audio_s')
      expectWithin(seconds(reply.bufferNeededUs), wanted?.buffer_needed_s, 2e-6, 'buffer_needed_s')
      expectWithin(
        reply.pausesUs.map((us) => us / 1e6),
        wanted?.pauses_s,
        20e-6,
        'pauses_s',
      )
      expectWithin(reply.realTimeFactor ?? null, wanted?.rtf, 2e-5, 'rtf')
    })
  })
})

it('the vectors have inputs of whole packets and inputs with a short last one', () => {
  // A level whose every input was whole packets would let an off-by-one of the last packet pass.
  const inputs = LEVELS.flatMap((level) => {
    const profile = shippedProfile(String(readJson(`${SERVING}/${level}/manifest.json`).profile))
    return Object.values(readJson(`${SERVING}/${level}/expected-sessions.json`) as Record<string, ExpectedSession>).map(
      ({ input_s: inputS }) => Math.round(inputS * profile.input.sample_rate_hz) % samplesPerPacket(profile),
    )
  })
  expect(new Set(inputs.map((rest) => rest === 0))).toEqual(new Set([true, false]))
})

function inputRateOf(profile: string): number {
  return shippedProfile(profile).input.sample_rate_hz
}

interface ExpectedSession {
  readonly input_s: number
  readonly passed: boolean
  readonly denied: boolean
  readonly admission_retries: number
  readonly pacing_problems: readonly string[]
  readonly sent_all_input: boolean
  readonly open_s: number | null
  readonly close_s: number | null
  readonly t0_s: number | null
  readonly units_expected: number | null
  readonly units_missed: number | null
  readonly unit_lag_s: Readonly<Record<string, number>>
  readonly speak_units: readonly number[]
  readonly replies: readonly {
    readonly id: string
    readonly first_audio_s: number | null
    readonly buffer_needed_s: number
    readonly pauses_s: readonly number[]
    readonly rtf: number | null
    readonly deltas: number
    readonly cut: boolean
  }[]
}
