/** Profiles, sessions and rows for tests of what is computed from them. */
import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import type { SessionRecording } from '../../src/capture/recording.js'
import { type LevelRow, type LevelRowOptions, levelRow } from '../../src/metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { type Profile, profileSchema } from '../../src/profile/profile.js'

export function shippedProfile(name: string): Profile {
  const text = readFileSync(new URL(`../../profiles/${name}.yaml`, import.meta.url), 'utf8')
  return profileSchema.parse(parseYaml(text))
}

/** 1 s units, 16 kHz in, 24 kHz out. */
export const NATIVE = shippedProfile('minicpmo-native')
export const TURN_BASED = shippedProfile('turn-based')
export const LEGACY = shippedProfile('qwen3-omni-half-duplex')

export function measure(recording: SessionRecording, profile: Profile = NATIVE, reserveUs = 80_000): SessionFacts {
  return sessionFacts({ recording, profile, admissionRetryLimit: 3, reserveUs })
}

export function rowOf(sessions: readonly SessionFacts[], changes: Partial<LevelRowOptions> = {}): LevelRow {
  const profile = changes.profile ?? NATIVE
  return levelRow({
    profile,
    targets: profile.targets,
    concurrency: Math.max(1, sessions.length),
    reserveUs: 80_000,
    stalls: undefined,
    ...changes,
    sessions,
  })
}

/** Facts of a session as the level row reads them; a good one with two units in time unless told otherwise. */
export function factsWith(changes: Partial<SessionFacts> & { readonly lagsUs?: readonly number[] } = {}): SessionFacts {
  const { lagsUs = [200_000, 300_000], ...rest } = changes
  return {
    name: 'one',
    inputSamples: 16_000 * lagsUs.length,
    inputUs: 1_000_000 * lagsUs.length,
    protocolStatus: 'pass',
    violations: [],
    notes: [],
    hasSucceeded: true,
    reasons: [],
    isDenied: false,
    admissionRetries: 0,
    pacing: { problems: [], latenessUs: [0, 100], isInputStalled: false },
    packetsSent: 2,
    hasSentAllInput: true,
    openAtUs: 0,
    closeAtUs: 10_000_000,
    t0Us: 1_000_000,
    unitsExpected: lagsUs.length,
    units: lagsUs.map((lagUs, unit) => ({ unit, doneAtUs: (unit + 2) * 1_000_000 + lagUs, lagUs, isSpeak: false })),
    replies: [],
    acceptedMs: 1000 * lagsUs.length,
    replyS: 0,
    ...rest,
  }
}

/** A session that the server refused, with its units still expected. */
export function deniedFacts(changes: Partial<SessionFacts> = {}): SessionFacts {
  return factsWith({
    protocolStatus: 'fail',
    hasSucceeded: false,
    reasons: ['C5 client error: denied'],
    isDenied: true,
    hasSentAllInput: false,
    packetsSent: 0,
    pacing: { problems: [], latenessUs: [], isInputStalled: false },
    openAtUs: undefined,
    closeAtUs: undefined,
    t0Us: undefined,
    units: [],
    acceptedMs: 0,
    ...changes,
  })
}

/** A row of one native level that meets its targets, with what a test is about written over it. */
export function rowWith(changes: Partial<LevelRow> = {}): LevelRow {
  const concurrency = changes.concurrency ?? 1
  const sessions = Array.from({ length: concurrency }, (_, index) => factsWith({ name: `s${index}` }))
  return { ...rowOf(sessions, { concurrency }), ...changes }
}

/** A row that misses its unit target by one unit in four. */
export function missingRow(concurrency: number, changes: Partial<LevelRow> = {}): LevelRow {
  return rowWith({
    concurrency,
    units_expected: 400,
    units_missed: 100,
    unit_miss_rate: 0.25,
    meets_targets: false,
    missed_targets: ['unit_miss_rate'],
    strict_gate_pass: false,
    confident_verdict: 'failed',
    overall_verdict: 'misses',
    ...changes,
  })
}

export function invalidRow(concurrency: number, changes: Partial<LevelRow> = {}): LevelRow {
  return rowWith({
    concurrency,
    pacing_violations: 1,
    valid: false,
    meets_targets: false,
    missed_targets: ['pacing_violations'],
    strict_gate_pass: false,
    overall_verdict: 'invalid',
    ...changes,
  })
}
