import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadProfile, SHIPPED_PROFILES_DIR, shippedProfiles } from '../../src/profile/load-profile.io.js'
import { modeOf, type Profile, samplesPerPacket, samplesPerUnit } from '../../src/profile/profile.js'
import { folderWith } from '../helpers/temp-folders.js'

const FILES = readdirSync(SHIPPED_PROFILES_DIR).filter((file) => file.endsWith('.yaml'))

const MINE = {
  schema: 'floorload.profile/1',
  name: 'mine',
  description: 'a server of my own',
  protocol: 'native',
  trace_format: 'realtime-pcm16-v1',
  unit_ms: 1000,
  input: { sample_rate_hz: 16_000 },
  output: { sample_rate_hz: 24_000 },
}

async function profileOf(content: string | object): Promise<Profile> {
  const text = typeof content === 'string' ? content : stringify(content)
  return loadProfile(join(await folderWith({ 'mine.yaml': text }), 'mine.yaml'))
}

describe('shipped profiles', () => {
  it.each(FILES)('%s loads, by path and by the name that is its file’s', async (file) => {
    const byPath = await loadProfile(join(SHIPPED_PROFILES_DIR, file))
    expect(byPath.name).toBe(file.replace('.yaml', ''))
    expect(await loadProfile(byPath.name)).toEqual(byPath)
  })

  // The table of test/vectors/serving/README.md; samples of a packet of 80 ms and of a unit.
  it.each([
    { name: 'minicpmo-native', mode: 'native', unitMs: 1000, rates: [16_000, 24_000], samples: [1280, 16_000] },
    { name: 'nemotron-voicechat', mode: 'native', unitMs: 80, rates: [16_000, 22_050], samples: [1280, 1280] },
    { name: 'personaplex-native', mode: 'native', unitMs: 80, rates: [24_000, 24_000], samples: [1920, 1920] },
    {
      name: 'qwen3-omni-half-duplex',
      mode: 'turn_based',
      unitMs: null,
      rates: [16_000, 24_000],
      samples: [1280, undefined],
    },
    { name: 'turn-based', mode: 'turn_based', unitMs: 200, rates: [16_000, 24_000], samples: [1280, 3200] },
  ])('$name has the figures of the vectors', async ({ name, mode, unitMs, rates, samples }) => {
    const profile = await loadProfile(name)
    expect(modeOf(profile)).toBe(mode)
    expect(profile.unit_ms).toBe(unitMs)
    expect([profile.input.sample_rate_hz, profile.output.sample_rate_hz]).toEqual(rates)
    expect([samplesPerPacket(profile), samplesPerUnit(profile)]).toEqual(samples)
  })

  it.each([
    { alias: 'minicpmo-native-pr2377', name: 'minicpmo-native' },
    { alias: 'nemotron-voicechat-pr2188', name: 'nemotron-voicechat' },
  ])('$alias is $name', async ({ alias, name }) => {
    expect((await loadProfile(alias)).name).toBe(name)
  })

  it('no name or alias is used twice', async () => {
    const names = (await shippedProfiles()).flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
  })

  it('all meet at most 1% of units missed, or replies faster than they play', async () => {
    for (const { targets } of await shippedProfiles()) {
      expect(targets).toEqual({ unit_miss_rate_max: 0.01, rtf_p90_below: 1 })
    }
  })
})

describe('a profile of one’s own', () => {
  it('loads with its defaults', async () => {
    expect(await profileOf(MINE)).toMatchObject({
      aliases: [],
      output: { continuous: false, conservation: 'none' },
      replies: { stop_needs_input_end: false, extra_completed_reasons: [] },
      session: {},
      targets: { unit_miss_rate_max: 0.01, rtf_p90_below: 1 },
    })
  })

  it('may be a shipped file, changed', async () => {
    const text = readFileSync(join(SHIPPED_PROFILES_DIR, 'minicpmo-native.yaml'), 'utf8')
    expect((await profileOf(text.replace('name: minicpmo-native', 'name: mine'))).name).toBe('mine')
  })

  it.each([
    { name: 'another schema', change: { schema: 'floorload.profile/2' }, problem: 'schema is "floorload.profile/2"' },
    { name: 'no schema', change: { schema: undefined }, problem: 'schema is missing' },
    { name: 'capitals in the name', change: { name: 'Mine' }, problem: 'name is "Mine"; it must be lower case' },
    { name: 'a path as name', change: { name: '../x' }, problem: 'name is "../x"' },
    { name: 'no description', change: { description: '' }, problem: 'description is ""' },
    { name: 'an unknown protocol', change: { protocol: 'webrtc' }, problem: 'protocol is "webrtc"; allowed: native' },
    { name: 'a unit of 0', change: { unit_ms: 0 }, problem: 'unit_ms is 0; it must be at least 10' },
    { name: 'a unit of 10.5 ms', change: { unit_ms: 10.5 }, problem: 'unit_ms is 10.5' },
    { name: 'no unit where the protocol has units', change: { unit_ms: null }, problem: 'unit_ms is null; it must' },
    {
      name: 'a turn-based one without a unit',
      change: { protocol: 'turn-based', unit_ms: null },
      problem: 'unit_ms is null',
    },
    {
      name: 'a unit that is no whole number of samples',
      change: { unit_ms: 11, input: { sample_rate_hz: 22_050 } },
      problem: 'whole number of samples',
    },
    {
      name: 'a packet that is no whole number of samples',
      change: { protocol: 'legacy-half-duplex', unit_ms: null, input: { sample_rate_hz: 11_026 } },
      problem: 'whole number of samples',
    },
    {
      name: 'a rate beyond audio',
      change: { input: { sample_rate_hz: 1 } },
      problem: 'input.sample_rate_hz is 1; it must be at least 8000',
    },
    {
      name: 'a misspelt target',
      change: { targets: { unit_miss_rate: 0.5 } },
      problem: 'targets.unit_miss_rate is not a known field; did you mean unit_miss_rate_max?',
    },
    {
      name: 'a target above 1',
      change: { targets: { unit_miss_rate_max: 5 } },
      problem: 'targets.unit_miss_rate_max is 5; it must be at most 1',
    },
    {
      name: 'an unknown conservation',
      change: { output: { sample_rate_hz: 24_000, conservation: 'some' } },
      problem: 'output.conservation is "some"',
    },
    { name: 'no object at all', content: '- a\n', problem: 'the document is ["a"]' },
    { name: 'broken YAML', content: 'name: [', problem: 'not valid YAML' },
  ])('is refused: $name', async ({ change, content, problem }) => {
    const document = content ?? JSON.parse(JSON.stringify({ ...MINE, ...change }))
    const refusal = await profileOf(document).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ name: 'UserError', code: 'PROFILE_FIELD' })
    expect((refusal as Error).message).toContain(problem)
    expect((refusal as Error).message).toContain('mine.yaml')
  })

  it('that is not there is not a field of one', async () => {
    const file = join(await folderWith({}), 'none.yaml')
    await expect(loadProfile(file)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  })

  it('an unknown name gets the known ones, and a path to try', async () => {
    const refusal = await loadProfile('minicpm-native').catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ code: 'PROFILE_UNKNOWN', fix: expect.stringContaining('.yaml') })
    expect((refusal as Error).message).toContain('did you mean minicpmo-native?')
  })
})
