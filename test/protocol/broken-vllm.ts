/** Valid traces with one thing broken: checks V1 to V7, and some of C1 to C9, which V8 asks for (it only permits). */
import { audioOfSamples, type TraceDraft } from '../helpers/trace-mutations.js'
import type { BrokenTrace } from './broken-traces.js'

const CREATED = 'receive session.created'
const UPDATE = 'send session.update'
const UPDATED = 'receive session.updated'
const APPEND = 'send input_audio_buffer.append'
const RESPONSE = 'receive response.created'
const TRANSCRIPT = 'receive response.output_audio_transcript.delta'
const AUDIO = 'receive response.output_audio.delta'
const DONE = 'receive response.done'
const CLOSED = 'receive session.closed'
const RATE_LIMITS = 'receive rate_limits.updated'

/** Outside the journal, so that its numbers stay whole. */
const server = (type: string, fields: Record<string, unknown> = {}) => ({ type, event_id: 'event_extra', ...fields })
const REFUSAL = server('error', {
  error: { type: 'rate_limit_error', code: 'resource_exhausted', message: 'no free session', retryable: true },
})

/** 15 frames of input and as many of output in one reply, as a continuous model gives them. */
const continuous = (t: TraceDraft): TraceDraft =>
  withAudio(t, AUDIO, 1_920 * 10, 800)
    .set(`${AUDIO}#1`, 'delta', audioOfSamples(1_920 * 5))
    .set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 1200)
    .moveBefore(RESPONSE, `${APPEND}#1`)
    .moveBefore(AUDIO, `${APPEND}#1`)
    .moveBefore(TRANSCRIPT, `${APPEND}#1`)
    .renumber('server_event_seq')

const withAudio = (t: TraceDraft, name: string, samples: number, ms: number): TraceDraft =>
  t.set(name, 'delta', audioOfSamples(samples)).set(name, 'metadata.audio_duration_ms', ms)

const from = (rows: readonly Omit<BrokenTrace, 'base'>[]): readonly BrokenTrace[] =>
  rows.map((row) => ({ ...row, base: 'vllm' }))

const COMMON = from([
  { check: 'C4', name: 'a client id used twice', breakIt: (t) => t.set('send session.close', 'event_id', 'c_update') },
  { check: 'C4', name: 'a client id that is no string', breakIt: (t) => t.set('send session.close', 'event_id', 7) },
  {
    check: 'C5',
    name: 'a failure on the client side',
    breakIt: (t) => t.insertAfter(CLOSED, 'error', { message: 'Error: socket closed' }),
  },
  {
    check: 'C9',
    name: 'an odd number of output bytes',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'delta', 'AQAB'),
    implied: ['V4'],
  },
  {
    check: 'C6',
    name: 'another status than 503',
    breakIt: (t) => t.insertBefore(UPDATE, 'admission', { type: 'connection_denied', http_status: 429, attempt: 1 }),
  },
])

const SESSION = from([
  {
    check: 'V1',
    name: 'audio as the first thing sent',
    breakIt: (t) => t.moveBefore(APPEND, UPDATE),
  },
  { check: 'V1', name: 'no update', breakIt: (t) => t.remove(UPDATE) },
  { check: 'V1', name: 'a second session.created', breakIt: (t) => t.duplicate(CREATED) },
  { check: 'V1', name: 'no session.created', breakIt: (t) => t.remove(CREATED) },
  { check: 'V1', name: 'a session without an id', breakIt: (t) => t.set(CREATED, 'session.id', null) },
  { check: 'V1', name: 'no session.updated', breakIt: (t) => t.remove(UPDATED) },
  { check: 'V1', name: 'session.updated first', breakIt: (t) => t.moveBefore(UPDATED, CREATED) },
  { check: 'V1', name: 'audio before session.created', breakIt: (t) => t.moveBefore(APPEND, CREATED) },
  { check: 'V2', name: 'a lost event', breakIt: (t) => t.remove(RATE_LIMITS) },
  { check: 'V2', name: 'a number used twice', breakIt: (t) => t.set(RATE_LIMITS, 'server_event_seq', 16) },
  { check: 'V2', name: 'a number that is a string', breakIt: (t) => t.set(CLOSED, 'server_event_seq', '19') },
  { check: 'V2', name: 'a number with a fraction', breakIt: (t) => t.set(CLOSED, 'server_event_seq', 19.5) },
  { check: 'V3', name: 'a wrong length', breakIt: (t) => t.set(`${APPEND}#1`, 'duration_ms', 201) },
  { check: 'V3', name: 'an end that counts one packet', breakIt: (t) => t.set(`${APPEND}#1`, 'audio_end_ms', 200) },
  { check: 'V3', name: 'a length as a string', breakIt: (t) => t.set(APPEND, 'duration_ms', '200') },
  {
    check: 'V3',
    name: 'a length in samples of another format',
    breakIt: (t) => t.set(`${APPEND}#last`, 'format', 'pcm_f32le'),
  },
  {
    check: 'V6',
    name: 'a server that closes for another reason',
    breakIt: (t) => t.set(CLOSED, 'reason', 'idle_ttl_expired'),
  },
  { check: 'V6', name: 'no session.closed', breakIt: (t) => t.remove(CLOSED) },
  { check: 'V6', name: 'something after the close', breakIt: (t) => t.insertAfter(CLOSED, 'receive', server('late')) },
  {
    check: 'V6',
    name: 'a heartbeat after the close',
    breakIt: (t) => t.insertAfter(CLOSED, 'send', { type: 'session.heartbeat' }),
  },
])

const REPLIES = from([
  { check: 'V4', name: 'a reply created twice', breakIt: (t) => t.duplicate(RESPONSE, { server_event_seq: null }) },
  {
    check: 'V4',
    name: 'audio of an unknown reply',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'response_id', 'resp_9').set(`${TRANSCRIPT}#1`, 'response_id', 'resp_9'),
  },
  { check: 'V4', name: 'a reply that ends twice', breakIt: (t) => t.duplicate(DONE, { server_event_seq: null }) },
  {
    check: 'V4',
    name: 'a reply that never ends',
    breakIt: (t) => t.remove(DONE).renumber('server_event_seq'),
  },
  { check: 'V4', name: 'another output rate', breakIt: (t) => t.set(AUDIO, 'sample_rate_hz', 16000) },
  {
    check: 'V4',
    name: 'a duration of the delta, not of the reply so far',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 100),
  },
  {
    check: 'V4',
    name: 'a duration more than a millisecond off',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 201.01),
  },
  {
    check: 'V4',
    name: 'audio without its transcript',
    breakIt: (t) => t.remove(`${TRANSCRIPT}#1`).renumber('server_event_seq'),
  },
  {
    check: 'V4',
    name: 'more transcript than audio in a cancelled reply',
    breakIt: (t) =>
      t
        .remove(`${AUDIO}#1`)
        .renumber('server_event_seq')
        .set(DONE, 'response.status', 'cancelled')
        .set(DONE, 'response.status_details.reason', 'barge_in'),
  },
  {
    check: 'V4',
    name: 'listening in place of an unknown reply',
    breakIt: (t) => t.insertAfter(RESPONSE, 'receive', server('response.listen', { response_id: 'resp_9' })),
  },
  { check: 'V5', name: 'a reply that failed', breakIt: (t) => t.set(DONE, 'response.status', 'failed') },
  { check: 'V5', name: 'an unknown status', breakIt: (t) => t.set(DONE, 'response.status', undefined) },
  {
    check: 'V5',
    name: 'a cancel without a reason',
    breakIt: (t) => t.set(DONE, 'response.status', 'cancelled').set(DONE, 'response.status_details', null),
  },
  {
    check: 'V5',
    name: 'an error',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('error', { error: { code: 'event_too_large' } })),
  },
  {
    check: 'V5',
    name: 'a flat error',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('error', { error: 'no', code: 'config_timeout' })),
  },
  {
    check: 'V5',
    name: 'a refusal in band',
    breakIt: (t) => {
      for (const type of ['created', 'updated', 'closed']) t.removeAll(`receive session.${type}`)
      return t.removeAllBetween(APPEND, 'send session.close').insertAfter(UPDATE, 'receive', REFUSAL)
    },
    implied: ['C8', 'V1', 'V6'],
  },
])

const CONTINUOUS: readonly BrokenTrace[] = from([
  {
    check: 'V7',
    name: 'output that is no whole frame',
    breakIt: (t) => continuous(t).set(`${AUDIO}#1`, 'delta', audioOfSamples(1_920 * 5 - 2)),
  },
  {
    check: 'V7',
    name: 'five frames too few',
    breakIt: (t) =>
      withAudio(continuous(t), AUDIO, 1_920 * 5, 400).set(`${AUDIO}#1`, 'metadata.audio_duration_ms', 800),
  },
  {
    check: 'V7',
    name: 'a second reply',
    breakIt: (t) =>
      continuous(t)
        .insertAfter(DONE, 'receive', { ...server('response.listen', { response_id: 'resp_1' }), event_id: 'event_l' })
        .insertAfter(DONE, 'receive', server('response.created', { response_id: 'resp_1', response: {} })),
  },
]).map((row) => ({ ...row, isContinuous: true }))

export const BROKEN_VLLM: readonly BrokenTrace[] = [...COMMON, ...SESSION, ...REPLIES, ...CONTINUOUS]
export { continuous as continuousVllm }
