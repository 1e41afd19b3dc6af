import { describe, expect, test } from 'vitest'
import {
  makeInput,
  makeReply,
  makeWorld,
  openSession,
  samplesOf,
  sendPackets,
  streamInput,
  type WireEvent,
} from './native-client.js'
import { receivedAtMs, runTurnBased, sessionWith, story, TURN_BASED_SESSION, verdictOf } from './turn-client.js'

const PROFILE = 'turn-based'
const FAST = { baseMs: 10, perUnitMs: 10 }
const endings = (events: readonly WireEvent[]) =>
  events.map(({ response }) => `${response.status}/${response.status_details.reason}`)

const HEARD = ['input_audio_buffer.speech_started', 'input_audio_buffer.speech_stopped']
const TRANSCRIBED = 'conversation.item.input_audio_transcription.completed'
const BEGUN = ['response.created', 'response.output_text.delta', 'response.output_audio.delta']
const SAID = ['response.output_audio.done', 'response.output_text.done']
const DONE = [...SAID, 'response.done']
const ENDED = 'sglang.input_audio.ended'
const CLOSED = ['sglang.input_audio.drained', 'session.closed']

describe('what a turn-based session says, in order', () => {
  test.each([
    { name: 'no speech', stretchesMs: [1200], expected: [ENDED, ...CLOSED], replies: [] },
    {
      name: 'one turn, and time to answer it',
      stretchesMs: [320, 960, 3200],
      expected: [...HEARD, TRANSCRIBED, ...BEGUN, ...DONE, ENDED, ...CLOSED],
      replies: ['completed/stop'],
    },
    {
      name: 'a second turn that interrupts the first reply',
      stretchesMs: [320, 960, 640, 640, 3200],
      expected: [
        ...[...HEARD, TRANSCRIBED, ...BEGUN, 'input_audio_buffer.speech_started', ...DONE],
        ...['input_audio_buffer.speech_stopped', TRANSCRIBED, ...BEGUN, ...DONE, ENDED, ...CLOSED],
      ],
      replies: ['cancelled/interrupted', 'completed/stop'],
    },
    {
      name: 'a second turn that interrupts a reply of which all has left',
      stretchesMs: [320, 960, 1200, 640, 3200],
      expected: [
        ...[...HEARD, TRANSCRIBED, ...BEGUN, ...SAID, 'input_audio_buffer.speech_started', 'response.done'],
        ...['input_audio_buffer.speech_stopped', TRANSCRIBED, ...BEGUN, ...DONE, ENDED, ...CLOSED],
      ],
      replies: ['cancelled/interrupted', 'completed/stop'],
    },
    {
      name: 'a turn still open at the end of the input',
      stretchesMs: [320, 905],
      expected: [
        ...['input_audio_buffer.speech_started', ENDED, 'input_audio_buffer.speech_stopped'],
        ...[TRANSCRIBED, ...BEGUN, ...DONE, ...CLOSED],
      ],
      replies: ['completed/stop'],
    },
    {
      name: 'a reply in progress at the end of the input',
      stretchesMs: [320, 640, 500],
      expected: [...HEARD, TRANSCRIBED, ...BEGUN, ENDED, 'response.output_audio.delta', ...DONE, ...CLOSED],
      replies: ['completed/stop'],
    },
    {
      name: 'too little speech for words',
      stretchesMs: [320, 128, 800],
      expected: [...HEARD, TRANSCRIBED, 'response.created', 'response.done', ENDED, ...CLOSED],
      replies: ['completed/empty_turn'],
    },
  ])('$name', async ({ stretchesMs, expected, replies }) => {
    const world = await makeWorld(PROFILE, FAST)
    const client = await runTurnBased(world, makeInput(world.profile, ...stretchesMs))
    expect(story(client)).toEqual(expected)
    expect(endings(client.of('response.done'))).toEqual(replies)
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
    expect(client.closed).toEqual({ code: 1000, reason: 'client_closed' })
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, queueLength: 0 })
  })
})

describe('a turn-based session', () => {
  test('marks the turn where the speech was, and names its item', async () => {
    const world = await makeWorld(PROFILE, FAST)
    const client = await runTurnBased(world, makeInput(world.profile, 320, 960, 1600), {
      ...sessionWith({ type: 'server_vad', prefix_padding_ms: 100, silence_duration_ms: 320 }),
    })
    expect(client.of('input_audio_buffer.speech_started')).toMatchObject([{ audio_start_ms: 220, item_id: 'item_u0' }])
    expect(client.of('input_audio_buffer.speech_stopped')).toMatchObject([{ audio_end_ms: 1280, item_id: 'item_u0' }])
    expect(client.of(TRANSCRIBED)).toMatchObject([
      { item_id: 'item_u0', content_index: 0, transcript: '(1.0 s of speech)' },
    ])
    // The windows up to 1600 ms are complete with the packet that is sent at 1520.
    expect(receivedAtMs(client, 'input_audio_buffer.speech_stopped')).toBeCloseTo(1522, 6)
  })

  test('has a receipt for every 200 ms, and one for what is left, without padding', async () => {
    const world = await makeWorld(PROFILE, FAST)
    const client = await runTurnBased(world, makeInput(world.profile, 505))
    const times = client.of('sglang.unit.done').map((unit) => unit.sglang.media_time)
    expect(times.map((time) => [time.t_start_ms, time.duration_ms])).toEqual([
      [0, 200],
      [200, 200],
      [400, 105],
    ])
    expect(client.of('sglang.input_audio.drained')[0]).toMatchObject({ consumed_ms: 505, padding_ms: 0 })
    expect(world.core.stats.units).toBe(0)
  })

  test('speaks its whole reply in chunks, never more than a second ahead, and is done when it has been played', async () => {
    const world = await makeWorld(PROFILE, { ...FAST, replyChunkMs: 200, maxOutputLeadMs: 600 })
    const client = await runTurnBased(world, makeInput(world.profile, 320, 960, 4000))
    const deltas = client.of('response.output_audio.delta')
    expect(deltas.map((delta) => samplesOf(delta).length)).toEqual([...Array.from({ length: 7 }, () => 4800), 2400])
    const created = receivedAtMs(client, 'response.created')
    const at = (type: string, index = 0) => receivedAtMs(client, type, index) - created
    const times = deltas.map((_, index) => at('response.output_audio.delta', index))
    // Three chunks as they are done; then each when its end is 600 ms ahead of what has been played since 20 ms.
    const expected = [20, 40, 60, 220, 420, 620, 820, 920]
    for (const [index, time] of times.entries()) expect(time).toBeCloseTo(expected[index] ?? Number.NaN, 6)
    expect(at('response.output_text.done')).toBeCloseTo(920, 6)
    expect(at('response.done')).toBeCloseTo(1520, 6)
  })

  test('lets go of what it holds when the input ends, a second at a time', async () => {
    const world = await makeWorld(PROFILE, { ...FAST, maxOutputLeadMs: 200 })
    const client = await runTurnBased(world, makeInput(world.profile, 320, 640, 500))
    const lengths = client.of('response.output_audio.delta').map((delta) => samplesOf(delta).length / 24)
    expect(lengths.reduce((sum, ms) => sum + ms, 0)).toBe(1500)
    expect(Math.max(...lengths)).toBeGreaterThan(200)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1000)
    expect(receivedAtMs(client, 'response.done')).toBeLessThan(1480)
  })

  test('grants no turns that it cannot detect, and tells a default where the client says nothing', async () => {
    const world = await makeWorld(PROFILE)
    const client = await openSession(world, sessionWith({ type: 'semantic_vad' }))
    expect(client.errorCodes()).toEqual(['invalid_request'])
    client.send({ type: 'session.update', session: {} })
    await world.clock.runUntil(world.clock.nowUs() + 10_000)
    expect(client.of('session.updated')[0]?.session.audio.input.turn_detection).toEqual({
      type: 'server_vad',
      threshold: 0.5,
      prefix_padding_ms: 300,
      silence_duration_ms: 500,
    })
  })

  test('takes a new prompt, sampling and detection later, but no prompt while the user speaks', async () => {
    const world = await makeWorld(PROFILE)
    const client = await openSession(world, TURN_BASED_SESSION)
    const sampling = { temperature: 0.2 }
    client.send({ type: 'session.update', session: { instructions: 'Be brief.', sglang: { sampling } } })
    client.send({ type: 'session.update', session: { sglang: { voice: 'x' } } })
    await world.clock.runUntil(world.clock.nowUs() + 10_000)
    expect(client.of('session.updated')[1]?.session.sglang.sampling).toEqual(sampling)
    expect(client.errorCodes()).toEqual(['invalid_state'])
    sendPackets(world, client, makeInput(world.profile, 80, 800))
    await world.clock.runUntil(world.clock.nowUs() + 500_000)
    client.send({ type: 'session.update', session: { instructions: 'Be long.' } })
    await world.clock.runUntil(world.clock.nowUs() + 500_000)
    expect(client.errorCodes()).toEqual(['invalid_state', 'internal'])
    expect(client.closed).toEqual({ code: 1011, reason: 'internal' })
  })

  test('refuses the session that the model has no memory for: the seventeenth, unless told otherwise', async () => {
    const world = await makeWorld(PROFILE)
    const clients = []
    for (let index = 0; index < 17; index += 1) clients.push(await openSession(world, TURN_BASED_SESSION))
    expect(clients.map((client) => client.errorCodes())).toEqual([
      ...Array.from({ length: 16 }, () => []),
      ['admission_rejected'],
    ])
    const roomy = await makeWorld(PROFILE, { modelSlots: 1 })
    await openSession(roomy, TURN_BASED_SESSION)
    expect((await openSession(roomy, TURN_BASED_SESSION)).errorCodes()).toEqual(['admission_rejected'])
  })

  test('stops a reply at response.cancel, and tells after a truncate what was heard', async () => {
    const world = await makeWorld(PROFILE, FAST)
    const client = await openSession(world, TURN_BASED_SESSION)
    client.send({ type: 'response.cancel' })
    sendPackets(world, client, makeInput(world.profile, 320, 640, 2000))
    await world.clock.runUntil(world.clock.nowUs() + 1_600_000)
    client.send({ type: 'response.cancel' })
    client.send({ type: 'response.cancel' })
    client.send({ type: 'conversation.item.truncate', item_id: 'item_0', content_index: 0, audio_end_ms: 750 })
    client.send({ type: 'conversation.item.truncate', item_id: 'item_9', content_index: 0, audio_end_ms: 0 })
    await world.clock.runUntil(world.clock.nowUs() + 2_000_000)
    expect(endings(client.of('response.done'))).toEqual(['cancelled/interrupted'])
    expect(client.of('sglang.response.heard')).toMatchObject([{ item_id: 'item_0', text_end: 'Hello there'.length }])
    expect(client.errorCodes()).toEqual(['item_not_found'])
  })

  test('ends with the code of the accelerator when that is out of memory', async () => {
    const world = await makeWorld(PROFILE, { ...FAST, oomAt: 1 })
    const client = await runTurnBased(world, makeInput(world.profile, 320, 640, 1000))
    expect(client.errorCodes()).toEqual(['cuda_out_of_memory'])
    expect(endings(client.of('response.done'))).toEqual(['failed/cuda_out_of_memory'])
    expect(client.of('session.closed')[0]).toMatchObject({ reason: 'cuda_out_of_memory', client_event_id: null })
    expect(client.closed?.code).toBe(1011)
  })

  test('hears through a listener that answers later just as well', async () => {
    const world = await makeWorld(PROFILE, FAST, { isLate: true })
    const client = await runTurnBased(world, makeInput(world.profile, 320, 960, 1200, 640, 3200))
    expect(endings(client.of('response.done'))).toEqual(['cancelled/interrupted', 'completed/stop'])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })
})

describe('turns that the client ends', () => {
  test('are answered one after the other, each to its end', async () => {
    const world = await makeWorld(PROFILE, FAST)
    const client = await openSession(world, sessionWith(null))
    client.onEvent = (event) => {
      if (event.type === 'sglang.input_audio.drained') client.send({ type: 'session.close' })
    }
    const startUs = streamInput(world, client, makeInput(world.profile, 320, 640, 400, 640, 2800))
    for (const atMs of [1100, 2100, 2300]) {
      world.clock.at(startUs + atMs * 1000, () => client.send({ type: 'input_audio_buffer.commit' }))
    }
    await world.clock.runUntil(startUs + 10_000_000)
    expect(story(client)).toEqual([
      ...[TRANSCRIBED, ...BEGUN, ...SAID, TRANSCRIBED, 'response.done'],
      ...[...BEGUN, ...DONE, 'response.created', 'response.done', ENDED, ...CLOSED],
    ])
    expect(endings(client.of('response.done'))).toEqual(['completed/stop', 'completed/stop', 'completed/empty_turn'])
    // A load test neither commits nor does without detection, so its rules name just that.
    expect(new Set(verdictOf(world, client).violations.map(({ check }) => check))).toEqual(new Set(['N7', 'T2']))
  })

  test('are not for the client to end where the server does, nor before the session is open', async () => {
    const world = await makeWorld(PROFILE)
    const client = await openSession(world, TURN_BASED_SESSION)
    client.send({ type: 'input_audio_buffer.commit' })
    await world.clock.runUntil(world.clock.nowUs() + 10_000)
    expect(client.errorCodes()).toEqual(['not_applicable'])
  })
})

test('a reply of several goes in the order of the seed', async () => {
  const world = await makeWorld(
    PROFILE,
    { ...FAST, seed: 5 },
    {
      replies: (profile) => [makeReply('One.', 300, profile), makeReply('Two.', 300, profile)],
    },
  )
  const client = await runTurnBased(world, makeInput(world.profile, 320, 640, 1200, 640, 1200, 640, 1200))
  const texts = client.of('response.output_text.done').map((event) => event.text)
  expect(texts).toHaveLength(3)
  expect(texts[2]).toBe(texts[0])
  expect(new Set(texts)).toEqual(new Set(['One.', 'Two.']))
})
