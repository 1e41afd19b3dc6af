/**
 * Every fault on the protocols that are not native, against the real client: an affected session fails, or passes where the
 * fault does no harm, the others pass, and nothing vanishes from a denominator. Causes and checks are pinned for the native
 * protocol, in `fault-outcomes.test.ts`.
 */
import { describe, expect, test } from 'vitest'
import { FAULT_NAMES, type FaultName, faultApplies } from '../../src/loopback/faults.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { ProtocolName } from '../../src/profile/profile.js'
import { withSessionSettings } from '../../src/profile/session-settings.js'
import { FAULT_SESSIONS, runFaultLevel } from '../helpers/fault-level.js'

const SERVER_VAD = { type: 'server_vad', silence_duration_ms: 300 }
const PROFILES = [
  { name: 'turn-based', protocol: 'turn-based', turnDetection: SERVER_VAD },
  { name: 'qwen3-omni-half-duplex', protocol: 'legacy-half-duplex', turnDetection: SERVER_VAD },
  { name: 'openai-realtime', protocol: 'openai-realtime', turnDetection: SERVER_VAD },
  { name: 'vllm-duplex', protocol: 'vllm-duplex', turnDetection: undefined },
] as const

/** A late or refused handshake is made good; a server that has said everything may linger on the close. */
const HARMLESS: readonly FaultName[] = ['denied-twice', 'slow-handshake', 'lingering-close']

function isHarmless(fault: FaultName, protocol: ProtocolName): boolean {
  // Closing is silent there: without an answer nothing shows that the server was alive to the end.
  if (fault === 'lingering-close' && protocol === 'openai-realtime') return false
  return HARMLESS.includes(fault)
}

describe.each(PROFILES)('$name', ({ name, protocol, turnDetection }) => {
  const profileOf = async () => withSessionSettings(await loadProfile(name), { turnDetection })

  test('without a fault all sessions pass, and are answered', async () => {
    const { row, sessions } = await runFaultLevel(await profileOf(), null)
    expect(sessions.flatMap(({ reasons }) => reasons)).toEqual([])
    expect(row.sessions_succeeded).toBe(FAULT_SESSIONS)
    expect(row.replies_with_audio).toBeGreaterThan(0)
  })

  const faults = FAULT_NAMES.filter((fault) => faultApplies(fault, protocol))
  test.each(faults)('%s reaches its sessions and no others', async (fault) => {
    const { row, sessions, results } = await runFaultLevel(await profileOf(), fault)
    const passes = isHarmless(fault, protocol)
    expect(sessions.map(({ hasSucceeded }) => hasSucceeded)).toEqual([true, passes, true, passes, true, passes])
    for (const index of [1, 3, 5]) expect(results[index]?.outcome.message).not.toBe('')
    const failed = passes ? 0 : FAULT_SESSIONS / 2
    expect(row).toMatchObject({
      sessions_attempted: FAULT_SESSIONS,
      sessions_succeeded: FAULT_SESSIONS - failed,
      sessions_failed: failed,
      denied: fault === 'denied' ? failed : 0,
      pacing_violations: 0,
    })
  })
})
