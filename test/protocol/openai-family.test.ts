import { describe, expect, it } from 'vitest'
import { audioOfSamples, type TraceDraft } from '../helpers/trace-mutations.js'
import { continuousVllm } from './broken-vllm.js'
import { type BaseName, draftOf, judgeDraft } from './fixtures.js'

const APPEND = 'send input_audio_buffer.append'
const UPDATED = 'receive session.updated'
const AUDIO = 'receive response.output_audio.delta'
const DONE = 'receive response.done'

interface Variation {
  readonly name: string
  readonly base: BaseName
  readonly vary: (trace: TraceDraft) => TraceDraft
}

/** What the beta called the events of the GA example. */
const BETA_NAMES: readonly (readonly [ga: string, beta: string])[] = [
  ['response.output_audio.delta', 'response.audio.delta'],
  ['response.output_audio.done', 'response.audio.done'],
  ['response.output_audio_transcript.delta', 'response.audio_transcript.delta'],
  ['response.output_audio_transcript.done', 'response.audio_transcript.done'],
  ['conversation.item.added', 'conversation.item.created'],
]

const inBeta = (t: TraceDraft): TraceDraft => BETA_NAMES.reduce((draft, [ga, beta]) => draft.rename(ga, beta), t)

const betaSession = (turnDetection: unknown) => ({
  id: 'sess_ga',
  modalities: ['audio', 'text'],
  input_audio_format: 'pcm16',
  output_audio_format: 'pcm16',
  turn_detection: turnDetection,
})

const VAD = { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 0, silence_duration_ms: 80 }
const STARTED = 'receive input_audio_buffer.speech_started'
const STOPPED = 'receive input_audio_buffer.speech_stopped'
const COMMITTED = 'receive input_audio_buffer.committed'
const TURN_DETECTION = 'session.audio.input.turn_detection'
const UPDATE = 'send session.update'
const event = (type: string, fields: Record<string, unknown> = {}) => ({ type, event_id: 'event_extra', ...fields })

const OPENAI: readonly Omit<Variation, 'base'>[] = [
  { name: 'the event names of the beta', vary: inBeta },
  {
    name: 'the event names and the flat session of the beta',
    vary: (t) =>
      inBeta(t)
        .set('receive session.created', 'session', betaSession(null))
        .set(UPDATE, 'session', betaSession(VAD))
        .set(UPDATED, 'session', betaSession(VAD)),
  },
  {
    name: 'a flat request and a nested answer',
    vary: (t) => t.set(UPDATE, 'session', betaSession(VAD)),
  },
  {
    name: 'client events without an id',
    vary: (t) => t.set(UPDATE, 'event_id', undefined).set(`${APPEND}#3`, 'event_id', undefined),
  },
  { name: 'no update at all', vary: (t) => t.remove(UPDATE, UPDATED) },
  {
    name: 'another output format, as asked for',
    vary: (t) =>
      t
        .set(UPDATE, 'session.audio.output.format', { type: 'audio/pcmu' })
        .set(UPDATED, 'session.audio.output.format', { type: 'audio/pcmu' }),
  },
  {
    name: 'an answer that leaves out the only rate there is',
    vary: (t) => t.set(UPDATED, 'session.audio.output.format', { type: 'audio/pcm' }),
  },
  {
    name: 'a second update that speaks of something else',
    vary: (t) =>
      t
        .duplicate(UPDATED)
        .insertAfter(UPDATED, 'send', { type: 'session.update', session: { type: 'realtime', instructions: 'short' } }),
  },
  {
    name: 'manual turns, committed by the client',
    vary: (t) =>
      t
        .set(UPDATE, TURN_DETECTION, null)
        .set(UPDATED, TURN_DETECTION, null)
        .removeAll(STARTED)
        .removeAll(STOPPED)
        .set(DONE, 'response.status', 'completed')
        .set(DONE, 'response.status_details', null)
        .insertBefore(COMMITTED, 'send', { type: 'response.create' })
        .insertBefore(`${COMMITTED}#1`, 'send', { type: 'input_audio_buffer.commit' }),
  },
  {
    name: 'a last turn that the client commits although the server detects turns',
    vary: (t) =>
      t
        .insertAfter(`${APPEND}#last`, 'receive', event('input_audio_buffer.committed', { item_id: 'item_u2' }))
        .insertAfter(`${APPEND}#last`, 'send', { type: 'input_audio_buffer.commit' }),
  },
  {
    name: 'a turn that the server commits after a long silence',
    vary: (t) =>
      t
        .insertAfter(`${APPEND}#last`, 'receive', event('input_audio_buffer.committed', { item_id: 'item_u2' }))
        .insertAfter(`${APPEND}#last`, 'receive', {
          ...event('input_audio_buffer.timeout_triggered', { item_id: 'item_u2', audio_start_ms: 400 }),
          event_id: 'event_timeout',
        }),
  },
  {
    name: 'a start that reaches back into the turn before by the padding',
    vary: (t) => t.set(UPDATED, `${TURN_DETECTION}.prefix_padding_ms`, 20).set(`${STARTED}#1`, 'audio_start_ms', 140),
  },
  { name: 'speech to the very end of what was sent', vary: (t) => t.set(`${STOPPED}#1`, 'audio_end_ms', 480) },
  {
    name: 'a cancel by the client',
    vary: (t) =>
      t
        .set(DONE, 'response.status_details.reason', 'client_cancelled')
        .insertBefore(DONE, 'send', { type: 'response.cancel' }),
  },
  {
    name: 'events that nobody knows, of the session and of an item',
    vary: (t) =>
      t.insertAfter(UPDATED, 'receive', event('session.novelty')).insertAfter('receive response.created', 'receive', {
        ...event('response.mcp_call.in_progress', { item_id: 'item_x', output_index: 1 }),
        event_id: 'event_mcp',
      }),
  },
  {
    name: 'refusals with the status of a rate limit',
    vary: (t) =>
      t.insertBefore('receive session.created', 'admission', {
        type: 'connection_denied',
        http_status: 429,
        attempt: 1,
      }),
  },
]

const VLLM: readonly Omit<Variation, 'base'>[] = [
  {
    name: 'V8, client events without an id',
    vary: (t) => t.set(UPDATE, 'event_id', undefined).set(`${APPEND}#3`, 'event_id', undefined),
  },
  {
    name: 'the event names of the beta',
    vary: inBeta,
  },
  {
    name: 'packets without times',
    vary: (t) => t.set(APPEND, 'duration_ms', undefined).set(APPEND, 'audio_end_ms', undefined),
  },
  {
    name: 'packets of 32-bit floats',
    vary: (t) => {
      for (let packet = 0; packet < 6; packet += 1) {
        t.set(`${APPEND}#${packet}`, 'format', 'pcm_f32le')
          .set(`${APPEND}#${packet}`, 'duration_ms', 100)
          .set(`${APPEND}#${packet}`, 'audio_end_ms', 100 * (packet + 1))
      }
      return t
    },
  },
  {
    name: 'audio without a rate and a duration',
    vary: (t) => t.set(AUDIO, 'sample_rate_hz', undefined).set(AUDIO, 'metadata', {}),
  },
  {
    name: 'a duration one millisecond off',
    vary: (t) => t.set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 199),
  },
  ...['barge_in', 'client_cancelled', 'new_response', 'output_audio_buffer_clear'].map((reason) => ({
    name: `a reply cancelled by ${reason} before its last transcript`,
    vary: (t: TraceDraft) =>
      t
        .remove('receive response.output_audio_transcript.delta#1')
        .renumber('server_event_seq')
        .set(DONE, 'response.status', 'cancelled')
        .set(DONE, 'response.status_details.reason', reason),
  })),
  {
    name: 'listening, alone and in place of a reply',
    vary: (t) =>
      t
        .insertAfter(DONE, 'receive', event('response.listen', { response: { status: 'listening' } }))
        .insertAfter(DONE, 'receive', {
          ...event('response.listen', { response_id: 'resp_1', response: { status: 'listening' } }),
          event_id: 'event_listen',
        })
        .insertAfter(DONE, 'receive', {
          ...event('response.created', { response: { id: 'resp_1', status: 'in_progress' } }),
          event_id: 'event_created',
        }),
  },
  {
    name: 'a journal of which the first number seen is not 1',
    vary: (t) => t.set('receive response.created', 'server_event_seq', undefined),
  },
]

describe('a session of the OpenAI family stays valid with', () => {
  const rows: readonly Variation[] = [
    ...OPENAI.map((row) => ({ ...row, base: 'openai' as const })),
    ...VLLM.map((row) => ({ ...row, base: 'vllm' as const })),
  ]
  for (const { name, base, vary } of rows) {
    it(`${name} (${base})`, () => {
      expect(judgeDraft(base, vary(draftOf(base)))).toEqual({ status: 'pass', violations: [], notes: [] })
    })
  }
})

describe('an OpenAI Realtime session passes, and notes,', () => {
  const LAST = `${APPEND}#last`
  const TOO_SHORT = 'Audio content of 100ms is already shorter than 2000ms'
  const error = (code: string | null, message: string, causeId: string | null) =>
    event('error', { error: { type: 'invalid_request_error', code, message, param: null, event_id: causeId } })
  const cancelled = (t: TraceDraft): TraceDraft =>
    t.insertAfter('receive conversation.item.truncated', 'send', { type: 'response.cancel', event_id: 'c_cancel' })

  const rows: readonly { name: string; check: string; vary: (t: TraceDraft) => TraceDraft }[] = [
    {
      name: 'an incomplete reply',
      check: 'O7',
      vary: (t) =>
        t
          .set(`${DONE}#1`, 'response.status', 'incomplete')
          .set(`${DONE}#1`, 'response.status_details', { type: 'incomplete', reason: 'max_output_tokens' }),
    },
    {
      name: 'a cancel for a reason nobody knows',
      check: 'O7',
      vary: (t) => t.set(DONE, 'response.status_details', null),
    },
    {
      name: 'an error that names a truncate',
      check: 'O10',
      vary: (t) => t.insertAfter(LAST, 'receive', error('invalid_value', 'no', 'c_trunc')),
    },
    {
      name: 'an error that tells of a truncation and names nothing',
      check: 'O10',
      vary: (t) => t.insertAfter(LAST, 'receive', error(null, TOO_SHORT, null)),
    },
    {
      name: 'a cancel that came too late, by its code',
      check: 'O10',
      vary: (t) => cancelled(t).insertAfter(LAST, 'receive', error('response_cancel_not_active', 'too late', null)),
    },
    {
      name: 'a cancel that came too late, by its name and with no reply open',
      check: 'O10',
      vary: (t) => cancelled(t).insertAfter(LAST, 'receive', error('invalid_value', 'no', 'c_cancel')),
    },
  ]
  for (const { name, check, vary } of rows) {
    it(name, () => {
      const { status, violations, notes } = judgeDraft('openai', vary(draftOf('openai')))
      expect({ status, violations, notes: notes.map((note) => note.check) }).toEqual({
        status: 'pass',
        violations: [],
        notes: [check],
      })
    })
  }

  it('but not an expired session, and says so', () => {
    const draft = draftOf('openai').insertAfter(LAST, 'receive', error('session_expired', 'over', null))
    expect(judgeDraft('openai', draft).violations.map(({ check, message }) => `${check} ${message}`)).toEqual([
      'O10 the session reached the longest time the server allows (session_expired) and was ended by it',
    ])
  })
})

describe('a continuous duplex session', () => {
  it('passes with one reply of whole frames, up to four too few', () => {
    const judged = judgeDraft('vllm', continuousVllm(draftOf('vllm')), { isContinuous: true })
    expect(judged).toEqual({ status: 'pass', violations: [], notes: [] })
    const fourTooFew = continuousVllm(draftOf('vllm'))
      .set(AUDIO, 'delta', audioOfSamples(1_920 * 6))
      .set(AUDIO, 'metadata.audio_duration_ms', 480)
      .set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 880)
    expect(judgeDraft('vllm', fourTooFew, { isContinuous: true }).status).toBe('pass')
  })

  it('is not exercised when all output came after all input', () => {
    const late = continuousVllm(draftOf('vllm'))
    for (const name of ['receive response.created', AUDIO, 'receive response.output_audio_transcript.delta']) {
      late.moveBefore(name, 'receive conversation.item.added')
    }
    expect(judgeDraft('vllm', late, { isContinuous: true }).status).toBe('not_exercised')
  })
})
