import { describe, expect, test } from 'vitest'
import { parseTraceLine } from '../../src/capture/trace-record.js'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { Client, makeInput, makeWorld, samplesOf, type WireEvent, type World } from './native-client.js'

// One job takes 300 ms, whatever the defaults are.
const makeVllmWorld = (options: LoopbackOptionsInput = {}) =>
  makeWorld('vllm-duplex', { baseMs: 200, perUnitMs: 100, ...options })

/** Lets the given time pass. */
const wait = ({ clock }: World, ms: number) => clock.runUntil(clock.nowUs() + ms * 1000)

/** Connects, and lets the client speak first. */
async function open(world: World, session: WireEvent = {}, query = 'duplex=1'): Promise<Client> {
  const client = new Client(world, query)
  await wait(world, 10)
  client.send({ type: 'session.update', session })
  await wait(world, 10)
  return client
}

function append(client: Client, pcm: Int16Array, claims: WireEvent = {}): void {
  const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64')
  client.send({ type: 'input_audio_buffer.append', audio, ...claims })
}

const CHUNK_SAMPLES = 3200
/** What each client has sent so far. */
const sentSamples = new WeakMap<Client, number>()

/** Sends input in chunks of 200 ms on their schedule, each with its claims, and waits for as long as the input lasts. */
async function stream(world: World, client: Client, input: Int16Array): Promise<void> {
  const startUs = world.clock.nowUs()
  const before = sentSamples.get(client) ?? 0
  sentSamples.set(client, before + input.length)
  for (let from = 0; from < input.length; from += CHUNK_SAMPLES) {
    const pcm = input.slice(from, from + CHUNK_SAMPLES)
    const claims = {
      ...{ format: 'pcm16', sample_rate_hz: 16_000, duration_ms: pcm.length / 16 },
      audio_end_ms: (before + from + pcm.length) / 16,
    }
    world.clock.at(startUs + from * 62.5, () => append(client, pcm, claims))
  }
  await world.clock.runUntil(startUs + input.length * 62.5)
}

async function close(world: World, client: Client): Promise<void> {
  client.send({ type: 'session.close' })
  await wait(world, 10)
}

function verdictOf(world: World, client: Client) {
  const lines = client.trace.map((line, index) => parseTraceLine(JSON.stringify(line), index + 1))
  return judgeSession({ profile: world.profile, lines, admissionRetryLimit: 3 })
}

const endings = (client: Client) =>
  client.of('response.done').map(({ response }) => `${response.status}/${response.status_details.reason}`)
const audioOf = (client: Client) => client.of('response.output_audio.delta').map((delta) => samplesOf(delta).length)
const afterHandshake = (client: Client) => client.received.slice(2)

const REPLY_BEGINS = [
  'response.created',
  'conversation.item.added',
  'conversation.item.created',
  'response.output_item.added',
  'response.content_part.added',
  'response.speak',
]
const PAIR = ['response.output_audio.delta', 'response.output_audio_transcript.delta']
const REPLY_ENDS = [
  'response.output_audio.done',
  'response.output_audio_transcript.done',
  'response.content_part.done',
  'response.output_item.done',
  'conversation.item.done',
  'response.done',
  'rate_limits.updated',
]
/** In unit 1 the user falls silent: the reply of 1.5 s takes that unit and the next. */
const SPEECH_MS = [300, 1200, 3500] as const

describe('the handshake', () => {
  test('is begun by the client: created, then updated, both outside the journal', async () => {
    const world = await makeVllmWorld()
    const client = new Client(world)
    await wait(world, 5000)
    expect(client.received).toEqual([])
    client.send({ type: 'session.update', session: world.profile.session })
    await wait(world, 10)
    expect(client.types()).toEqual(['session.created', 'session.updated'])
    const [created, updated] = client.received
    expect(created?.session).toMatchObject({
      ...{ object: 'realtime.session', type: 'realtime', state: 'open', turn_state: 'idle', epoch: 0 },
      ...{ model: 'openbmb/MiniCPM-o-4_5', modalities: ['audio', 'text'], turn_detection: null },
      ...{ input_audio_format: 'pcm16', output_audio_format: 'pcm16' },
      playback: { generated_ms: 0, sent_ms: 0, played_ms: 0, committed_ms: 0 },
      capabilities: { chunk_period_ms: 1000, supports_barge_in: true, supports_session_resume: false },
    })
    expect(created?.session.id).toMatch(/^duplex-[0-9a-f]{32}$/)
    expect(updated?.session).toEqual(created?.session)
    expect(client.received.map(({ server_event_seq }) => server_event_seq)).toEqual([undefined, undefined])
  })

  test('a session that is not configured within 10 s is let go', async () => {
    const world = await makeVllmWorld()
    const client = new Client(world)
    await wait(world, 5)
    client.send({ type: 'session.heartbeat' })
    await wait(world, 9900)
    expect(client.closed).toBeUndefined()
    await wait(world, 200)
    expect(client.errorCodes()).toEqual(['config_timeout'])
    expect(client.closed).toEqual({ code: 1000, reason: 'config_timeout' })
    expect(world.core.stats.sessionsOpen).toBe(0)
  })

  test.each([
    { name: 'all sessions taken', options: { maxSessions: 1 } },
    { name: 'no memory left', options: { modelSlots: 1 } },
  ])('over capacity ($name) the first event is the refusal, and the socket ends', async ({ options }) => {
    const world = await makeVllmWorld(options)
    const first = await open(world)
    const second = await open(world)
    expect(second.isOpen).toBe(true)
    expect(second.refused).toBeUndefined()
    expect(second.types()).toEqual(['error'])
    expect(second.of('error')[0]?.error).toMatchObject({
      ...{ type: 'rate_limit_error', code: 'resource_exhausted', retryable: true },
    })
    expect(second.closed).toEqual({ code: 1000, reason: 'resource_exhausted' })
    await close(world, first)
    expect((await open(world)).types()).toEqual(['session.created', 'session.updated'])
  })

  test.each([
    { name: 'another rate', session: { sample_rate_hz: 24_000 }, param: 'session.sample_rate_hz' },
    {
      name: 'another rate out',
      session: { audio: { output: { sample_rate_hz: 16_000 } } },
      param: 'session.audio.output.sample_rate_hz',
    },
    { name: 'float input', session: { input_audio_format: 'pcm_f32le' }, param: 'session.input_audio_format' },
    { name: 'text alone', session: { modalities: ['text'] }, param: 'session.modalities' },
    {
      name: 'a server that interrupts',
      session: { turn_detection: { type: 'server_vad', interrupt_response: true } },
      param: 'session.turn_detection.interrupt_response',
    },
    { name: 'an unknown policy', session: { overlap_policy: 'shout' }, param: 'session.overlap_policy' },
  ])('an update with $name is refused, and may be sent again', async ({ session, param }) => {
    const world = await makeVllmWorld()
    const client = await open(world, session)
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'invalid_request_error', param, event_id: 'c0' })
    client.send({ type: 'session.update', session: {} })
    await wait(world, 10)
    expect(client.types()).toEqual(['error', 'session.created', 'session.updated'])
  })

  test('a later update changes what it names, without a second session.created', async () => {
    const world = await makeVllmWorld()
    const client = await open(world, { instructions: 'Be brief.' })
    client.send({ type: 'session.update', session: { overlap_policy: 'listen_only' } })
    await wait(world, 10)
    expect(client.types()).toEqual(['session.created', 'session.updated', 'session.updated'])
    expect(client.received[2]?.session).toMatchObject({ instructions: 'Be brief.', overlap_policy: 'listen_only' })
  })

  test('a client that opts out of duplex is told so, and let go', async () => {
    const world = await makeVllmWorld()
    const client = new Client(world, 'duplex=0')
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(['duplex_required'])
    expect(client.closed?.code).toBe(1000)
  })
})

describe('a session', () => {
  test('listens, answers when the user falls silent, and is valid', async () => {
    const world = await makeVllmWorld()
    const client = await open(world, world.profile.session)
    await stream(world, client, makeInput(world.profile, ...SPEECH_MS))
    await wait(world, 2000)
    await close(world, client)
    expect(afterHandshake(client).map(({ type }) => type)).toEqual([
      ...['response.listen', ...REPLY_BEGINS, ...PAIR, ...PAIR, ...REPLY_ENDS],
      ...['response.listen', 'session.closed'],
    ])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })

  test('numbers the events of its journal from 1', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, ...SPEECH_MS))
    client.sendText('{')
    await close(world, client)
    const numbered = afterHandshake(client).filter(({ type }) => type !== 'error')
    expect(numbered.map((event) => event.server_event_seq)).toEqual(numbered.map((_, index) => index + 1))
    expect(client.of('error')[0]?.server_event_seq).toBeUndefined()
  })

  test('sends a unit of audio at a time, its length counted through the reply', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, ...SPEECH_MS))
    expect(audioOf(client)).toEqual([24_000, 12_000])
    const [first, second] = client.of('response.output_audio.delta')
    const { id } = client.of('session.created')[0]?.session ?? {}
    const ids = { response_id: 'resp_sess_1_0', item_id: 'item_resp_sess_1_0', output_index: 0, content_index: 0 }
    expect(first).toMatchObject({
      ...{ ...ids, format: 'pcm16', sample_rate_hz: 24_000 },
      metadata: { session_id: id, epoch: 0, model_speak: true, end_of_turn: false, audio_duration_ms: 1000 },
    })
    expect(second).toMatchObject({ ...ids, metadata: { end_of_turn: true, audio_duration_ms: 1500 } })
    expect(
      client
        .of('response.output_audio_transcript.delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('Hello there my friend.')
    expect(client.of('response.done')[0]?.response).toMatchObject({
      ...{ status: 'completed', status_details: { type: 'completed', reason: 'stop' } },
      output: [{ content: [{ type: 'audio', transcript: 'Hello there my friend.' }] }],
    })
  })

  test('cuts its first unit at 1030 ms and the others every 1000 ms, each a job of the accelerator', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    append(client, makeInput(world.profile, 1029))
    await wait(world, 1000)
    expect(world.core.stats.units).toBe(0)
    append(client, makeInput(world.profile, 1))
    await wait(world, 299)
    expect(client.of('response.listen')).toEqual([])
    await wait(world, 10)
    expect(client.of('response.listen')).toHaveLength(1)
    append(client, makeInput(world.profile, 1999))
    await wait(world, 1000)
    expect(world.core.stats.units).toBe(2)
    append(client, makeInput(world.profile, 1))
    await wait(world, 1000)
    expect(world.core.stats.units).toBe(3)
  })

  test('a listening unit stands alone', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 1200))
    await wait(world, 500)
    const { id } = client.of('session.created')[0]?.session ?? {}
    const [listen] = client.of('response.listen')
    expect(listen).toMatchObject({ session_id: id, epoch: 0, response: { status: 'listening' } })
    expect(listen?.response_id).toBeUndefined()
  })

  test('a commit cuts what is left into a short unit, which may be asked to be answered', async () => {
    const world = await makeVllmWorld()
    const client = await open(world, { extra_body: { force_listen_count: 0 } })
    append(client, makeInput(world.profile, 400))
    client.send({ type: 'input_audio_buffer.commit', final: true })
    await wait(world, 500)
    expect(client.types().slice(2)).toEqual(['response.listen'])
    append(client, makeInput(world.profile, 400))
    client.send({ type: 'input_audio_buffer.commit', response_create: true })
    await wait(world, 500)
    expect(client.of('response.created')).toHaveLength(1)
  })

  test('a clear drops what is in no unit yet', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    append(client, makeInput(world.profile, 1000))
    client.send({ type: 'input_audio_buffer.clear' })
    append(client, makeInput(world.profile, 1000), { audio_end_ms: 2000 })
    await wait(world, 1000)
    expect(client.types().slice(2)).toEqual(['input_audio_buffer.cleared'])
    append(client, makeInput(world.profile, 30))
    await wait(world, 1000)
    expect(client.of('response.listen')).toHaveLength(1)
  })

  test('without auto_response it speaks only when asked', async () => {
    const world = await makeVllmWorld()
    const client = await open(world, { extra_body: { auto_response: false } })
    await stream(world, client, makeInput(world.profile, ...SPEECH_MS))
    expect(client.of('response.created')).toEqual([])
    client.send({ type: 'response.create' })
    await stream(world, client, makeInput(world.profile, 2000))
    await wait(world, 500)
    expect(endings(client)).toEqual(['completed/stop'])
  })
})

describe('overlap', () => {
  /** The reply begins in unit 1; the user speaks again in unit 2. */
  const overlapping = [300, 1200, 1000, 400, 3000] as const

  test('barges in: the reply is cancelled without more audio, and a new epoch begins', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, ...overlapping))
    await wait(world, 2000)
    await close(world, client)
    expect(endings(client)[0]).toBe('cancelled/barge_in')
    expect(audioOf(client)[0]).toBe(24_000)
    const types = client.types()
    const at = types.indexOf('overlap.decision')
    expect(types.slice(at + 1, at + 8)).toEqual(REPLY_ENDS)
    expect(client.received[at]).toMatchObject({ policy: 'barge_in_on_speech', action: 'barge_in', epoch: 0 })
    const [cancelled] = client.of('response.done')
    expect(cancelled?.response.output[0]).toMatchObject({ status: 'incomplete' })
    // What interrupted is answered, in the new epoch.
    expect(client.of('response.speak').map(({ metadata }) => metadata.epoch)).toEqual([0, 1])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })

  test('with listen_only the reply goes on, and what was said is answered after it', async () => {
    const world = await makeVllmWorld()
    const client = await open(world, { overlap_policy: 'listen_only' })
    await stream(world, client, makeInput(world.profile, ...overlapping))
    await wait(world, 2000)
    await close(world, client)
    expect(client.of('overlap.decision').map(({ action }) => action)).toEqual(['listen'])
    expect(endings(client)).toEqual(['completed/stop', 'completed/stop'])
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass' })
  })
})

describe('the client', () => {
  /** A session whose first reply has begun, and goes on with the next unit. */
  async function replying() {
    const world = await makeVllmWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 300, 1200, 600))
    await wait(world, 400)
    expect(audioOf(client)).toEqual([24_000])
    expect(endings(client)).toEqual([])
    return { world, client }
  }

  test.each([
    { command: { type: 'response.cancel' }, reason: 'client_cancelled' },
    { command: { type: 'response.cancel', response_id: 'resp_sess_1_0' }, reason: 'client_cancelled' },
    { command: { type: 'output_audio_buffer.clear' }, reason: 'output_audio_buffer_clear' },
    { command: { type: 'response.create' }, reason: 'new_response' },
  ])('ends the reply at once with $command.type', async ({ command, reason }) => {
    const { world, client } = await replying()
    client.send(command)
    await wait(world, 10)
    expect(endings(client)).toEqual([`cancelled/${reason}`])
    await stream(world, client, makeInput(world.profile, 2000))
    await wait(world, 500)
    // Nothing more is said, unless it was asked for.
    expect(client.of('response.created')).toHaveLength(reason === 'new_response' ? 2 : 1)
    const next = client.received.findLast(({ type }) => type === 'response.listen' || type === 'response.speak')
    expect(next?.epoch ?? next?.metadata.epoch).toBe(1)
    await close(world, client)
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass', violations: [] })
  })

  test.each([
    { command: { type: 'response.cancel', response_id: 'resp_other' }, answer: [] },
    { command: { type: 'session.heartbeat' }, answer: [] },
    { command: { type: 'session.event_ack', server_event_seq: 3 }, answer: [] },
  ])('changes nothing with $command.type', async ({ command, answer }) => {
    const { world, client } = await replying()
    const before = client.received.length
    client.send(command)
    await wait(world, 10)
    expect(client.types().slice(before)).toEqual(answer)
  })

  test('is told which reply its clear concerned; one without a reply is answered too', async () => {
    const { world, client } = await replying()
    client.send({ type: 'output_audio_buffer.clear' })
    client.send({ type: 'output_audio_buffer.clear' })
    await wait(world, 10)
    const cleared = client.of('output_audio_buffer.cleared').map(({ response_id }) => response_id)
    expect(cleared).toEqual(['resp_sess_1_0', null])
  })

  test('says what it has played, and hears it back', async () => {
    const { world, client } = await replying()
    const ids = { response_id: 'resp_sess_1_0', item_id: 'item_resp_sess_1_0' }
    client.send({ type: 'playback.ack', ...ids, played_ms: 200 })
    client.send({ type: 'playback.ack', played_ms: 300, committed_ms: 250 })
    client.send({ type: 'session.update', session: {} })
    await wait(world, 10)
    expect(client.of('playback.acknowledged').map(({ event }) => event)).toEqual([
      { ...ids, played_ms: 200, committed_ms: 200 },
      { played_ms: 300, committed_ms: 250 },
    ])
    expect(client.of('session.updated').at(-1)?.session).toMatchObject({
      turn_state: 'speaking',
      playback: { generated_ms: 1000, sent_ms: 1000, played_ms: 300, committed_ms: 250 },
    })
  })

  test('truncates a reply to no more than it has', async () => {
    const { world, client } = await replying()
    const truncate = (audio_end_ms: number, item_id = 'item_resp_sess_1_0') =>
      client.send({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms })
    truncate(1001)
    truncate(400, 'item_other')
    truncate(1000)
    await wait(world, 10)
    expect(client.of('error').map(({ error }) => error.param)).toEqual(['audio_end_ms', 'item_id'])
    expect(client.of('conversation.item.truncated')).toMatchObject([{ content_index: 0, audio_end_ms: 1000 }])
  })

  test('closes in the middle of a reply, which then ends first', async () => {
    const { world, client } = await replying()
    await close(world, client)
    expect(endings(client)).toEqual(['cancelled/client_cancelled'])
    expect(client.types().at(-1)).toBe('session.closed')
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass' })
  })
})

describe('errors answer and end nothing', () => {
  const tone = (ms: number) => Buffer.alloc(ms * 32, 1).toString('base64')
  const chunk = (fields: WireEvent) => ({ type: 'input_audio_buffer.append', audio: tone(200), ...fields })
  test.each([
    { name: 'an unknown event', event: { type: 'input_audio.append' }, code: 'unknown_event', param: 'type' },
    { name: 'bad base64', event: chunk({ audio: 'AA' }), code: 'invalid_audio', param: 'audio' },
    { name: 'an odd length', event: chunk({ audio: 'AAAA' }), code: 'invalid_audio', param: 'audio' },
    { name: 'no audio', event: { type: 'input_audio_buffer.append' }, code: 'invalid_value', param: 'audio' },
    {
      name: 'another format',
      event: chunk({ format: 'pcm_f32le' }),
      code: 'unsupported_audio_format',
      param: 'format',
    },
    { name: 'another rate', event: chunk({ sample_rate_hz: 8000 }), code: 'invalid_value', param: 'sample_rate_hz' },
    { name: 'a wrong length', event: chunk({ duration_ms: 199 }), code: 'invalid_value', param: 'duration_ms' },
    { name: 'a wrong end', event: chunk({ audio_end_ms: 400 }), code: 'invalid_value', param: 'audio_end_ms' },
    { name: 'too much audio', event: chunk({ audio: tone(1100) }), code: 'buffer_overflow', param: 'audio' },
    {
      name: 'an ack of the future',
      event: { type: 'session.event_ack', server_event_seq: 1 },
      code: 'invalid_value',
      param: 'server_event_seq',
    },
    { name: 'a resume', event: { type: 'session.resume' }, code: 'session_not_found', param: null },
  ])('$name', async ({ event, code, param }) => {
    const world = await makeVllmWorld({ maxInputBytes: 35_000 })
    const client = await open(world)
    const id = client.send(event)
    append(client, makeInput(world.profile, 200), { duration_ms: 200, audio_end_ms: 200 })
    await wait(world, 10)
    expect(client.types().slice(2)).toEqual(['error'])
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'invalid_request_error', code, param, event_id: id })
    expect(client.closed).toBeUndefined()
  })

  test('frames that are no events', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    client.sendText('{')
    client.sendText('[]')
    client.sendText('{}')
    client.sendBinary()
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(['invalid_json', 'invalid_json', 'unknown_event', 'invalid_value'])
  })

  test('anything before the first update', async () => {
    const world = await makeVllmWorld()
    const client = new Client(world)
    await wait(world, 10)
    append(client, makeInput(world.profile, 200))
    client.send({ type: 'response.create' })
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(['session_not_configured', 'session_not_configured'])
  })
})

describe('the end', () => {
  test('is said before the socket closes, with the same reason', async () => {
    const world = await makeVllmWorld({ closeMs: 200 })
    const client = await open(world)
    const { id } = client.of('session.created')[0]?.session ?? {}
    await close(world, client)
    client.send({ type: 'session.heartbeat' })
    expect(client.closed).toBeUndefined()
    await wait(world, 200)
    expect(client.received.at(-1)).toMatchObject({
      ...{ type: 'session.closed', session_id: id, reason: 'client_close', server_event_seq: 1 },
    })
    expect(client.closed).toEqual({ code: 1000, reason: 'client_close' })
    expect(world.core.stats.sessionsOpen).toBe(0)
  })

  test('comes when the client has been idle; a heartbeat is enough not to be', async () => {
    const world = await makeVllmWorld({ idleTimeoutS: 60 })
    const client = await open(world)
    await wait(world, 50_000)
    client.send({ type: 'session.heartbeat' })
    await wait(world, 50_000)
    expect(client.closed).toBeUndefined()
    await wait(world, 15_000)
    expect(client.received.at(-1)).toMatchObject({ type: 'session.expired', reason: 'idle_ttl_expired' })
    expect(client.closed?.code).toBe(1000)
  })

  test.each([
    { name: 'the accelerator is out of memory', options: { oomAt: 1 }, code: 'cuda_out_of_memory' },
    { name: 'the history is full', options: { contextUnits: 1 }, code: 'context_exhausted' },
  ])('comes with an error of the server when $name', async ({ options, code }) => {
    const world = await makeVllmWorld(options)
    const client = await open(world)
    append(client, makeInput(world.profile, 1030))
    await wait(world, 500)
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'server_error', code })
    expect(client.closed).toEqual({ code: 1011, reason: code })
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, queueLength: 0 })
  })

  test('is told when the server goes down', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    world.core.shutDown()
    await wait(world, 10)
    expect(client.received.at(-1)).toMatchObject({ type: 'session.closed', reason: 'server_shutdown' })
    expect(client.closed).toEqual({ code: 1000, reason: 'server_shutdown' })
  })

  test('a client that hangs up leaves nothing behind', async () => {
    const world = await makeVllmWorld()
    const client = await open(world)
    append(client, makeInput(world.profile, 3100))
    await wait(world, 10)
    client.hangUp()
    await wait(world, 2000)
    expect(client.types()).toEqual(['session.created', 'session.updated'])
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, queueLength: 0 })
  })
})
