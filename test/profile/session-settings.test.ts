/** The `session` object that is sent: what a protocol takes of turn detection, and how overlays lie over a profile. */
import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { type Profile, turnDetectionRule } from '../../src/profile/profile.js'
import { type SessionSettings, withSessionSettings } from '../../src/profile/session-settings.js'

const PROFILES = {
  native: await loadProfile('minicpmo-native'),
  'turn-based': await loadProfile('turn-based'),
  'legacy-half-duplex': await loadProfile('qwen3-omni-half-duplex'),
  'openai-realtime': await loadProfile('openai-realtime'),
  'vllm-duplex': await loadProfile('vllm-duplex'),
} satisfies Record<Profile['protocol'], Profile>
type Protocol = keyof typeof PROFILES

const GIVEN = { type: 'semantic_vad', eagerness: 'low' }
const OWN = { type: 'server_vad', threshold: 0.25 }

/** Where the detector stands in a session, written out. */
const PLACED: Partial<Record<Protocol, (detection: unknown) => Record<string, unknown>>> = {
  'turn-based': (detection) => ({ audio: { input: { turn_detection: detection } } }),
  'legacy-half-duplex': (detection) => ({ turn_detection: detection }),
  'openai-realtime': (detection) => ({ audio: { input: { turn_detection: detection } } }),
}

function refusalOf(profile: Profile, settings: SessionSettings): UserError {
  try {
    withSessionSettings(profile, settings)
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown
    throw thrown
  }
  throw new Error('it was taken')
}

/** The profile with a detector of its own, in place of a shipped one. */
function withOwn(protocol: Protocol, detection: unknown): Profile {
  return { ...PROFILES[protocol], session: PLACED[protocol]?.(detection) ?? {} }
}

describe('turn detection', () => {
  test.each<{ protocol: Protocol; rule: string }>([
    { protocol: 'native', rule: 'refused' },
    { protocol: 'turn-based', rule: 'required' },
    { protocol: 'legacy-half-duplex', rule: 'required' },
    { protocol: 'openai-realtime', rule: 'optional' },
    { protocol: 'vllm-duplex', rule: 'refused' },
  ])('is $rule for $protocol', ({ protocol, rule }) => {
    expect(turnDetectionRule(PROFILES[protocol])).toBe(rule)
  })

  const MISSING = /^profile \S+ needs --turn-detection/
  const NOT_TAKEN = /^--turn-detection does not apply to profile \S+/
  const NO_TYPE = /^--turn-detection is .*; it must be a JSON object with a type$/

  const nothing: { protocol: Protocol; expected: RegExp | 'the profile itself' }[] = [
    { protocol: 'native', expected: 'the profile itself' },
    { protocol: 'turn-based', expected: MISSING },
    { protocol: 'legacy-half-duplex', expected: MISSING },
    { protocol: 'openai-realtime', expected: 'the profile itself' },
    { protocol: 'vllm-duplex', expected: 'the profile itself' },
  ]
  test.each(nothing)('not given to $protocol: $expected', ({ protocol, expected }) => {
    const profile = PROFILES[protocol]
    if (expected === 'the profile itself') expect(withSessionSettings(profile, {})).toBe(profile)
    else expect(refusalOf(profile, {})).toMatchObject({ code: 'USAGE', message: expect.stringMatching(expected) })
  })

  const values: { name: string; value: Record<string, unknown> | null; taken: Protocol[]; refusal: RegExp }[] = [
    {
      name: 'a detector',
      value: GIVEN,
      taken: ['turn-based', 'legacy-half-duplex', 'openai-realtime'],
      refusal: NOT_TAKEN,
    },
    { name: 'null, which asks for manual turns,', value: null, taken: ['openai-realtime'], refusal: NO_TYPE },
    { name: 'an object without a type', value: {}, taken: [], refusal: NO_TYPE },
    { name: 'an object whose type is no text', value: { type: 5 }, taken: [], refusal: NO_TYPE },
  ]
  const given = values.flatMap(({ name, value, taken, refusal }) =>
    (Object.keys(PROFILES) as Protocol[]).map((protocol) => ({
      name,
      protocol,
      value,
      isTaken: taken.includes(protocol),
      // Where the protocol takes no detector at all, that is what is said, whatever the value.
      refusal: PLACED[protocol] === undefined ? NOT_TAKEN : refusal,
    })),
  )
  test.each(given)('$name for $protocol is taken: $isTaken', ({ protocol, value, isTaken, refusal }) => {
    const profile = PROFILES[protocol]
    if (!isTaken) {
      expect(refusalOf(profile, { turnDetection: value })).toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(refusal),
      })
      return
    }
    const { session } = withSessionSettings(profile, { turnDetection: value })
    expect(session).toMatchObject(PLACED[protocol]?.(value) ?? {})
    if (value === null) expect(session).not.toMatchObject(PLACED[protocol]?.(GIVEN) ?? {})
  })

  const placed = Object.keys(PLACED) as Protocol[]
  test.each(placed)('that stands in the profile’s own session is enough for %s', (protocol) => {
    const profile = withOwn(protocol, OWN)
    expect(withSessionSettings(profile, {})).toBe(profile)
  })

  test.each(placed)('that stands in the overlay is enough for %s', (protocol) => {
    const { session } = withSessionSettings(withOwn(protocol, undefined), { session: PLACED[protocol]?.(OWN) })
    expect(session).toEqual(PLACED[protocol]?.(OWN))
  })

  test.each(placed)('of the flag lies over the profile’s and the overlay’s for %s, whole', (protocol) => {
    const settings = { session: PLACED[protocol]?.({ type: 'none', threshold: 0.9 }), turnDetection: GIVEN }
    const { session } = withSessionSettings(withOwn(protocol, OWN), settings)
    // Nothing of the other two is left in it, as it would be if they were merged.
    expect(session).toEqual(PLACED[protocol]?.(GIVEN))
  })

  test.each(placed)('without a type in the profile’s own session is refused for %s', (protocol) => {
    expect(refusalOf(withOwn(protocol, { threshold: 0.5 }), {})).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('{"threshold":0.5}'),
    })
  })

  test('makes its place where the session has none, and keeps what stands beside it', () => {
    const profile: Profile = { ...PROFILES['turn-based'], session: { audio: { input: { format: 'f' }, output: 'o' } } }
    expect(withSessionSettings(profile, { turnDetection: GIVEN }).session).toEqual({
      audio: { input: { format: 'f', turn_detection: GIVEN }, output: 'o' },
    })
  })

  test('a missing or wrong one comes with an example that is right', () => {
    const { fix } = refusalOf(PROFILES['turn-based'], {})
    const example = /--turn-detection '(.*)'$/.exec(fix ?? '')?.[1]
    const turnDetection = JSON.parse(example ?? '')
    expect(() => withSessionSettings(PROFILES['turn-based'], { turnDetection })).not.toThrow()
  })
})

describe('the overlay', () => {
  const base = { voice: 'a', list: [1, 2], audio: { output: { voice: 'b', speed: 1 } }, gone: { deep: 1 } }
  const profile: Profile = { ...PROFILES.native, session: base }

  test.each<{ name: string; overlay: Record<string, unknown>; expected: Record<string, unknown> }>([
    { name: 'nothing changes nothing', overlay: {}, expected: base },
    {
      name: 'adds what is new',
      overlay: { instructions: 'Be brief.' },
      expected: { ...base, instructions: 'Be brief.' },
    },
    { name: 'replaces a value', overlay: { voice: 'z' }, expected: { ...base, voice: 'z' } },
    { name: 'replaces a list whole', overlay: { list: [3] }, expected: { ...base, list: [3] } },
    {
      name: 'goes into objects and leaves their other fields',
      overlay: { audio: { output: { voice: 'z' }, input: { format: 'f' } } },
      expected: { ...base, audio: { output: { voice: 'z', speed: 1 }, input: { format: 'f' } } },
    },
    { name: 'replaces an object by null', overlay: { gone: null }, expected: { ...base, gone: null } },
    { name: 'replaces an object by a list', overlay: { gone: [1] }, expected: { ...base, gone: [1] } },
    { name: 'replaces a value by an object', overlay: { voice: { id: 1 } }, expected: { ...base, voice: { id: 1 } } },
  ])('$name', ({ overlay, expected }) => {
    const before = structuredClone(base)
    expect(withSessionSettings(profile, { session: overlay }).session).toEqual(expected)
    expect(base).toEqual(before)
  })

  test('changes nothing of the profile but its session', () => {
    const { session, ...rest } = withSessionSettings(profile, { session: { voice: 'z' } })
    const { session: own, ...ownRest } = profile
    expect(rest).toEqual(ownRest)
    expect(session).not.toEqual(own)
  })
})
