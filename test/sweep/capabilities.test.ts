/** What a server says of itself against what the profile takes it for, and levels that stay under its limit. */
import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import { loadProfile, shippedProfiles } from '../../src/profile/load-profile.io.js'
import type { Profile } from '../../src/profile/profile.js'
import { checkCapabilities, hasCapabilities, levelsUpTo, sessionLimitOf } from '../../src/sweep/capabilities.js'

const NATIVE = await loadProfile('minicpmo-native')
const TURN_BASED = await loadProfile('turn-based')

/** As a server of the profile has it. */
const documentOf = (profile: Profile, fields: Record<string, unknown> = {}) => ({
  model: 'any',
  interaction: profile.protocol === 'native' ? 'native' : 'turn_based',
  native_unit_ms: profile.unit_ms,
  input_audio_format: { type: 'audio/pcm', rate: profile.input.sample_rate_hz },
  output_audio_format: { type: 'audio/pcm', rate: profile.output.sample_rate_hz },
  ...fields,
})

function refusalOf(act: () => unknown): UserError {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

test('only native and turn-based servers have the document', async () => {
  const having = (await shippedProfiles()).filter(hasCapabilities).map(({ protocol }) => protocol)
  expect(new Set(having)).toEqual(new Set(['native', 'turn-based']))
})

describe('a document that agrees', () => {
  test.each([NATIVE, TURN_BASED])('is no error: $name', (profile) => {
    expect(() => checkCapabilities(profile, documentOf(profile), [1, 64])).not.toThrow()
  })

  test.each([
    { name: 'is no document', document: undefined },
    { name: 'is a list', document: [] },
    { name: 'is empty', document: {} },
    {
      name: 'has formats without rates',
      document: { input_audio_format: { type: 'audio/pcm' }, output_audio_format: 7 },
    },
    { name: 'lacks the interaction', document: documentOf(NATIVE, { interaction: undefined }) },
    { name: 'lacks the unit', document: documentOf(NATIVE, { native_unit_ms: undefined }) },
    { name: 'lacks the formats', document: documentOf(NATIVE, { input_audio_format: undefined }) },
    { name: 'has a limit as high as the highest level', document: documentOf(NATIVE, { max_sessions: 8 }) },
    { name: 'has fields that nobody compares', document: documentOf(NATIVE, { first_unit_ms: 3, voices: ['x'] }) },
  ])('or says nothing is no error: it $name', ({ document }) => {
    expect(() => checkCapabilities(NATIVE, document, [1, 8, 2])).not.toThrow()
  })
})

describe('a document that differs', () => {
  test.each([
    {
      field: 'interaction',
      change: { interaction: 'turn_based' },
      says: 'interaction is "turn_based" at the server and "native" in the profile',
    },
    {
      field: 'native_unit_ms',
      change: { native_unit_ms: 80 },
      says: 'native_unit_ms is 80 at the server and 1000 in the profile',
    },
    {
      field: 'native_unit_ms, null',
      change: { native_unit_ms: null },
      says: 'native_unit_ms is null at the server and 1000 in the profile',
    },
    {
      field: 'the input rate',
      change: { input_audio_format: { type: 'audio/pcm', rate: 24_000 } },
      says: 'input rate is 24000 at the server and 16000 in the profile',
    },
    {
      field: 'the output rate',
      change: { output_audio_format: { type: 'audio/pcm', rate: 22_050 } },
      says: 'output rate is 22050 at the server and 24000 in the profile',
    },
    {
      field: 'a rate as a text',
      change: { output_audio_format: { rate: '24000' } },
      says: 'output rate is "24000" at the server and 24000 in the profile',
    },
  ])('in $field is refused with both values', ({ change, says }) => {
    const refusal = refusalOf(() => checkCapabilities(NATIVE, documentOf(NATIVE, change), [1]))
    expect(refusal).toMatchObject({
      code: 'PROFILE_MISMATCH',
      message: `profile minicpmo-native does not fit the server: ${says}`,
      fix: expect.stringContaining('choose the profile'),
    })
  })

  test('in everything is refused once, with everything', () => {
    const other = documentOf(TURN_BASED, { input_audio_format: { rate: 8000 }, max_sessions: 2 })
    const { message } = refusalOf(() => checkCapabilities(NATIVE, other, [1, 4]))
    for (const field of ['interaction', 'native_unit_ms', 'input rate', 'max_sessions'])
      expect(message).toContain(field)
    expect(message).not.toContain('output rate')
  })

  test('in its limit alone is about levels and not about the profile', () => {
    const refusal = refusalOf(() => checkCapabilities(NATIVE, documentOf(NATIVE, { max_sessions: 2 }), [1, 4, 3]))
    expect(refusal).toMatchObject({
      code: 'PROFILE_MISMATCH',
      message: expect.stringContaining('max_sessions is 2 at the server and the highest level is 4'),
      fix: expect.stringContaining('--max-level auto'),
    })
  })
})

describe('the session limit', () => {
  test.each<{ name: string; document: unknown; expected: number | undefined }>([
    { name: 'stands at the top', document: { max_sessions: 3 }, expected: 3 },
    { name: 'stands among the limits', document: { limits: { max_sessions: 5 } }, expected: 5 },
    {
      name: 'is taken from the top where it stands in both',
      document: { max_sessions: 3, limits: { max_sessions: 5 } },
      expected: 3,
    },
    {
      name: 'is looked for below where the top has no number',
      document: { max_sessions: null, limits: { max_sessions: 5 } },
      expected: 5,
    },
    { name: 'is none where it is not said', document: { limits: {} }, expected: undefined },
    { name: 'is none where limits is no object', document: { limits: 4 }, expected: undefined },
    { name: 'is none where it is 0', document: { max_sessions: 0 }, expected: undefined },
    { name: 'is none where it is a fraction', document: { max_sessions: 1.5 }, expected: undefined },
    { name: 'is none where it is a text', document: { max_sessions: '4' }, expected: undefined },
    { name: 'is none without a document', document: undefined, expected: undefined },
  ])('$name', ({ document, expected }) => {
    expect(sessionLimitOf(document)).toBe(expected)
  })
})

describe('levels up to a limit', () => {
  const LEVELS = [8, 1, 4, 2]
  test.each<{ name: string; maxLevel: number | 'auto'; document: unknown; expected: number[] }>([
    { name: 'keep their order', maxLevel: 4, document: undefined, expected: [1, 4, 2] },
    { name: 'are all of them where the limit is high', maxLevel: 100, document: undefined, expected: LEVELS },
    { name: 'are those that the server holds', maxLevel: 'auto', document: { max_sessions: 2 }, expected: [1, 2] },
    {
      name: 'are those of the limits, too',
      maxLevel: 'auto',
      document: { limits: { max_sessions: 5 } },
      expected: [1, 4, 2],
    },
    {
      name: 'are those of the number, whatever the server says',
      maxLevel: 4,
      document: { max_sessions: 2 },
      expected: [1, 4, 2],
    },
  ])('$name', ({ maxLevel, document, expected }) => {
    expect(levelsUpTo(LEVELS, maxLevel, document)).toEqual(expected)
  })

  test.each<{ name: string; levels: number[]; maxLevel: number | 'auto'; document: unknown; says: string }>([
    {
      name: 'no level is that low',
      levels: [4, 8],
      maxLevel: 3,
      document: undefined,
      says: 'no level is at most 3: 4, 8',
    },
    {
      name: 'the server holds fewer than the lowest level',
      levels: [4, 8],
      maxLevel: 'auto',
      document: { max_sessions: 2 },
      says: 'no level is at most 2, which is what the server holds: 4, 8',
    },
    {
      name: 'the server does not say what it holds',
      levels: [1],
      maxLevel: 'auto',
      document: {},
      says: 'the server does not say how many sessions it holds',
    },
  ])('are refused where $name', ({ levels, maxLevel, document, says }) => {
    const refusal = refusalOf(() => levelsUpTo(levels, maxLevel, document))
    expect(refusal).toMatchObject({ code: 'USAGE', message: expect.stringContaining(says) })
  })
})
