import { describe, expect, test } from 'vitest'
import { parseTraceLine } from '../../src/capture/trace-record.js'
import { judgeSession } from '../../src/protocol/judge.js'
import {
  type Client,
  eventsOfUnit,
  makeInput,
  makeWorld,
  PROFILE_NAMES,
  REPLY_SAMPLE,
  runSession,
  samplesOf,
  type WireEvent,
  type World,
} from './native-client.js'

const typesOf = (events: readonly WireEvent[]) => events.map((event) => event.type)
const audioSamples = (client: Client) =>
  client.of('response.output_audio.delta').reduce((sum, delta) => sum + samplesOf(delta).length, 0)

function verdictOf(world: World, client: Client) {
  return judgeSession({
    profile: world.profile,
    lines: client.trace.map((line, index) => parseTraceLine(JSON.stringify(line), index + 1)),
    admissionRetryLimit: 3,
  })
}

describe('a session of a model that is silent while it listens', () => {
  const profile = 'minicpmo-native'

  test('speaks after the user has fallen silent, a unit of audio at a time, and stops when the reply is through', async () => {
    const world = await makeWorld(profile)
    const client = await runSession(world, makeInput(world.profile, 300, 1200, 3500))
    expect(typesOf(eventsOfUnit(client, 0))).toEqual(['sglang.unit.done'])
    expect(typesOf(eventsOfUnit(client, 1))).toEqual([
      'response.created',
      'response.output_audio.delta',
      'response.output_audio_transcript.delta',
      'sglang.unit.done',
    ])
    expect(typesOf(eventsOfUnit(client, 2))).toEqual([
      'response.output_audio.delta',
      'response.output_audio_transcript.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.done',
      'sglang.unit.done',
    ])
    expect(typesOf(eventsOfUnit(client, 3))).toEqual(['sglang.unit.done'])
    expect(client.of('response.output_audio.delta').map((delta) => samplesOf(delta).length)).toEqual([24_000, 12_000])
    expect(client.of('response.output_audio_transcript.done')[0]?.transcript).toBe('Hello there my friend.')
    expect(client.of('response.done')[0]?.response).toMatchObject({
      id: 'resp_0',
      status: 'completed',
      status_details: { reason: 'stop' },
      output: [
        { id: 'item_0', role: 'assistant', content: [{ type: 'output_audio', transcript: 'Hello there my friend.' }] },
      ],
      usage: null,
    })
  })

  test('numbers its chunks through the session and its events from 0', async () => {
    const world = await makeWorld(profile)
    const client = await runSession(world, makeInput(world.profile, 300, 1200, 2500))
    const chunks = client.received.flatMap((event) =>
      event.sglang?.chunk_seq === undefined ? [] : [event.sglang.chunk_seq],
    )
    expect(chunks).toEqual(chunks.map((_, index) => index))
    expect(client.received.map((event) => event.event_id)).toEqual(client.received.map((_, index) => `evt_${index}`))
  })

  test('yields when the user speaks during a reply: the reply is completed, without more audio', async () => {
    const world = await makeWorld(profile)
    const client = await runSession(world, makeInput(world.profile, 300, 1200, 1000, 600, 900))
    expect(typesOf(eventsOfUnit(client, 2))).toEqual([
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.done',
      'sglang.unit.done',
    ])
    expect(client.of('response.done')[0]?.response).toMatchObject({ status: 'completed' })
    expect(client.of('response.output_audio_transcript.done')[0]?.transcript).toBe('Hello there my')
    // It answers again once the second utterance is over.
    expect(typesOf(eventsOfUnit(client, 3))[0]).toBe('response.created')
  })

  test('listens in as many first units as the client asks for', async () => {
    const world = await makeWorld(profile)
    const session = { output_modalities: ['audio'], sglang: { sampling: { force_listen_count: 3 } } }
    const client = await runSession(world, makeInput(world.profile, 100, 500, 5400), session)
    expect(client.of('response.output_audio.delta')[0]?.sglang.unit_id).toBe('unit_3')
  })

  test('never speaks to a user who says nothing, and the session is valid all the same', async () => {
    const world = await makeWorld(profile)
    const client = await runSession(world, makeInput(world.profile, 3000))
    expect(client.of('response.created')).toEqual([])
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass', violations: [] })
  })

  test('ends a reply that the end of the input cuts short in an empty unit', async () => {
    const world = await makeWorld(profile, { baseMs: 1, perUnitMs: 1 })
    const client = await runSession(world, makeInput(world.profile, 300, 1200, 500))
    const last = client.of('sglang.unit.done').at(-1)
    expect(last).toMatchObject({ unit_id: 'unit_2', sglang: { media_time: { t_start_ms: 2000, duration_ms: 0 } } })
    expect(client.of('response.done')[0]?.response).toMatchObject({ status: 'completed' })
    expect(verdictOf(world, client).violations).toEqual([])
  })

  test('sends text beside audio as output text when both were granted', async () => {
    const world = await makeWorld(profile)
    const client = await runSession(world, makeInput(world.profile, 300, 1200, 3500), {
      output_modalities: ['audio', 'text'],
    })
    expect(client.of('response.output_text.done')[0]?.text).toBe('Hello there my friend.')
    expect(client.types().filter((type) => type.includes('transcript'))).toEqual([])
  })

  test('has a unit done exactly when the accelerator is', async () => {
    const world = await makeWorld(profile, { baseMs: 100, perUnitMs: 150 })
    const client = await runSession(world, makeInput(world.profile, 2000))
    const acceptedAt = client.receivedAtUs[client.received.findIndex((event) => event.seq === 12)] ?? 0
    const doneAt = client.receivedAtUs[client.types().indexOf('sglang.unit.done')] ?? 0
    expect(doneAt - acceptedAt).toBe(250_000)
  })
})

describe('a session of a continuous model', () => {
  test('the prompted one sends two frames with unit 0, then one each, and its text is done before its audio', async () => {
    const world = await makeWorld('personaplex-native')
    const client = await runSession(world, makeInput(world.profile, 80, 400, 2840))
    const deltas = client.of('response.output_audio.delta').map((delta) => samplesOf(delta).length)
    expect(deltas).toEqual([3840, ...Array.from({ length: 41 }, () => 1920)])
    expect(typesOf(eventsOfUnit(client, 41))).toEqual([
      'response.output_audio.delta',
      'response.output_audio_transcript.done',
      'response.output_audio.done',
      'response.done',
      'sglang.unit.done',
    ])
    expect(client.of('response.created')).toHaveLength(1)
  })

  test('the one with a codec keeps 256 samples back until the end', async () => {
    const world = await makeWorld('nemotron-voicechat')
    const client = await runSession(world, makeInput(world.profile, 280))
    const deltas = client.of('response.output_audio.delta').map((delta) => samplesOf(delta).length)
    expect(deltas).toEqual([1508, 1764, 1764, 2020])
    expect(client.of('sglang.input_audio.drained')[0]).toMatchObject({
      accepted_end_ms: 280,
      consumed_ms: 280,
      discarded_ms: 0,
      padding_ms: 40,
    })
  })

  test('an aligned input is followed by an empty unit with the codec tail and the end of the response', async () => {
    const world = await makeWorld('nemotron-voicechat')
    const client = await runSession(world, makeInput(world.profile, 240))
    expect(typesOf(eventsOfUnit(client, 3))).toEqual([
      'response.output_audio.delta',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.done',
      'sglang.unit.done',
    ])
    expect(client.of('sglang.unit.done').at(-1)?.sglang.media_time).toEqual({ t_start_ms: 240, duration_ms: 0 })
    expect(audioSamples(client)).toBe(3 * 1764)
  })

  test.each(['personaplex-native', 'nemotron-voicechat'])(
    '%s says its reply once, and nothing before it',
    async (name) => {
      const world = await makeWorld(name)
      const client = await runSession(world, makeInput(world.profile, 80, 400, 3520))
      const all = client.of('response.output_audio.delta').flatMap((delta) => [...samplesOf(delta)])
      const spoken = all.filter((sample) => sample === REPLY_SAMPLE).length
      expect(spoken).toBe((1500 * world.profile.output.sample_rate_hz) / 1000)
      expect(Math.max(...all.filter((sample) => sample !== REPLY_SAMPLE))).toBeLessThan(10)
      // 480 ms of input, 300 ms of silence in whole windows: heard by the end of unit 9 or 10.
      expect(all.indexOf(REPLY_SAMPLE) / world.profile.output.sample_rate_hz).toBeGreaterThan(0.6)
      expect(client.of('response.output_audio_transcript.done')[0]?.transcript).toBe('Hello there my friend.')
    },
  )
})

const hasLongUnits = (name: string) => name === 'minicpmo-native'

describe.each(PROFILE_NAMES)('the verdict on sessions of %s', (name) => {
  const lengths = [
    { what: 'whole units', stretchesMs: [320, 1200, 4480] },
    { what: 'whole packets', stretchesMs: [320, 1200, 4560] },
    { what: 'a short last packet', stretchesMs: [320, 1200, 4505] },
    { what: 'a reply that the end cuts short', stretchesMs: [320, 1200, 905] },
    { what: 'less than a unit', stretchesMs: [20, 40, 15] },
  ]
  test.each(lengths)('passes for an input of $what', async ({ what, stretchesMs }) => {
    const world = await makeWorld(name)
    const client = await runSession(world, makeInput(world.profile, ...stretchesMs))
    expect(client.closed).toEqual({ code: 1000, reason: 'client_closed' })
    const isTooShortToOverlap = what === 'less than a unit' && world.profile.output.continuous
    expect(verdictOf(world, client)).toEqual({
      status: isTooShortToOverlap ? 'not_exercised' : 'pass',
      violations: [],
      notes: [],
    })
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, sessionsTotal: 1, queueLength: 0 })
  })

  test('passes for every one of five sessions that share the accelerator beyond its capacity', async () => {
    const world = await makeWorld(
      name,
      hasLongUnits(name) ? { baseMs: 250, perUnitMs: 250 } : { baseMs: 20, perUnitMs: 20 },
    )
    const input = makeInput(world.profile, 320, 1200, 1505)
    const sessions = Array.from({ length: 5 }, () => runSession(world, input))
    const clients = await Promise.all(sessions)
    for (const client of clients) expect(verdictOf(world, client)).toMatchObject({ status: 'pass', violations: [] })
    expect(world.core.stats.batches).toBeLessThan(world.core.stats.units)
  })
})
