import { describe, expect, test } from 'vitest'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import {
  append,
  Client,
  makeInput,
  makeWorld,
  openSession,
  runSession,
  streamInput,
  type WireEvent,
  type World,
} from './native-client.js'

const PACKET = new Int16Array(1280)
const wait = (world: World, ms: number) => world.clock.runUntil(world.clock.nowUs() + ms * 1000)

async function connect(world: World, query = ''): Promise<Client> {
  const client = new Client(world, query)
  await wait(world, 10)
  return client
}

describe('an event that is refused', () => {
  const afterUpdate: { name: string; profile?: string; send: WireEvent; code: string; param?: string }[] = [
    { name: 'unknown type', send: { type: 'session.rename' }, code: 'not_supported', param: 'type' },
    { name: 'a type that objects have by nature', send: { type: 'toString' }, code: 'not_supported' },
    { name: 'no event id', send: { type: 'session.close', event_id: '' }, code: 'invalid_request', param: 'event_id' },
    { name: 'event id too long', send: { type: 'session.close', event_id: 'x'.repeat(257) }, code: 'invalid_request' },
    { name: 'unknown field', send: { type: 'session.close', why: 1 }, code: 'invalid_request' },
    {
      name: 'unknown field in an append',
      send: { ...append(PACKET, 0, 0), rate: 1 },
      code: 'invalid_request',
      param: 'rate',
    },
    { name: 'seq that is no number', send: { ...append(PACKET, 0, 0), sglang: { seq: '0' } }, code: 'invalid_request' },
    {
      name: 'base64 with a line break',
      send: { ...append(PACKET, 0, 0), audio: 'AAAA\nAAA' },
      code: 'invalid_request',
    },
    { name: 'base64 of the URL kind', send: { ...append(PACKET, 0, 0), audio: 'AA-_' }, code: 'invalid_request' },
    { name: 'base64 without padding', send: { ...append(PACKET, 0, 0), audio: 'AAA' }, code: 'invalid_request' },
    {
      name: 'half a sample',
      send: { ...append(PACKET, 0, 0), audio: 'AAAA' },
      code: 'invalid_request',
      param: 'audio',
    },
    { name: 'no audio', send: { ...append(PACKET, 0, 0), audio: '' }, code: 'invalid_request', param: 'audio' },
    { name: 'seq gap', send: append(PACKET, 1, 0), code: 'invalid_state', param: 'sglang.seq' },
    {
      name: 't_start_ms off by a little',
      send: append(PACKET, 0, 0.001),
      code: 'invalid_state',
      param: 'sglang.t_start_ms',
    },
    { name: 'commit', send: { type: 'input_audio_buffer.commit' }, code: 'not_applicable' },
    { name: 'response.create', send: { type: 'response.create', response: {} }, code: 'not_applicable' },
    {
      name: 'truncate of an unknown item',
      send: { type: 'conversation.item.truncate', item_id: 'item_0', content_index: 0, audio_end_ms: 0 },
      code: 'item_not_found',
    },
    {
      name: 'cancel, not granted',
      profile: 'personaplex-native',
      send: { type: 'response.cancel' },
      code: 'not_supported',
    },
    {
      name: 'truncate, not granted',
      profile: 'nemotron-voicechat',
      send: { type: 'conversation.item.truncate', item_id: 'item_0', content_index: 0, audio_end_ms: 0 },
      code: 'not_supported',
    },
    {
      name: 'image for a model that takes none',
      profile: 'nemotron-voicechat',
      send: { type: 'sglang.input_image.append', image: 'AAAA', sglang: { t_ms: 0 } },
      code: 'not_supported',
    },
    {
      name: 'frozen field',
      send: { type: 'session.update', session: { instructions: 'x' } },
      code: 'invalid_state',
      param: 'session.instructions',
    },
    {
      name: 'turn detection later on',
      send: { type: 'session.update', session: { audio: { input: { turn_detection: { type: 'server_vad' } } } } },
      code: 'not_applicable',
    },
  ]
  test.each(afterUpdate)('$name: $code', async ({ profile, send, code, param }) => {
    const world = await makeWorld(profile ?? 'minicpmo-native')
    const client = await openSession(world)
    const id = client.send(send)
    await wait(world, 10)
    const [error] = client.of('error')
    expect(error).toMatchObject({ sglang: { fatal: false }, error: { type: 'invalid_request_error', code } })
    expect(error?.error.event_id).toBe(id.length >= 1 && id.length <= 256 ? id : null)
    if (param !== undefined) expect(error?.error.param).toBe(param)
    // The session goes on as if nothing had been sent.
    client.send(append(PACKET, 0, 0))
    await wait(world, 10)
    expect(client.of('sglang.input_audio.accepted')).toHaveLength(1)
  })

  const firstUpdates: { name: string; profile?: string; session: WireEvent; code: string }[] = [
    { name: 'unknown field', session: { speed: 2 }, code: 'invalid_request' },
    { name: 'unknown field further down', session: { sglang: { tail: 'pad' } }, code: 'invalid_request' },
    { name: 'wrong type', session: { type: 'transcription' }, code: 'invalid_request' },
    { name: 'wrong model', session: { model: 'other' }, code: 'invalid_request' },
    {
      name: 'input rate',
      session: { audio: { input: { format: { type: 'audio/pcm', rate: 24000 } } } },
      code: 'invalid_request',
    },
    {
      name: 'output coding',
      session: { audio: { output: { format: { type: 'audio/pcmu', rate: 24000 } } } },
      code: 'invalid_request',
    },
    {
      name: 'turn detection',
      session: { audio: { input: { turn_detection: { type: 'server_vad' } } } },
      code: 'not_applicable',
    },
    { name: 'other interaction', session: { sglang: { interaction: 'turn_based' } }, code: 'not_applicable' },
    { name: 'sampling of another model', session: { sglang: { sampling: { seed: 1 } } }, code: 'not_applicable' },
    {
      name: 'half a unit of listening',
      session: { sglang: { sampling: { force_listen_count: 0.5 } } },
      code: 'invalid_request',
    },
    { name: 'voice where there is none', session: { sglang: { voice: 'NATF2' } }, code: 'not_applicable' },
    {
      name: 'unknown voice',
      profile: 'personaplex-native',
      session: { sglang: { voice: 'NATF4' } },
      code: 'invalid_request',
    },
    {
      name: 'prompt where there is none',
      profile: 'nemotron-voicechat',
      session: { instructions: 'x' },
      code: 'not_applicable',
    },
    {
      name: 'any sampling where there is none',
      profile: 'nemotron-voicechat',
      session: { sglang: { sampling: { seed: 1 } } },
      code: 'not_applicable',
    },
    { name: 'instructions too long', session: { instructions: 'x'.repeat(65_537) }, code: 'invalid_request' },
    {
      name: 'reference audio that is no WAV',
      session: { sglang: { reference_audio: { media_type: 'audio/wav', data: 'AAAA' } } },
      code: 'invalid_request',
    },
  ]
  test.each(firstUpdates)('first update, $name: $code', async ({ profile, session, code }) => {
    const world = await makeWorld(profile ?? 'minicpmo-native')
    const client = await openSession(world, session)
    expect(client.errorCodes()).toEqual([code])
    client.send({ type: 'session.update', session: {} })
    await wait(world, 10)
    expect(client.types().at(-1)).toBe('session.updated')
  })

  test('audio before the session is open, and input after its end, are out of order', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await connect(world)
    for (const event of [
      append(PACKET, 0, 0),
      { type: 'sglang.input_audio.end' },
      { type: 'input_audio_buffer.clear' },
    ]) {
      client.send(event)
    }
    client.send({ type: 'session.update', session: {} })
    client.send({ type: 'sglang.input_audio.end' })
    client.send(append(PACKET, 0, 0))
    client.send({ type: 'sglang.input_audio.end' })
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(Array.from({ length: 5 }, () => 'invalid_state'))
    expect(client.of('sglang.input_audio.drained')[0]).toMatchObject({ consumed_ms: 0, padding_ms: 0 })
  })

  test('frames that are no JSON object, and binary ones, blame no event', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await openSession(world)
    for (const text of ['{', 'NaN', '{"a":NaN}', '[]', 'null', '{"event_id":"c","type":5}']) client.sendText(text)
    client.sendBinary()
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(Array.from({ length: 7 }, () => 'invalid_request'))
    expect(client.of('error').map((event) => event.error.event_id)).toEqual([null, null, null, null, null, 'c', null])
  })
})

test('after a buffer overflow the same seq is accepted once there is room', async () => {
  const world = await makeWorld('minicpmo-native', { maxInputBytes: 32_000 + 2_560, baseMs: 500, perUnitMs: 0 })
  const client = await openSession(world)
  for (let seq = 0; seq < 14; seq += 1) client.send(append(PACKET, seq, seq * 80))
  await wait(world, 10)
  expect(client.errorCodes()).toEqual(['buffer_overflow'])
  await wait(world, 600)
  client.send(append(PACKET, 13, 13 * 80))
  await wait(world, 10)
  expect(client.of('sglang.input_audio.accepted').at(-1)).toMatchObject({ seq: 13, accepted_end_ms: 1120 })
})

test('cleared audio is discarded: it is in no unit, and the packets go on counting it', async () => {
  const world = await makeWorld('minicpmo-native')
  const client = await openSession(world)
  client.send(append(PACKET, 0, 0))
  client.send({ type: 'input_audio_buffer.clear' })
  client.send(append(PACKET, 1, 80))
  client.send({ type: 'sglang.input_audio.end' })
  await wait(world, 2000)
  expect(client.of('input_audio_buffer.cleared')[0]?.sglang).toEqual({ discarded_ms: 80 })
  expect(client.of('sglang.input_audio.drained')[0]).toMatchObject({
    accepted_end_ms: 160,
    consumed_ms: 80,
    discarded_ms: 80,
    padding_ms: 920,
  })
})

test('images are acknowledged with their unit, and refused for one that has been cut', async () => {
  const world = await makeWorld('minicpmo-native')
  const client = await openSession(world)
  const image = (tMs: number) =>
    client.send({ type: 'sglang.input_image.append', image: '/9j/', sglang: { t_ms: tMs } })
  image(1999)
  for (let seq = 0; seq < 13; seq += 1) client.send(append(PACKET, seq, seq * 80))
  image(999)
  image(4000)
  await wait(world, 10)
  expect(client.of('sglang.input_image.accepted').map((event) => event.unit_id)).toEqual(['unit_1'])
  expect(client.errorCodes()).toEqual(['invalid_state', 'invalid_state'])
})

describe('the grant', () => {
  test('declines wishes that a deployment has fixed, and says so', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await openSession(world, {
      output_modalities: ['audio', 'video'],
      sglang: { tail_policy: 'drop', timebase: { native_unit_ms: 500, microturn_ms: null } },
    })
    const { granted } = client.of('session.updated')[0]?.session.sglang ?? {}
    expect(granted.output_modalities).toEqual(['audio'])
    expect(granted.rejections.map((rejection: WireEvent) => [rejection.field, rejection.granted])).toEqual([
      ['output_modalities', ['audio']],
      ['tail_policy', 'pad'],
      ['timebase.native_unit_ms', 1000],
    ])
  })

  test('names the default voice, and changes modalities later', async () => {
    const world = await makeWorld('personaplex-native')
    const client = await openSession(world)
    client.send({ type: 'session.update', session: { output_modalities: ['audio', 'text'] } })
    await wait(world, 10)
    const [first, second] = client.of('session.updated')
    expect(first?.session.sglang.voice).toBe('NATF2')
    expect(second?.session.sglang.granted.output_modalities).toEqual(['audio', 'text'])
    expect(second?.session.id).toBe(first?.session.id)
  })
})

describe('admission', () => {
  test('a session without a model slot is rejected, and admitted when it asks again after another has ended', async () => {
    const world = await makeWorld('minicpmo-native', { modelSlots: 1 })
    const first = await openSession(world)
    const second = await openSession(world)
    expect(second.of('error')[0]).toMatchObject({ sglang: { fatal: false }, error: { code: 'admission_rejected' } })
    first.send({ type: 'session.close' })
    await wait(world, 10)
    second.send({ type: 'session.update', session: {} })
    await wait(world, 10)
    expect(second.types().at(-1)).toBe('session.updated')
    expect(world.core.stats.admissionsRejected).toBe(1)
  })

  test('an upgrade without a free slot gets 503, until a closed session has been torn down', async () => {
    const world = await makeWorld('minicpmo-native', { maxSessions: 1, teardownMs: 500 })
    const first = await openSession(world)
    expect((await connect(world)).refused).toBe(503)
    first.send({ type: 'session.close' })
    await wait(world, 400)
    expect(first.closed).toEqual({ code: 1000, reason: 'client_closed' })
    expect((await connect(world)).refused).toBe(503)
    await wait(world, 200)
    expect((await connect(world)).isOpen).toBe(true)
    expect(world.core.stats).toMatchObject({ sessionsTotal: 2, sessionsDenied: 2 })
  })

  test('a client that hangs up gives its slot back', async () => {
    const world = await makeWorld('minicpmo-native', { maxSessions: 1, modelSlots: 1 })
    const first = await openSession(world)
    streamInput(world, first, makeInput(world.profile, 3000))
    await wait(world, 1100)
    first.hangUp()
    await wait(world, 10)
    expect((await openSession(world)).types()).toEqual(['session.created', 'session.updated'])
    expect(world.core.accelerator.openSessions).toBe(1)
  })

  test.each(['model=other', 'session_id=sess_1'])('?%s is closed with 1008', async (query) => {
    const world = await makeWorld('minicpmo-native')
    const client = await connect(world, query)
    expect(client.closed?.code).toBe(1008)
    expect(client.received).toEqual([])
    expect((await connect(world, 'model=openbmb%2FMiniCPM-o-4_5')).types()).toEqual(['session.created'])
  })
})

describe('a fatal error', () => {
  async function fatal(options: LoopbackOptionsInput, act: (world: World) => Promise<Client>) {
    const world = await makeWorld('minicpmo-native', options)
    const client = await act(world)
    expect(world.core.stats.sessionsOpen).toBe(0)
    return client
  }

  const cases: {
    code: string
    closeCode: number
    options: LoopbackOptionsInput
    act: (world: World) => Promise<Client>
  }[] = [
    {
      code: 'session_update_timeout',
      closeCode: 1008,
      options: {},
      act: async (world) => {
        const client = await connect(world)
        await wait(world, 59_985)
        expect(client.closed).toBeUndefined()
        await wait(world, 20)
        return client
      },
    },
    {
      code: 'idle_timeout',
      closeCode: 1008,
      options: { idleTimeoutS: 5 },
      act: async (world) => {
        const client = await openSession(world)
        await wait(world, 4000)
        client.send(append(PACKET, 0, 0))
        await wait(world, 4990)
        expect(client.closed).toBeUndefined()
        await wait(world, 20)
        return client
      },
    },
    {
      code: 'context_exhausted',
      closeCode: 1008,
      options: { contextUnits: 2 },
      act: (world) => runSession(world, makeInput(world.profile, 5000)),
    },
    {
      code: 'cuda_out_of_memory',
      closeCode: 1011,
      options: { oomAt: 1 },
      act: (world) => runSession(world, makeInput(world.profile, 5000)),
    },
  ]
  test.each(cases)('$code ends the session and closes with $closeCode', async ({ code, closeCode, options, act }) => {
    const client = await fatal(options, act)
    expect(client.of('error')[0]).toMatchObject({
      sglang: { fatal: true },
      error: { type: 'server_error', code, event_id: null },
    })
    expect(client.types().slice(-2)).toEqual(['error', 'session.closed'])
    expect(client.received.at(-1)).toMatchObject({ reason: code, client_event_id: null })
    expect(client.closed).toEqual({ code: closeCode, reason: code })
  })

  test('fails the response that is open, between the error and the end', async () => {
    const client = await fatal({ contextUnits: 2 }, (world) =>
      runSession(world, makeInput(world.profile, 300, 1200, 3500)),
    )
    expect(client.types().slice(-5)).toEqual([
      'error',
      'response.output_audio.done',
      'response.output_audio_transcript.done',
      'response.done',
      'session.closed',
    ])
    expect(client.of('response.done')[0]?.response).toMatchObject({
      status: 'failed',
      status_details: { reason: 'context_exhausted' },
    })
  })

  test('an out-of-memory cliff fails the sessions of the batch, and one that comes after them is served', async () => {
    const world = await makeWorld('minicpmo-native', { oomAt: 3 })
    const early = runSession(world, makeInput(world.profile, 2000))
    const late = [runSession(world, makeInput(world.profile, 2000)), runSession(world, makeInput(world.profile, 2000))]
    const clients = await Promise.all([early, ...late])
    expect(clients.map((client) => client.closed?.code)).toEqual([1011, 1011, 1011])
    const alone = await runSession(world, makeInput(world.profile, 2000))
    expect(alone.closed?.code).toBe(1000)
  })

  test('cleanup_timeout takes the place of session.closed', async () => {
    const world = await makeWorld('minicpmo-native', { closeMs: 31_000 })
    const client = await openSession(world)
    client.send({ type: 'session.close' })
    await wait(world, 29_990)
    expect(client.closed).toBeUndefined()
    await wait(world, 20)
    expect(client.received.at(-1)).toMatchObject({ type: 'error', error: { code: 'cleanup_timeout' } })
    expect(client.closed).toEqual({ code: 1011, reason: 'cleanup_timeout' })
  })
})

describe('the end of a reply from outside', () => {
  test('a close during a reply cancels it, and its events come before the end', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await openSession(world)
    streamInput(world, client, makeInput(world.profile, 300, 1200, 3500))
    await wait(world, 2300)
    client.send({ type: 'session.close' })
    await wait(world, 100)
    expect(client.of('response.done')[0]?.response).toMatchObject({
      status: 'cancelled',
      status_details: { reason: 'client_closed' },
    })
    expect(client.types().at(-1)).toBe('session.closed')
  })

  test('response.cancel interrupts it with the running unit, and the model listens until the user speaks', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await openSession(world)
    streamInput(world, client, makeInput(world.profile, 300, 1200, 4500))
    await wait(world, 2300)
    client.send({ type: 'response.cancel' })
    client.send({ type: 'response.cancel' })
    await wait(world, 10_000)
    expect(client.of('response.done').map((event) => event.response.status_details.reason)).toEqual(['interrupted'])
    expect(client.of('response.output_audio.delta')).toHaveLength(1)
    expect(client.errorCodes()).toEqual([])
  })

  test('a server that goes down closes its sessions', async () => {
    const world = await makeWorld('minicpmo-native')
    const client = await openSession(world)
    world.core.shutDown()
    await wait(world, 10)
    expect(client.received.at(-1)).toMatchObject({
      type: 'session.closed',
      reason: 'disconnect',
      client_event_id: null,
    })
    expect(client.closed?.code).toBe(1000)
  })
})
