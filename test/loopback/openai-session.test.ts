import { describe, expect, test } from 'vitest'
import { parseTraceLine } from '../../src/capture/trace-record.js'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { Client, makeInput, makeWorld, samplesOf, type WireEvent, type World } from './native-client.js'

const SERVER_VAD = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500 }
const MANUAL = withDetection(null)

/** A `session` with the given turn detection. */
function withDetection(turn_detection: unknown, more: WireEvent = {}): WireEvent {
  return { type: 'realtime', audio: { input: { turn_detection, ...more } } }
}

const makeOpenAiWorld = (options: LoopbackOptionsInput = {}) => makeWorld('openai-realtime', options)

/** Lets the given time pass. */
const wait = ({ clock }: World, ms: number) => clock.runUntil(clock.nowUs() + ms * 1000)

async function open(world: World, session: WireEvent = { type: 'realtime' }, query = ''): Promise<Client> {
  const client = new Client(world, query)
  await wait(world, 10)
  client.send({ type: 'session.update', session })
  await wait(world, 10)
  return client
}

function append(client: Client, pcm: Int16Array): void {
  const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64')
  client.send({ type: 'input_audio_buffer.append', audio })
}

/** Sends input in packets of 80 ms on their schedule, and waits for as long as the input lasts. */
async function stream(world: World, client: Client, input: Int16Array): Promise<void> {
  const startUs = world.clock.nowUs()
  for (let packet = 0; packet * 1920 < input.length; packet += 1) {
    const pcm = input.slice(packet * 1920, (packet + 1) * 1920)
    world.clock.at(startUs + packet * 80_000, () => append(client, pcm))
  }
  await world.clock.runUntil(startUs + Math.ceil(input.length / 24) * 1000)
}

function verdictOf(world: World, client: Client) {
  const lines = client.trace.map((line, index) => parseTraceLine(JSON.stringify(line), index + 1))
  return judgeSession({ profile: world.profile, lines, admissionRetryLimit: 3 })
}

/** Types in order; a run of deltas, of audio and of words, is given once. */
function orderOf(events: readonly WireEvent[]): string[] {
  const types = events.map(({ type }) => String(type).replace(/_audio(?:_transcript)?\.delta$/, '.deltas'))
  return types.filter((type, index) => !type.endsWith('.deltas') || types[index - 1] !== type)
}

const TURN = [
  'input_audio_buffer.speech_started',
  'input_audio_buffer.speech_stopped',
  'input_audio_buffer.committed',
  'conversation.item.added',
  'conversation.item.done',
]
const REPLY_BEGINS = [
  'response.created',
  'rate_limits.updated',
  'response.output_item.added',
  'conversation.item.added',
  'response.content_part.added',
]
const REPLY_ENDS = [
  'response.output_audio.done',
  'response.output_audio_transcript.done',
  'response.content_part.done',
  'response.output_item.done',
  'conversation.item.done',
  'response.done',
]

describe('a session with the server’s turn detection', () => {
  test('goes through one turn in the order of the protocol, and is valid', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, world.profile.session)
    await stream(world, client, makeInput(world.profile, 320, 1200, 2000))
    await wait(world, 2000)
    expect(orderOf(client.received)).toEqual([
      ...['session.created', 'session.updated', ...TURN, ...REPLY_BEGINS],
      ...['response.output.deltas', ...REPLY_ENDS],
    ])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })

  test('tells when the user spoke, on the input’s timeline, and gives the turn one item', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection(SERVER_VAD))
    await stream(world, client, makeInput(world.profile, 960, 1200, 1000))
    const [started] = client.of('input_audio_buffer.speech_started')
    const [stopped] = client.of('input_audio_buffer.speech_stopped')
    const [committed] = client.of('input_audio_buffer.committed')
    expect(started?.audio_start_ms).toBe(960 - 300)
    expect(Math.abs(stopped?.audio_end_ms - 2160)).toBeLessThanOrEqual(32)
    expect(stopped?.item_id).toBe(started?.item_id)
    expect(committed).toMatchObject({ item_id: started?.item_id, previous_item_id: null })
    const [user, assistant] = client.of('conversation.item.added')
    expect(user?.item).toMatchObject({ id: started?.item_id, role: 'user', content: [{ type: 'input_audio' }] })
    expect(assistant).toMatchObject({ previous_item_id: started?.item_id, item: { role: 'assistant' } })
  })

  test('speaks the whole reply faster than it plays, words with the audio', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 320, 1200, 2000))
    const deltas = client.of('response.output_audio.delta')
    expect(deltas.map((delta) => samplesOf(delta).length)).toEqual([...new Array(7).fill(4800), 2400])
    const at = client.received.flatMap(({ type }, index) =>
      type === 'response.output_audio.delta' ? [client.receivedAtUs[index] ?? 0] : [],
    )
    // Eight jobs of 20 + 30 ms for 1.5 s of audio.
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBe(7 * 50_000)
    const words = client.of('response.output_audio_transcript.delta').map(({ delta }) => delta)
    expect(words.length).toBeGreaterThan(1)
    expect(words.join('')).toBe('Hello there my friend.')
    expect(client.of('response.done')[0]?.response).toMatchObject({
      status: 'completed',
      status_details: null,
      output: [{ status: 'completed', content: [{ type: 'output_audio', transcript: 'Hello there my friend.' }] }],
      usage: { output_tokens: 30 },
    })
  })

  test('counts silence in appended audio: without any the turn never ends', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 0, 800))
    await wait(world, 60_000)
    expect(client.of('input_audio_buffer.speech_stopped')).toEqual([])
    await stream(world, client, makeInput(world.profile, 640))
    expect(client.of('input_audio_buffer.speech_stopped')).toHaveLength(1)
  })

  test('transcribes where asked to, in an event of its own', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection(SERVER_VAD, { transcription: { model: 'whisper-1' } }))
    await stream(world, client, makeInput(world.profile, 0, 960, 640))
    expect(client.of('conversation.item.input_audio_transcription.completed')[0]).toMatchObject({
      item_id: client.of('input_audio_buffer.committed')[0]?.item_id,
      content_index: 0,
      transcript: '(1.0 s of speech)',
    })
  })

  test('leaves the reply to the client without create_response', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection({ ...SERVER_VAD, create_response: false }))
    await stream(world, client, makeInput(world.profile, 0, 800, 800))
    await wait(world, 1000)
    expect(client.of('input_audio_buffer.committed')).toHaveLength(1)
    expect(client.of('response.created')).toEqual([])
    client.send({ type: 'response.create' })
    await wait(world, 1000)
    expect(client.of('response.done')).toHaveLength(1)
  })

  test.each([
    { eagerness: 'high', endsAfterMs: 2000 },
    { eagerness: 'medium', endsAfterMs: 4000 },
    { eagerness: 'auto', endsAfterMs: 4000 },
    { eagerness: 'low', endsAfterMs: 8000 },
  ])('waits for $endsAfterMs ms of silence with semantic_vad and eagerness $eagerness', async (row) => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection({ type: 'semantic_vad', eagerness: row.eagerness }))
    await stream(world, client, makeInput(world.profile, 0, 800, row.endsAfterMs - 160))
    expect(client.of('input_audio_buffer.speech_stopped')).toEqual([])
    await stream(world, client, makeInput(world.profile, 320))
    expect(client.of('input_audio_buffer.speech_stopped')).toHaveLength(1)
  })

  test('a commit while the user speaks ends the turn as silence would', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 0, 800))
    client.send({ type: 'input_audio_buffer.commit' })
    await wait(world, 3000)
    expect(client.of('input_audio_buffer.speech_stopped')[0]?.audio_end_ms).toBe(800)
    expect(client.of('response.done')).toHaveLength(1)
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass' })
  })

  test('a switch to manual turns ends the turn in progress, and the timeline goes on when it is switched back', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection({ ...SERVER_VAD, create_response: false }))
    await stream(world, client, makeInput(world.profile, 0, 800))
    client.send({ type: 'session.update', session: MANUAL })
    await wait(world, 10)
    await stream(world, client, makeInput(world.profile, 0, 800, 800))
    client.send({ type: 'session.update', session: withDetection(SERVER_VAD) })
    await wait(world, 10)
    await stream(world, client, makeInput(world.profile, 800, 800))
    const times = client.received.flatMap(({ audio_start_ms, audio_end_ms }) => audio_start_ms ?? audio_end_ms ?? [])
    expect(times).toEqual([0, 800, 800 + 1600 + 800 - 300])
  })
})

describe('a barge-in', () => {
  /** Speaks into the reply once its first chunks have come. */
  async function interrupt(session: WireEvent) {
    // A slow accelerator, so that the reply is still being worked out.
    const world = await makeOpenAiWorld({ baseMs: 150, perUnitMs: 50 })
    const client = await open(world, session)
    await stream(world, client, makeInput(world.profile, 0, 800, 1040, 480, 800))
    await wait(world, 5000)
    return { world, client }
  }

  test('cancels the open reply at speech_started, with all its done events', async () => {
    const { world, client } = await interrupt(withDetection(SERVER_VAD))
    const types = client.types()
    const at = types.lastIndexOf('input_audio_buffer.speech_started')
    expect(types.slice(at + 1, at + 7)).toEqual(REPLY_ENDS)
    const { response } = client.of('response.done')[0] ?? {}
    expect(response).toMatchObject({
      status: 'cancelled',
      status_details: { type: 'cancelled', reason: 'turn_detected' },
      output: [{ status: 'incomplete' }],
    })
    const late = client.received.slice(at + 7).filter(({ response_id }) => response_id === response.id)
    expect(late).toEqual([])
    expect(client.of('response.done').map((done) => done.response.status)).toEqual(['cancelled', 'completed'])
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass', violations: [] })
  })

  test('does not cancel without interrupt_response; the turn is answered after the reply', async () => {
    const { world, client } = await interrupt(withDetection({ ...SERVER_VAD, interrupt_response: false }))
    const types = client.types()
    expect(client.of('response.done').map((done) => done.response.status)).toEqual(['completed', 'completed'])
    expect(types.lastIndexOf('response.created')).toBe(types.indexOf('response.done') + 1)
    expect(client.errorCodes()).toEqual([])
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass' })
  })

  test('is followed by a truncation: at most what was sent, and only of replies', async () => {
    const { world, client } = await interrupt(withDetection(SERVER_VAD))
    const [done] = client.of('response.done')
    const itemId = done?.response.output[0].id
    const sentMs = client
      .of('response.output_audio.delta')
      .filter(({ item_id }) => item_id === itemId)
      .reduce((sum, delta) => sum + samplesOf(delta).length / 24, 0)
    const truncate = (item_id: string, audio_end_ms: number, content_index = 0) =>
      client.send({ type: 'conversation.item.truncate', item_id, content_index, audio_end_ms })
    truncate(itemId, sentMs)
    truncate(itemId, 60)
    truncate(itemId, 61)
    truncate(client.of('input_audio_buffer.committed')[0]?.item_id, 0)
    truncate('item_unknown', 0)
    truncate(itemId, 0, 1)
    await wait(world, 10)
    expect(client.of('conversation.item.truncated').map((cut) => cut.audio_end_ms)).toEqual([sentMs, 60])
    expect(client.of('error').map(({ error }) => error.param)).toEqual([
      ...['audio_end_ms', 'item_id', 'item_id', 'content_index'],
    ])
    // A truncation that comes too late is reported, and fails nothing.
    expect(verdictOf(world, client)).toMatchObject({ status: 'pass' })
  })

  test('before the first chunk leaves a response without output', async () => {
    const world = await makeOpenAiWorld({ baseMs: 2000 })
    const client = await open(world)
    await stream(world, client, makeInput(world.profile, 0, 800, 800, 480))
    expect(client.of('response.done')[0]?.response).toMatchObject({ status: 'cancelled', output: [] })
    expect(client.of('response.output_item.added')).toEqual([])
  })
})

describe('manual turns', () => {
  test('are committed and answered when the client says so, and no speech is detected', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    await stream(world, client, makeInput(world.profile, 0, 800, 2000))
    client.send({ type: 'input_audio_buffer.commit' })
    client.send({ type: 'response.create' })
    await wait(world, 2000)
    expect(orderOf(client.received)).toEqual([
      ...['session.created', 'session.updated', ...TURN.slice(2), ...REPLY_BEGINS],
      ...['response.output.deltas', ...REPLY_ENDS],
    ])
    expect(verdictOf(world, client)).toEqual({ status: 'pass', violations: [], notes: [] })
  })

  test.each([
    { name: 'nothing appended', ms: 0, code: 'input_audio_buffer_commit_empty' },
    { name: 'less than 100 ms', ms: 80, code: 'input_audio_buffer_commit_empty' },
    { name: '100 ms', ms: 100, code: undefined },
  ])('a commit of a buffer with $name', async ({ ms, code }) => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    if (ms > 0) append(client, makeInput(world.profile, ms))
    const id = client.send({ type: 'input_audio_buffer.commit' })
    await wait(world, 10)
    expect(client.of('error').map(({ error }) => [error.code, error.event_id])).toEqual(
      code === undefined ? [] : [[code, id]],
    )
    expect(client.of('input_audio_buffer.committed')).toHaveLength(code === undefined ? 1 : 0)
  })

  test('a clear empties the buffer, and says so', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    append(client, makeInput(world.profile, 400))
    client.send({ type: 'input_audio_buffer.clear' })
    client.send({ type: 'input_audio_buffer.commit' })
    await wait(world, 10)
    expect(client.types().slice(2)).toEqual(['input_audio_buffer.cleared', 'error'])
  })

  test('one response at a time, which the client may cancel once', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    client.send({ type: 'response.create' })
    client.send({ type: 'response.create' })
    await wait(world, 100)
    client.send({ type: 'response.cancel', response_id: 'resp_other' })
    client.send({ type: 'response.cancel' })
    client.send({ type: 'response.cancel' })
    await wait(world, 1000)
    expect(client.errorCodes()).toEqual([
      'conversation_already_has_active_response',
      ...['response_cancel_not_active', 'response_cancel_not_active'],
    ])
    expect(client.of('response.done').map(({ response }) => response.status_details)).toEqual([
      { type: 'cancelled', reason: 'client_cancelled' },
    ])
  })

  test('a response in text has the words and no audio', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, { ...MANUAL, output_modalities: ['text'] })
    client.send({ type: 'response.create' })
    await wait(world, 1000)
    expect(client.types().filter((type) => type.includes('audio'))).toEqual([])
    expect(client.of('response.output_text.done')[0]?.text).toBe('Hello there my friend.')
    expect(client.of('response.done')[0]?.response.output[0].content).toEqual([
      { type: 'output_text', text: 'Hello there my friend.' },
    ])
    client.send({ type: 'response.create', response: { output_modalities: ['audio'] } })
    await wait(world, 1000)
    expect(client.of('response.output_audio.done')).toHaveLength(1)
  })

  test('a server without memory fails the reply, not the session', async () => {
    const world = await makeOpenAiWorld({ oomAt: 1 })
    const client = await open(world, MANUAL)
    client.send({ type: 'response.create' })
    await wait(world, 1000)
    expect(client.of('response.done')[0]?.response).toMatchObject({
      status: 'failed',
      status_details: { type: 'failed', error: { type: 'server_error', code: 'cuda_out_of_memory' } },
    })
    expect(client.closed).toBeUndefined()
  })
})

describe('items', () => {
  test('are made, placed, read and deleted', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
    client.send({ type: 'conversation.item.create', item: { id: 'a', ...item } })
    client.send({ type: 'conversation.item.create', item: { id: 'b', ...item } })
    client.send({ type: 'conversation.item.create', item: { id: 'c', ...item }, previous_item_id: 'a' })
    client.send({ type: 'conversation.item.create', item: { id: 'd', ...item }, previous_item_id: 'root' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'c' })
    client.send({ type: 'conversation.item.delete', item_id: 'c' })
    client.send({ type: 'conversation.item.retrieve', item_id: 'c' })
    client.send({ type: 'conversation.item.create', item: { id: 'a', ...item } })
    client.send({ type: 'conversation.item.create', item, previous_item_id: 'c' })
    await wait(world, 10)
    expect(client.of('conversation.item.added').map((added) => [added.item.id, added.previous_item_id])).toEqual([
      ...[
        ['a', null],
        ['b', 'a'],
        ['c', 'a'],
        ['d', null],
      ],
    ])
    expect(client.of('conversation.item.done')).toHaveLength(4)
    expect(client.of('conversation.item.retrieved')[0]?.item).toMatchObject({ id: 'c', object: 'realtime.item' })
    expect(client.of('conversation.item.deleted')).toMatchObject([{ item_id: 'c' }])
    expect(client.errorCodes()).toEqual(['invalid_value', 'item_create_duplicate_item_id', 'invalid_value'])
  })
})

describe('the configuration', () => {
  test('is told in full at first, and merged with each update', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, withDetection({ type: 'server_vad', silence_duration_ms: 200 }), 'model=m')
    client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } })
    client.send({ type: 'session.update', session: withDetection({ type: 'server_vad', threshold: 0.7 }) })
    client.send({ type: 'session.update', session: withDetection({ type: 'semantic_vad' }) })
    client.send({ type: 'session.update', session: MANUAL })
    await wait(world, 10)
    const format = { type: 'audio/pcm', rate: 24_000 }
    const defaults = { idle_timeout_ms: null, create_response: true, interrupt_response: true }
    expect(client.of('session.created')[0]?.session).toMatchObject({
      ...{ id: 'sess_1', object: 'realtime.session', type: 'realtime', model: 'm', output_modalities: ['audio'] },
      audio: { input: { format, turn_detection: { ...SERVER_VAD, ...defaults } }, output: { format } },
    })
    const updated = client.of('session.updated').map(({ session }) => session)
    expect(updated.map(({ audio }) => audio.input.turn_detection)).toEqual([
      { ...SERVER_VAD, silence_duration_ms: 200, ...defaults },
      { ...SERVER_VAD, silence_duration_ms: 200, ...defaults },
      { ...SERVER_VAD, silence_duration_ms: 200, threshold: 0.7, ...defaults },
      { type: 'semantic_vad', eagerness: 'auto', create_response: true, interrupt_response: true },
      null,
    ])
    expect(updated.at(-1)).toMatchObject({ instructions: 'Be brief.', model: 'm', audio: { input: { format } } })
  })

  const audio = (input: unknown, output: unknown = {}) => ({ type: 'realtime', audio: { input, output } })
  test.each([
    { name: 'no type', session: {}, param: 'session.type' },
    { name: 'a transcription session', session: { type: 'transcription' }, param: 'session.type' },
    { name: 'two modalities', session: { output_modalities: ['audio', 'text'] }, param: 'session.output_modalities' },
    {
      name: 'another rate',
      session: audio({ format: { type: 'audio/pcm', rate: 16_000 } }),
      param: 'session.audio.input.format',
    },
    { name: 'pcmu in', session: audio({ format: { type: 'audio/pcmu' } }), param: 'session.audio.input.format' },
    { name: 'pcma out', session: audio({}, { format: { type: 'audio/pcma' } }), param: 'session.audio.output.format' },
    { name: 'a beta name', session: { turn_detection: null }, param: 'session.turn_detection' },
    {
      name: 'an unknown detector',
      session: audio({ turn_detection: { type: 'magic' } }),
      param: 'session.audio.input.turn_detection.type',
    },
    { name: 'another model', session: { model: 'other' }, param: 'session.model' },
  ])('refuses $name, and stays as it was', async ({ session, param }) => {
    const world = await makeOpenAiWorld()
    const client = new Client(world, 'model=m')
    await wait(world, 10)
    const type = param === 'session.type' ? {} : { type: 'realtime' }
    const id = client.send({ type: 'session.update', session: { ...type, ...session } })
    await wait(world, 10)
    expect(client.types()).toEqual(['session.created', 'error'])
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'invalid_request_error', param, event_id: id })
  })

  test('keeps its voice once it has been heard', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    const update = (voice: string) => client.send({ type: 'session.update', session: audio({}, { voice }) })
    update('cedar')
    client.send({ type: 'response.create' })
    await wait(world, 1000)
    update('cedar')
    update('marin')
    await wait(world, 10)
    expect(client.of('session.updated')).toHaveLength(3)
    expect(client.errorCodes()).toEqual(['cannot_update_voice'])
  })
})

describe('errors answer and end nothing', () => {
  test.each([
    { name: 'no JSON', frame: '{', code: 'invalid_json', eventId: null },
    { name: 'no object', frame: '[]', code: 'invalid_json', eventId: null },
    { name: 'no type', frame: '{"event_id":"x"}', code: 'invalid_value', eventId: 'x' },
    { name: 'an unknown type', frame: '{"event_id":"x","type":"session.close"}', code: 'invalid_value', eventId: 'x' },
    {
      name: 'an id that is none',
      frame: '{"event_id":1,"type":"response.create"}',
      code: 'invalid_value',
      eventId: null,
    },
    {
      name: 'an unknown field',
      frame: '{"type":"input_audio_buffer.commit","final":true}',
      code: 'unknown_parameter',
      eventId: null,
    },
    {
      name: 'an append with receipts',
      frame: '{"type":"input_audio_buffer.append","audio":"AAA=","sglang":{}}',
      code: 'unknown_parameter',
      eventId: null,
    },
    {
      name: 'bad base64',
      frame: '{"type":"input_audio_buffer.append","audio":"AA"}',
      code: 'invalid_value',
      eventId: null,
    },
    {
      name: 'an odd length',
      frame: '{"type":"input_audio_buffer.append","audio":"AAAA"}',
      code: 'invalid_value',
      eventId: null,
    },
    {
      name: 'no audio',
      frame: '{"type":"input_audio_buffer.append","audio":""}',
      code: 'invalid_value',
      eventId: null,
    },
    {
      name: 'audio that is no text',
      frame: '{"type":"input_audio_buffer.append"}',
      code: 'invalid_value',
      eventId: null,
    },
  ])('$name', async ({ frame, code, eventId }) => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    client.sendText(frame)
    client.sendText('{"type":"input_audio_buffer.clear"}')
    await wait(world, 10)
    expect(client.types().slice(2)).toEqual(['error', 'input_audio_buffer.cleared'])
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'invalid_request_error', code, event_id: eventId })
  })

  test('a binary frame', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    client.sendBinary()
    await wait(world, 10)
    expect(client.errorCodes()).toEqual(['invalid_value'])
    expect(client.closed).toBeUndefined()
  })
})

describe('the end', () => {
  test('comes after 60 minutes with session_expired', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    await wait(world, 60 * 60_000 - 100)
    expect(client.closed).toBeUndefined()
    await wait(world, 200)
    expect(client.errorCodes()).toEqual(['session_expired'])
    expect(client.closed).toEqual({ code: 1000, reason: 'session_expired' })
    expect(world.core.stats.sessionsOpen).toBe(0)
  })

  test('is silent when the client closes, also in the middle of a reply', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world, MANUAL)
    client.send({ type: 'response.create' })
    await wait(world, 120)
    const before = client.received.length
    client.hangUp()
    await wait(world, 2000)
    expect(client.received.length).toBe(before)
    expect(world.core.stats).toMatchObject({ sessionsOpen: 0, queueLength: 0 })
  })

  test('comes at once, and silently, when the server goes down', async () => {
    const world = await makeOpenAiWorld()
    const client = await open(world)
    world.core.shutDown()
    await wait(world, 10)
    expect(client.types()).toEqual(['session.created', 'session.updated'])
    expect(client.closed?.code).toBe(1000)
  })

  test('comes before session.created where the model has no memory left', async () => {
    const world = await makeOpenAiWorld({ modelSlots: 1 })
    await open(world)
    const client = new Client(world)
    await wait(world, 10)
    expect(client.types()).toEqual(['error'])
    expect(client.of('error')[0]?.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' })
    expect(client.closed?.code).toBe(1000)
    expect(world.core.stats.sessionsOpen).toBe(1)
  })
})
