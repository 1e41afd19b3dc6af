/** The state table of the OpenAI Realtime script, cell by cell; barge-in, manual turns, quiet time, and causes. */
import { describe, expect, test } from 'vitest'
import { OpenAiRealtimeScript } from '../../src/protocol/openai-realtime/script.js'
import type { ScriptInput, SessionScript } from '../../src/protocol/script.js'
import {
  cellsOf,
  describeEffects,
  received,
  type StateTable,
  scriptIn,
  sentBy,
  shownStep,
} from '../helpers/script-table.js'

const QUIET_US = 1_750_000
const OUTPUT_RATE_HZ = 24_000
const VAD = { type: 'server_vad', silence_duration_ms: 500 }

const sessionWith = (turnDetection: unknown) => ({
  type: 'realtime',
  audio: { input: { turn_detection: turnDetection } },
})
const create = (session: Record<string, unknown> = sessionWith(VAD)) =>
  new OpenAiRealtimeScript({ session, outputRateHz: OUTPUT_RATE_HZ, quietUs: QUIET_US })

/** Reply audio; a millisecond is 24 samples of two bytes. */
const delta = (fields: {
  atMs: number
  ms: number
  item?: string
  response?: string
  contentIndex?: number
  type?: string
}): ScriptInput =>
  received(
    fields.type ?? 'response.output_audio.delta',
    {
      response_id: fields.response ?? 'r1',
      item_id: fields.item ?? 'i1',
      output_index: 0,
      content_index: fields.contentIndex ?? 0,
      delta: Buffer.alloc(fields.ms * 48).toString('base64'),
    },
    fields.atMs * 1000,
  )
const speechAt = (atMs: number) => received('input_audio_buffer.speech_started', { item_id: 'user' }, atMs * 1000)
const responseCreated = (id = 'r1') => received('response.created', { response: { id, status: 'in_progress' } })
const responseDone = (id = 'r1', status = 'completed') => received('response.done', { response: { id, status } })

const INPUTS = {
  opened: { kind: 'opened' },
  created: received('session.created'),
  updated: received('session.updated'),
  'response begins': responseCreated(),
  'response ends': responseDone(),
  audio: delta({ atMs: 0, ms: 500 }),
  speech: speechAt(200),
  'error of the update': received('error', { error: { code: 'invalid_value', message: 'no', event_id: 'c_update' } }),
  expired: received('error', { error: { code: 'session_expired', message: '60 minutes' } }),
  'another error': received('error', { error: { code: 'rate', message: 'slow down', event_id: 'c_append_1' } }),
  input_sent: { kind: 'input_sent' },
  waited: { kind: 'waited', name: 'quiet' },
  gone: { kind: 'closed', code: 1006, reason: '' },
  leave: { kind: 'leave' },
} as const satisfies Record<string, ScriptInput>

const STATES = {
  'awaiting created': { path: [], name: 'awaiting session.created' },
  'awaiting updated': { path: ['created'], name: 'awaiting session.updated' },
  streaming: { path: ['created', 'updated'], name: 'streaming' },
  'streaming, reply plays': { path: ['created', 'updated', 'response begins', 'audio'], name: 'streaming' },
  settling: { path: ['created', 'updated', 'input_sent'], name: 'awaiting the last replies' },
  'settling, reply plays': {
    path: ['created', 'updated', 'input_sent', 'response begins', 'audio'],
    name: 'awaiting the last replies',
  },
  parting: {
    path: ['created', 'updated', 'input_sent', 'waited'],
    name: 'awaiting the close of the connection',
  },
} as const satisfies Record<string, { path: readonly (keyof typeof INPUTS)[]; name: string }>

const PART = 'stop, hang up → parting'
const FATAL = { 'error of the update': PART, expired: PART, leave: PART, gone: 'stop, end disconnected' }
const STREAMING = { ...FATAL, input_sent: 'wait quiet → settling' }
const AGAIN = 'wait quiet'
/** Any event begins the quiet time again, whatever it says. */
const SETTLING = {
  created: AGAIN,
  updated: AGAIN,
  'response begins': AGAIN,
  'response ends': AGAIN,
  audio: AGAIN,
  speech: AGAIN,
  'another error': AGAIN,
  ...FATAL,
}

const TABLE: StateTable<keyof typeof STATES, keyof typeof INPUTS> = {
  create,
  inputs: INPUTS,
  states: STATES,
  cells: {
    // Before admission every error is about the update, or about the session as a whole.
    'awaiting created': { ...FATAL, 'another error': PART, created: 'session.update → awaiting updated' },
    'awaiting updated': { ...FATAL, 'another error': PART, updated: 'start → streaming' },
    streaming: STREAMING,
    'streaming, reply plays': { ...STREAMING, speech: 'conversation.item.truncate' },
    settling: { ...SETTLING, waited: PART },
    'settling, reply plays': { ...SETTLING, speech: 'conversation.item.truncate, wait quiet', waited: AGAIN },
    parting: { gone: 'stop, end disconnected' },
  },
}

test.each(cellsOf(TABLE))('$state, $input: $expected', ({ state, input, expected }) => {
  expect(shownStep(TABLE, state, input)).toBe(expected)
})

/** A script that streams, after these further inputs. */
function streaming(inputs: readonly ScriptInput[] = [], session?: Record<string, unknown>): SessionScript {
  const script = create(session)
  for (const input of [INPUTS.created, INPUTS.updated, ...inputs]) script.step(input)
  return script
}

test('the update carries the session as it is', () => {
  expect(sentBy(create(), [INPUTS.created])).toEqual([
    { type: 'session.update', event_id: 'c_update', session: sessionWith(VAD) },
  ])
})

describe('a barge-in', () => {
  const truncate = (fields: Record<string, unknown>) => ({
    type: 'conversation.item.truncate',
    event_id: 'c_truncate_1',
    item_id: 'i1',
    content_index: 0,
    ...fields,
  })

  test.each<{ name: string; heard: ScriptInput[]; atMs: number; expected: Record<string, unknown>[] }>([
    {
      name: 'tells how much of the item was heard',
      heard: [delta({ atMs: 1000, ms: 700 })],
      atMs: 1250,
      expected: [truncate({ audio_end_ms: 250 })],
    },
    {
      name: 'counts whole milliseconds only',
      heard: [received('response.output_audio.delta', { item_id: 'i1', delta: 'AAAA'.repeat(1200) }, 1_000_000)],
      atMs: 1000.999,
      expected: [truncate({ audio_end_ms: 0 })],
    },
    {
      name: 'counts audio that queued up from where the audio before it ended',
      heard: [delta({ atMs: 1000, ms: 300 }), delta({ atMs: 1010, ms: 300 }), delta({ atMs: 1020, ms: 300 })],
      atMs: 1750,
      expected: [truncate({ audio_end_ms: 750 })],
    },
    {
      name: 'does not count a pause in which nothing had arrived',
      heard: [delta({ atMs: 1000, ms: 100 }), delta({ atMs: 1500, ms: 300 })],
      atMs: 1550,
      expected: [truncate({ audio_end_ms: 150 })],
    },
    {
      name: 'names the item that plays, where the one before it has been heard to its end',
      heard: [delta({ atMs: 1000, ms: 200 }), delta({ atMs: 1010, ms: 400, item: 'i2' })],
      atMs: 1350,
      expected: [truncate({ item_id: 'i2', audio_end_ms: 150 })],
    },
    {
      name: 'names the first item, where the second has not begun to play',
      heard: [delta({ atMs: 1000, ms: 200 }), delta({ atMs: 1010, ms: 400, item: 'i2' })],
      atMs: 1199,
      expected: [truncate({ audio_end_ms: 199 })],
    },
    {
      name: 'names the content part that plays',
      heard: [delta({ atMs: 1000, ms: 200 }), delta({ atMs: 1010, ms: 400, contentIndex: 1 })],
      atMs: 1300,
      expected: [truncate({ content_index: 1, audio_end_ms: 100 })],
    },
    {
      name: 'says nothing where all audio has been heard, to the very microsecond',
      heard: [delta({ atMs: 1000, ms: 200 })],
      atMs: 1200,
      expected: [],
    },
    { name: 'says nothing where no audio came', heard: [], atMs: 1200, expected: [] },
    {
      name: 'leaves out audio that is no audio',
      heard: [received('response.output_audio.delta', { item_id: 'i1', response_id: 'r1', delta: 'AAA' }, 1_000_000)],
      atMs: 1000,
      expected: [],
    },
    {
      name: 'understands the beta name of the audio',
      heard: [delta({ atMs: 1000, ms: 200, type: 'response.audio.delta' })],
      atMs: 1100,
      expected: [truncate({ audio_end_ms: 100 })],
    },
  ])('$name', ({ heard, atMs, expected }) => {
    expect(sentBy(streaming([responseCreated(), ...heard]), [speechAt(atMs)])).toEqual(expected)
  })

  test('drops what still arrives of the response that was cut, under either name', () => {
    const script = streaming([responseCreated(), delta({ atMs: 1000, ms: 500 }), speechAt(1100)])
    const late = [delta({ atMs: 1110, ms: 500 }), delta({ atMs: 1120, ms: 500, type: 'response.audio.delta' })]
    expect(sentBy(script, [...late, speechAt(1200)])).toEqual([])
  })

  test('drops them where nothing of the response had arrived when the user spoke', () => {
    const script = streaming([responseCreated(), speechAt(1000), delta({ atMs: 1010, ms: 500 })])
    expect(sentBy(script, [speechAt(1100)])).toEqual([])
  })

  test('leaves the next response alone, which plays at once', () => {
    const script = streaming([
      responseCreated(),
      delta({ atMs: 1000, ms: 5000 }),
      speechAt(1100),
      responseDone('r1', 'cancelled'),
      responseCreated('r2'),
      delta({ atMs: 2000, ms: 500, response: 'r2', item: 'i2' }),
    ])
    expect(sentBy(script, [speechAt(2300)])).toEqual([
      truncate({ event_id: 'c_truncate_2', item_id: 'i2', audio_end_ms: 300 }),
    ])
  })

  test('cuts a response that is done at the server and still plays', () => {
    const script = streaming([responseCreated(), delta({ atMs: 1000, ms: 3000 }), responseDone()])
    expect(sentBy(script, [speechAt(2000)])).toEqual([truncate({ audio_end_ms: 1000 })])
  })

  test.each([
    { name: 'interrupt_response false', detection: { ...VAD, interrupt_response: false }, isCut: false },
    { name: 'interrupt_response true', detection: { ...VAD, interrupt_response: true }, isCut: true },
    { name: 'no word of it', detection: VAD, isCut: true },
  ])('with $name the playing is cut: $isCut', ({ detection, isCut }) => {
    const script = streaming([responseCreated(), delta({ atMs: 1000, ms: 500 })], sessionWith(detection))
    expect(sentBy(script, [speechAt(1100)])).toHaveLength(isCut ? 1 : 0)
  })
})

describe('the end of the input', () => {
  test.each<{ name: string; session: Record<string, unknown>; expected: unknown[] }>([
    { name: 'a server that detects turns', session: sessionWith(VAD), expected: [] },
    { name: 'a server that was not told how', session: { type: 'realtime' }, expected: [] },
    {
      name: 'manual turns',
      session: sessionWith(null),
      expected: [
        { type: 'input_audio_buffer.commit', event_id: 'c_commit' },
        { type: 'response.create', event_id: 'c_response' },
      ],
    },
  ])('with $name sends $expected.length commands and waits', ({ session, expected }) => {
    const effects = streaming([], session).step(INPUTS.input_sent)
    const sends = effects.flatMap((effect) => (effect.kind === 'send' ? [effect.event] : []))
    expect(sends).toEqual(expected)
    expect(effects.at(-1)).toEqual({ kind: 'wait', name: 'quiet', durationUs: QUIET_US })
  })
})

describe('the quiet time', () => {
  const settling = (inputs: readonly ScriptInput[] = []) => streaming([INPUTS.input_sent, ...inputs])

  test.each([
    ['an event that the script knows', INPUTS.speech],
    ['an event that it does not know', received('rate_limits.updated')],
    ['a frame without a type', received(undefined)],
  ])('begins again with %s', (_, input) => {
    expect(settling().step(input)).toEqual([{ kind: 'wait', name: 'quiet', durationUs: QUIET_US }])
  })

  test('does not run while the input is being sent', () => {
    expect(streaming().step(INPUTS.speech)).toEqual([])
  })

  test('a response that is open holds the session, until it is done', () => {
    const script = settling([responseCreated('one'), responseCreated('two'), responseDone('one')])
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['wait quiet'])
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['wait quiet'])
    script.step(responseDone('two'))
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['stop', 'hang up'])
  })

  test('a response that began before the end of the input holds it as well', () => {
    const script = streaming([responseCreated(), INPUTS.input_sent])
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['wait quiet'])
  })

  test('a response that was cut holds it until the server says that it is done', () => {
    const script = settling([responseCreated(), delta({ atMs: 0, ms: 500 }), speechAt(100)])
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['wait quiet'])
    script.step(responseDone('r1', 'cancelled'))
    expect(describeEffects(script.step(INPUTS.waited))).toEqual(['stop', 'hang up'])
  })
})

test('the session is let in by session.updated, and not before', () => {
  expect(scriptIn(TABLE, 'awaiting updated').isAdmitted).toBe(false)
  expect(scriptIn(TABLE, 'streaming').isAdmitted).toBe(true)
})

describe('the cause of the end', () => {
  const NORMAL: ScriptInput = { kind: 'closed', code: 1000, reason: '' }
  const open = [INPUTS.created, INPUTS.updated]
  test.each<{ name: string; inputs: ScriptInput[]; expected: Record<string, unknown> }>([
    {
      name: 'quiet after the last reply completes the session',
      inputs: [...open, INPUTS.input_sent, responseCreated(), responseDone(), INPUTS.waited, NORMAL],
      expected: { kind: 'completed', message: 'completed', isClientError: false },
    },
    {
      name: 'a session that has run its time ends as an error of the server',
      inputs: [...open, INPUTS.expired, NORMAL],
      expected: { kind: 'server_error', message: expect.stringContaining('session_expired'), isClientError: false },
    },
    {
      name: 'an error that has no code is named by its type',
      inputs: [
        INPUTS.created,
        received('error', { error: { type: 'invalid_request_error', message: 'beta' } }),
        NORMAL,
      ],
      expected: { kind: 'server_error', message: 'server error invalid_request_error: beta' },
    },
    {
      name: 'a recoverable error does not end it',
      inputs: [...open, INPUTS['another error'], INPUTS.input_sent, INPUTS.waited, NORMAL],
      expected: { kind: 'completed' },
    },
    {
      name: 'an unusual close code is named, as that of a refused beta client',
      inputs: [
        INPUTS.created,
        INPUTS['error of the update'],
        { kind: 'closed', code: 4000, reason: 'invalid_request_error.beta_api_shape_disabled' },
      ],
      expected: { kind: 'server_error', message: expect.stringContaining('code 4000, invalid_request_error.beta') },
    },
    {
      name: 'a connection that is cut while replies are awaited is an error of the client’s, with its state',
      inputs: [...open, INPUTS.input_sent, INPUTS.gone],
      expected: {
        kind: 'disconnected',
        message: expect.stringMatching(/code 1006.*"awaiting the last replies"/),
        isClientError: true,
      },
    },
    {
      name: 'a user who interrupts is the client’s own doing',
      inputs: [...open, INPUTS.leave, NORMAL],
      expected: { kind: 'left', isClientError: true },
    },
  ])('$name', ({ inputs, expected }) => {
    const script = create()
    const effects = inputs.flatMap((input) => script.step(input))
    expect(effects.at(-1)).toMatchObject({ kind: 'end', cause: expected })
  })
})
