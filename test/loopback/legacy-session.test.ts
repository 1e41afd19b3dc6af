import { describe, expect, test } from 'vitest'
import {
  append,
  Client,
  makeInput,
  makeWorld,
  openSession,
  samplesOf,
  sendPackets,
  type WireEvent,
} from './native-client.js'
import { LEGACY_SESSION, receivedAtMs, runLegacy, story, verdictOf } from './turn-client.js'

const PROFILE = 'qwen3-omni-half-duplex'
/** Slow enough that a reply is still being worked out when the user speaks again. */
const SLOW = { baseMs: 100, perUnitMs: 60 }

const STARTED = 'input_audio_buffer.speech_started'
const HEARD = ['input_audio_buffer.speech_stopped', 'input_audio_buffer.committed']
const TRANSCRIBED = 'conversation.item.input_audio_transcription.completed'
const DONE = ['response.audio.done', 'response.text.done', 'response.done']

/** The story with the interleaved deltas as one. */
function shortStory(client: Client): string[] {
  const types = story(client).map((type) => (/\.delta$/.test(type) ? 'deltas' : type))
  return types.filter((type, index) => type !== types[index - 1])
}

const endings = (events: readonly WireEvent[]) =>
  events.map(({ response }) => `${response.status}/${response.status_details.reason}`)

const TURN = [STARTED, ...HEARD, TRANSCRIBED, 'response.created', 'deltas']
const notInterrupting = { ...LEGACY_SESSION.turn_detection, interrupt_response: false }

describe('what a legacy session says, in order', () => {
  test.each<{ name: string; stretchesMs: number[]; session?: WireEvent; expected: string[]; replies: string[] }>([
    { name: 'no speech', stretchesMs: [1200], expected: [], replies: [] },
    { name: 'one turn', stretchesMs: [320, 960, 3200], expected: [...TURN, ...DONE], replies: ['completed/stop'] },
    {
      name: 'a second turn that cuts the first reply',
      stretchesMs: [320, 960, 960, 640, 3200],
      expected: [
        ...[...TURN, STARTED, 'output_audio_buffer.cleared', 'conversation.item.truncated', 'response.done'],
        ...[...HEARD, TRANSCRIBED, 'response.created', 'deltas', ...DONE],
      ],
      replies: ['cancelled/turn_detected', 'completed/stop'],
    },
    {
      name: 'a second turn that comes when the reply has ended',
      stretchesMs: [320, 960, 2400, 640, 3200],
      expected: [...TURN, ...DONE, ...TURN, ...DONE],
      replies: ['completed/stop', 'completed/stop'],
    },
    {
      name: 'a second turn that may not interrupt, and is answered afterwards',
      stretchesMs: [320, 960, 640, 480, 3200],
      session: { ...LEGACY_SESSION, turn_detection: notInterrupting },
      expected: [
        ...[...TURN, STARTED, 'deltas', ...HEARD, TRANSCRIBED, 'deltas', ...DONE],
        ...['response.created', 'deltas', ...DONE],
      ],
      replies: ['completed/stop', 'completed/stop'],
    },
    { name: 'a turn still open at the end of the input', stretchesMs: [320, 905], expected: [STARTED], replies: [] },
    {
      name: 'a reply still open at the end of the session',
      stretchesMs: [320, 960, 400],
      expected: TURN,
      replies: [],
    },
    {
      name: 'an end-of-turn model that waits twice as long',
      stretchesMs: [320, 960, 880, 640, 3200],
      session: { modalities: ['text', 'audio'], turn_detection: { type: 'semantic_vad', eagerness: 'low' } },
      expected: [...TURN, ...DONE],
      replies: ['completed/stop'],
    },
  ])('$name', async ({ stretchesMs, session, expected, replies }) => {
    const world = await makeWorld(PROFILE, SLOW)
    const client = await runLegacy(world, makeInput(world.profile, ...stretchesMs), session)
    expect(shortStory(client)).toEqual(expected)
    expect(endings(client.of('response.done'))).toEqual(replies)
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, queueLength: 0 })
  })
})

describe('a legacy session', () => {
  test('describes itself as the protocol has it, and echoes what was asked for', async () => {
    const world = await makeWorld(PROFILE)
    const client = await openSession(world, LEGACY_SESSION)
    const created = {
      id: 'sess_1',
      object: 'realtime.session',
      model: 'qwen3-omni',
      capabilities: { turn_detection: ['server_vad', 'semantic_vad'] },
      instructions: '',
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      temperature: 0.8,
      max_response_output_tokens: 'inf',
      modalities: ['text'],
    }
    expect(client.of('session.created')[0]?.session).toEqual(created)
    expect(client.of('session.updated')[0]).toEqual({
      type: 'session.updated',
      event_id: 'evt_1',
      session: {
        ...created,
        modalities: ['text', 'audio'],
        turn_detection: { ...LEGACY_SESSION.turn_detection, interrupt_response: true },
      },
    })
  })

  test('interleaves text and audio, each in its part of the item', async () => {
    const world = await makeWorld(PROFILE, { baseMs: 10, perUnitMs: 10, replyChunkMs: 500 })
    const client = await runLegacy(world, makeInput(world.profile, 320, 960, 1600))
    const deltas = client.received.filter(({ type }) => /^response\..*delta$/.test(type))
    expect(deltas.map(({ type, content_index }) => [type, content_index])).toEqual([
      ['response.text.delta', 0],
      ['response.audio.delta', 1],
      ['response.text.delta', 0],
      ['response.audio.delta', 1],
      ['response.text.delta', 0],
      ['response.audio.delta', 1],
    ])
    const audio = client.of('response.audio.delta')
    expect(audio.map((delta) => samplesOf(delta).length)).toEqual([12_000, 12_000, 12_000])
    expect(audio.map((_, index) => receivedAtMs(client, 'response.audio.delta', index))).toEqual(
      [20, 40, 60].map((ms) => receivedAtMs(client, 'response.created') + ms),
    )
    const text = client.of('response.text.delta').map((event) => event.delta)
    expect(text.join('')).toBe('Hello there my friend.')
    expect(client.of('response.done')[0]?.response.output[0].content).toEqual([
      { type: 'text', text: 'Hello there my friend.' },
      { type: 'audio', transcript: 'Hello there my friend.' },
    ])
  })

  test('says how much of a cut reply was played', async () => {
    const world = await makeWorld(PROFILE, SLOW)
    const client = await runLegacy(world, makeInput(world.profile, 320, 960, 960, 640, 1000))
    const playedMs = receivedAtMs(client, STARTED, 1) - receivedAtMs(client, 'response.audio.delta')
    expect(client.of('conversation.item.truncated')).toMatchObject([
      { item_id: 'item_r0', content_index: 1, audio_end_ms: Math.floor(playedMs) },
    ])
    expect(client.of('output_audio_buffer.cleared')).toMatchObject([{ response_id: 'resp_0', item_id: 'item_r0' }])
  })

  test('answers in writing where no audio was asked for', async () => {
    const world = await makeWorld(PROFILE, SLOW)
    const session = { ...LEGACY_SESSION, modalities: ['text'] }
    const client = await runLegacy(world, makeInput(world.profile, 320, 960, 3000), session)
    expect(client.types().filter((type) => type.includes('audio.'))).toEqual([])
    expect(client.of('response.text.done')[0]?.text).toBe('Hello there my friend.')
  })

  test('answers what the client commits, where it ends the turns', async () => {
    const world = await makeWorld(PROFILE, SLOW)
    const client = await openSession(world, { ...LEGACY_SESSION, turn_detection: null })
    sendPackets(world, client, makeInput(world.profile, 320, 640, 400))
    world.clock.at(world.clock.nowUs() + 1_300_000, () => client.send({ type: 'input_audio_buffer.commit' }))
    await world.clock.runUntil(world.clock.nowUs() + 5_000_000)
    expect(client.of('session.updated')[0]?.session.turn_detection).toBeNull()
    expect(shortStory(client)).toEqual([
      ...['input_audio_buffer.committed', TRANSCRIBED, 'response.created', 'deltas', ...DONE],
    ])
    expect(client.of('input_audio_buffer.committed')[0]?.item_id).toBe('item_u0')
  })

  test.each<{ name: string; event: WireEvent; code: string }>([
    { name: 'a command of another protocol', event: { type: 'sglang.input_audio.end' }, code: 'not_supported' },
    { name: 'a gap in the packets', event: append(new Int16Array(1280), 3, 0), code: 'invalid_state' },
    { name: 'an unknown format', event: update({ input_audio_format: 'g711' }), code: 'invalid_request' },
    { name: 'an unknown field', event: update({ turn_detect: null }), code: 'invalid_request' },
    { name: 'an unknown detection', event: update({ turn_detection: { type: 'x' } }), code: 'invalid_request' },
    { name: 'a commit beside the detector', event: { type: 'input_audio_buffer.commit' }, code: 'not_applicable' },
  ])('refuses $name: $code', async ({ event, code }) => {
    const world = await makeWorld(PROFILE)
    const client = await openSession(world, LEGACY_SESSION)
    client.send(event)
    await world.clock.runUntil(world.clock.nowUs() + 10_000)
    expect(client.errorCodes()).toEqual([code])
    expect(client.closed).toBeUndefined()
  })

  test('ends with the code of a failure, in no other words than an error and the close', async () => {
    const world = await makeWorld(PROFILE, { ...SLOW, oomAt: 1 })
    const client = await openSession(world, LEGACY_SESSION)
    sendPackets(world, client, makeInput(world.profile, 320, 640, 800))
    await world.clock.runUntil(world.clock.nowUs() + 5_000_000)
    expect(client.errorCodes()).toEqual(['cuda_out_of_memory'])
    expect(client.closed).toEqual({ code: 1011, reason: 'cuda_out_of_memory' })
    expect(client.types().at(-1)).toBe('response.done')
  })

  test('ends when the client says nothing, and when the server goes down', async () => {
    const world = await makeWorld(PROFILE, { sessionUpdateTimeoutS: 1 })
    const silent = new Client(world)
    await world.clock.runUntil(world.clock.nowUs() + 1_100_000)
    expect(silent.errorCodes()).toEqual(['session_update_timeout'])
    expect(silent.closed).toEqual({ code: 1008, reason: 'session_update_timeout' })
    const open = await openSession(world, LEGACY_SESSION)
    world.core.shutDown()
    await world.clock.runUntil(world.clock.nowUs() + 10_000)
    expect(open.closed).toEqual({ code: 1000, reason: 'disconnect' })
    expect(world.core.stats.sessionsOpen).toBe(0)
  })

  test('hears through a listener that answers later just as well', async () => {
    const world = await makeWorld(PROFILE, SLOW, { isLate: true })
    const client = await runLegacy(world, makeInput(world.profile, 320, 960, 960, 640, 3200))
    expect(endings(client.of('response.done'))).toEqual(['cancelled/turn_detected', 'completed/stop'])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })
})

function update(session: WireEvent): WireEvent {
  return { type: 'session.update', session }
}
