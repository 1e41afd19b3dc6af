/**
 * Each fault against the real client, on the virtual clock: every second session of a level has it. The session ends with
 * the right cause, its verdict names the right check, the others pass, the level goes on, and nothing vanishes from a
 * denominator.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { OutcomeKind } from '../../src/load/session-runner.js'
import { FAULT_NAMES, type FaultName } from '../../src/loopback/faults.js'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { checksOf, FAULT_SESSIONS, runFaultLevel } from '../helpers/fault-level.js'

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

test('without a fault all sessions pass', async () => {
  const { row, sessions } = await runFaultLevel(profile, null)
  expect(sessions.flatMap(checksOf)).toEqual([])
  expect(row).toMatchObject({ sessions_attempted: FAULT_SESSIONS, sessions_succeeded: FAULT_SESSIONS, units_missed: 0 })
})

describe.each(FAULT_NAMES)('%s', (name) => {
  const { outcome, checks, message } = EXPECTED[name]
  const passes = checks.length === 0
  let level: Awaited<ReturnType<typeof runFaultLevel>>
  beforeAll(async () => {
    level = await runFaultLevel(profile, name)
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
    expect(level.sessions).toHaveLength(FAULT_SESSIONS)
    for (const index of [0, 2, 4]) {
      expect(level.results[index]?.outcome).toEqual({ kind: 'completed', message: 'completed' })
      expect(level.sessions[index]).toMatchObject({ hasSucceeded: true, reasons: [] })
    }
  })

  test('every session stays in every denominator', () => {
    const failed = passes ? 0 : FAULT_SESSIONS / 2
    const unitsEach = 4
    expect(level.row).toMatchObject({
      sessions_attempted: FAULT_SESSIONS,
      sessions_succeeded: FAULT_SESSIONS - failed,
      sessions_failed: failed,
      denied: name === 'denied' ? failed : 0,
      admission_retries: name === 'denied-twice' ? 2 * (FAULT_SESSIONS / 2) : 0,
      units_expected: FAULT_SESSIONS * unitsEach,
      units_missed: failed * unitsEach,
      unit_miss_rate: failed / FAULT_SESSIONS,
      pacing_violations: 0,
      meets_targets: passes,
    })
  })
})
