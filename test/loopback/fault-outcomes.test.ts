/**
 * Each fault against the real client, on the virtual clock: every second session of a level has it. The session ends with
 * the right cause, its verdict names the right check, the others pass, the level goes on, and nothing vanishes from a
 * denominator.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { US_PER_MS, US_PER_S } from '../../src/base/clock.js'
import { parseTrace } from '../../src/capture/trace-record.js'
import { LevelRunner } from '../../src/load/level-runner.js'
import { type OutcomeKind, type SessionResult, SessionRunner } from '../../src/load/session-runner.js'
import type { Transport } from '../../src/load/transport.js'
import { LoopbackCore } from '../../src/loopback/core.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import { FaultInjector } from '../../src/loopback/fault-injector.js'
import { FAULT_NAMES, type FaultName } from '../../src/loopback/faults.js'
import { connectInMemory } from '../../src/loopback/in-memory.js'
import { loopbackOptionsSchema } from '../../src/loopback/options.js'
import { levelRow } from '../../src/metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../../src/metrics/session-facts.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { PACKET_MS, type Profile, samplesPerUnit } from '../../src/profile/profile.js'
import { driverOf } from '../../src/protocol/registry.js'
import { DEFAULT_ADMISSION_RETRIES } from '../../src/protocol/verdict.js'
import { VirtualClock } from '../helpers/virtual-clock.js'
import { LATENCY_US } from '../helpers/virtual-level.js'
import { makeInput, makeReply } from './native-client.js'

const SESSIONS = 6
const CONCURRENCY = 2
const RESERVE_US = 80 * US_PER_MS

interface Expected {
  readonly outcome: OutcomeKind
  /**
   * Checks that the verdict names; none where the session passes. No others, where the session was completed; what was cut
   * short lacks the rest of its milestones too.
   */
  readonly checks: readonly string[]
  readonly message?: RegExp
}

const PASSES: Expected = { outcome: 'completed', checks: [] }

const EXPECTED: Record<FaultName, Expected> = {
  'error-fatal': { outcome: 'server_error', checks: ['N38'], message: /fatal server error internal: injected fault/ },
  error: { outcome: 'server_error', checks: ['N38'], message: /server error invalid_state: injected fault/ },
  disconnect: { outcome: 'disconnected', checks: ['C5'], message: /without session\.closed in the state "streaming"/ },
  'malformed-json': { outcome: 'undecodable', checks: ['C5'], message: /no JSON object/ },
  'non-finite': { outcome: 'undecodable', checks: ['C5'], message: /no JSON object.*NaN/ },
  'binary-frame': { outcome: 'undecodable', checks: ['C5'], message: /a binary frame of \d+ bytes/ },
  'unit-out-of-order': { outcome: 'completed', checks: ['N23'] },
  'receipt-missing': { outcome: 'completed', checks: ['N14'] },
  'response-after-drain': { outcome: 'completed', checks: ['N30', 'N36'] },
  'lingering-close': PASSES,
  'denied-twice': PASSES,
  denied: { outcome: 'denied', checks: ['C5'], message: /denied 4 times with HTTP 503/ },
  'slow-handshake': PASSES,
  'half-open': { outcome: 'timeout', checks: ['C5'], message: /no end within 120 s/ },
  'wrong-sample-rate': { outcome: 'completed', checks: ['N16'] },
  'truncated-base64': { outcome: 'completed', checks: ['C9', 'N31'] },
  'odd-bytes': { outcome: 'completed', checks: ['C9', 'N31'] },
}

let profile: Profile
beforeAll(async () => {
  profile = await loadProfile('minicpmo-native')
})

/** A level whose sessions run two at a time; session k, from 0, is the server's session k + 1. */
async function runLevel(fault: FaultName | null) {
  const clock = new VirtualClock()
  const options = loopbackOptionsSchema.parse({ fault, faultEvery: 2 })
  const core = new LoopbackCore({
    profile,
    clock,
    options,
    replies: [makeReply('One two three four.', 1500, profile)],
    listeners: energyListener,
  })
  const faults = new FaultInjector(clock, profile.protocol, options)
  const driver = driverOf(profile)
  if (driver === undefined) throw new Error('the native protocol has a client')
  // Four units each. Of different lengths, so that no session begins at the instant at which a refused one comes again.
  const inputs = [2800, 2550, 2300].map((silenceMs) => makeInput(profile, 300, 900, silenceMs))
  const results: SessionResult[] = []
  const sessions: SessionFacts[] = []
  const runner = new LevelRunner({
    clock,
    policy: 'pool',
    concurrency: CONCURRENCY,
    sessions: SESSIONS,
    packetUs: PACKET_MS * US_PER_MS,
    leadUs: 20 * US_PER_MS,
    seed: 'faults',
    meanSessionUs: 4 * US_PER_S,
    createRunner: (index, hooks) => {
      const lines: string[] = []
      const pcm = inputs[index % inputs.length] ?? new Int16Array(0)
      return new SessionRunner({
        ...hooks,
        clock,
        transport: transportTo(core, clock, faults),
        script: driver.createScript(profile),
        packets: driver.packets(pcm, profile),
        sampleRateHz: profile.input.sample_rate_hz,
        packetUs: PACKET_MS * US_PER_MS,
        unitSamples: samplesPerUnit(profile),
        limits: {
          admissionRetries: DEFAULT_ADMISSION_RETRIES,
          admissionBackoffUs: 250 * US_PER_MS,
          admissionTimeoutUs: 60 * US_PER_S,
          sessionTimeoutUs: 120 * US_PER_S,
          postCloseUs: 50 * US_PER_MS,
        },
        sink: {
          append: (line) => lines.push(line) > 0,
          finish: (result) => {
            results[index] = result
            sessions[index] = factsOf({ index, lines, pcm, result })
          },
        },
        observer: {},
        redact: (text) => text,
      })
    },
  })
  await clock.runUntilSettled(runner.run())
  const { targets } = profile
  const row = levelRow({
    ...{ profile, targets, concurrency: CONCURRENCY, sessions, reserveUs: RESERVE_US },
    stalls: undefined,
  })
  return { row, sessions, results, server: core.stats }
}

function transportTo(core: LoopbackCore, clock: VirtualClock, faults: FaultInjector): Transport {
  return {
    connect: (handlers) => {
      const connection = connectInMemory(core, clock, LATENCY_US, '', faults)
      connection.onOpen = () => handlers.onOpen()
      connection.onMessage = (text) => handlers.onText(text)
      connection.onBinary = (bytes) => handlers.onBinary(bytes.length)
      connection.onClose = (code, reason) => handlers.onClosed(code, reason)
      connection.onRefused = (status) => handlers.onRefused({ status, body: '' })
      return {
        send: (frame, onTaken) => {
          connection.send(String(frame))
          onTaken()
        },
        close: (code) => connection.close(code),
        terminate: () => connection.close(),
      }
    },
  }
}

function factsOf(session: { index: number; lines: readonly string[]; pcm: Int16Array; result: SessionResult }) {
  const { index, lines, pcm, result } = session
  const recording = {
    name: `session-${index}`,
    lines: parseTrace(lines.map((line) => `${line}\n`).join('')),
    inputPcm: new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength),
    declaredInputSamples: undefined,
    fileProblems: [],
    receipts: {
      startAtUs: result.startAtUs,
      packets: result.packets.map(({ eventId, dueAtUs, startAtUs, doneAtUs }, seq) => ({
        ...{ seq, eventId, dueAtUs },
        ...{ sendStartAtUs: startAtUs, sendDoneAtUs: doneAtUs },
      })),
    },
  }
  return sessionFacts({ recording, profile, admissionRetryLimit: DEFAULT_ADMISSION_RETRIES, reserveUs: RESERVE_US })
}

const checksOf = ({ violations }: SessionFacts) => [...new Set(violations.map(({ check }) => check))].sort()

test('without a fault all sessions pass', async () => {
  const { row, sessions } = await runLevel(null)
  expect(sessions.flatMap(checksOf)).toEqual([])
  expect(row).toMatchObject({ sessions_attempted: SESSIONS, sessions_succeeded: SESSIONS, units_missed: 0 })
})

describe.each(FAULT_NAMES)('%s', (name) => {
  const { outcome, checks, message } = EXPECTED[name]
  const passes = checks.length === 0
  let level: Awaited<ReturnType<typeof runLevel>>
  beforeAll(async () => {
    level = await runLevel(name)
  })

  test(`an affected session ends ${outcome}, and ${passes ? 'passes' : `breaks ${checks.join(', ')}`}`, () => {
    for (const index of [1, 3, 5]) {
      expect(level.results[index]?.outcome.kind).toBe(outcome)
      if (message !== undefined) expect(level.results[index]?.outcome.message).toMatch(message)
      const facts = level.sessions[index] as SessionFacts
      if (outcome === 'completed') expect(checksOf(facts)).toEqual(checks)
      else expect(checksOf(facts)).toEqual(expect.arrayContaining([...checks]))
      expect(facts.hasSucceeded).toBe(passes)
    }
  })

  test('the others pass, and the level goes on to its last session', () => {
    expect(level.sessions).toHaveLength(SESSIONS)
    for (const index of [0, 2, 4]) {
      expect(level.results[index]?.outcome).toEqual({ kind: 'completed', message: 'completed' })
      expect(level.sessions[index]).toMatchObject({ hasSucceeded: true, reasons: [] })
    }
  })

  test('every session stays in every denominator', () => {
    const failed = passes ? 0 : SESSIONS / 2
    const unitsEach = 4
    expect(level.row).toMatchObject({
      sessions_attempted: SESSIONS,
      sessions_succeeded: SESSIONS - failed,
      sessions_failed: failed,
      denied: name === 'denied' ? failed : 0,
      admission_retries: name === 'denied-twice' ? 2 * (SESSIONS / 2) : 0,
      units_expected: SESSIONS * unitsEach,
      units_missed: failed * unitsEach,
      unit_miss_rate: failed / SESSIONS,
      pacing_violations: 0,
      meets_targets: passes,
    })
  })
})
