/** Valid traces with one thing broken: checks O1 to O12, and C1 to C9 where they differ for this protocol. */
import type { BrokenTrace } from './broken-traces.js'

const CREATED = 'receive session.created'
const UPDATE = 'send session.update'
const UPDATED = 'receive session.updated'
const APPEND = 'send input_audio_buffer.append'
const STARTED = 'receive input_audio_buffer.speech_started'
const STOPPED = 'receive input_audio_buffer.speech_stopped'
const COMMITTED = 'receive input_audio_buffer.committed'
const RESPONSE = 'receive response.created'
const TRANSCRIPT = 'receive response.output_audio_transcript.delta'
const AUDIO = 'receive response.output_audio.delta'
const AUDIO_DONE = 'receive response.output_audio.done'
const DONE = 'receive response.done'
const TRUNCATE = 'send conversation.item.truncate'

const ERROR = 'error'
const server = (type: string, fields: Record<string, unknown> = {}) => ({ type, event_id: 'event_extra', ...fields })
const error = (code: string | null, message: string, causeId: string | null = null) =>
  server(ERROR, { error: { type: 'invalid_request_error', code, message, param: null, event_id: causeId } })
const TOO_SHORT = 'Audio content of 100ms is already shorter than 2000ms'

/** Rows of this file all begin from the same session. */
const from = (rows: readonly Omit<BrokenTrace, 'base'>[]): readonly BrokenTrace[] =>
  rows.map((row) => ({ ...row, base: 'openai' }))

const COMMON = from([
  { check: 'C4', name: 'a client id used twice', breakIt: (t) => t.set(TRUNCATE, 'event_id', 'c_update') },
  { check: 'C4', name: 'an empty client id', breakIt: (t) => t.set(TRUNCATE, 'event_id', '') },
  { check: 'C4', name: 'a server event without an id', breakIt: (t) => t.set(COMMITTED, 'event_id', undefined) },
  {
    check: 'C6',
    name: 'a refusal that is none',
    breakIt: (t) => t.insertBefore(CREATED, 'admission', { type: 'connection_denied', http_status: 101, attempt: 1 }),
  },
  { check: 'C7', name: 'a content_index as a string', breakIt: (t) => t.set(TRANSCRIPT, 'content_index', '0') },
  {
    check: 'C8',
    name: 'a session without audio',
    breakIt: (t) => t.removeAll(APPEND).removeAll(STARTED).removeAll(STOPPED).removeAll(COMMITTED),
    // Nobody spoke, so no turn can have cut the first reply.
    implied: ['O7'],
  },
  {
    check: 'C9',
    name: 'output audio in the URL alphabet',
    breakIt: (t) => t.set(AUDIO, 'delta', 'AQ__'),
    implied: ['O6'],
  },
])

const SETUP = from([
  { check: 'O1', name: 'a second session.created', breakIt: (t) => t.duplicate(CREATED) },
  { check: 'O1', name: 'no session.created', breakIt: (t) => t.remove(CREATED) },
  { check: 'O1', name: 'a session without an id', breakIt: (t) => t.set(CREATED, 'session.id', undefined) },
  {
    check: 'O1',
    name: 'an event before the session exists',
    breakIt: (t) => t.insertBefore(CREATED, 'receive', server('rate_limits.updated')),
  },
  { check: 'O2', name: 'audio before session.updated', breakIt: (t) => t.moveBefore(APPEND, UPDATED) },
  {
    check: 'O2',
    name: 'audio before the session exists, without any update',
    breakIt: (t) => t.remove(UPDATE, UPDATED).moveBefore(APPEND, CREATED),
  },
  {
    check: 'O3',
    name: 'an update without an answer',
    breakIt: (t) => t.insertAfter(UPDATED, 'send', { type: 'session.update', session: { type: 'realtime' } }),
  },
  { check: 'O3', name: 'an answer to nothing', breakIt: (t) => t.duplicate(UPDATED) },
  {
    check: 'O3',
    name: 'an update without an answer, and an error that names another event',
    breakIt: (t) =>
      t
        .insertAfter(UPDATED, 'receive', error('invalid_value', 'no', 'c_append_0'))
        .insertAfter(UPDATED, 'send', { type: 'session.update', event_id: 'c_2', session: { type: 'realtime' } }),
    implied: ['O10'],
  },
  {
    check: 'O4',
    name: 'another output format',
    breakIt: (t) => t.set(UPDATED, 'session.audio.output.format', { type: 'audio/pcmu' }),
  },
  {
    check: 'O4',
    name: 'another output rate',
    breakIt: (t) => t.set(UPDATED, 'session.audio.output.format.rate', 16000),
  },
  {
    check: 'O4',
    name: 'an answer without an output format',
    breakIt: (t) => t.set(UPDATED, 'session.audio.output', {}),
  },
  {
    check: 'O4',
    name: 'another output format than the default, where none was asked for',
    breakIt: (t) =>
      t
        .set(UPDATE, 'session.audio.output', undefined)
        .set(UPDATED, 'session.audio.output.format', { type: 'audio/pcma' }),
  },
  {
    check: 'O4',
    name: 'another turn detection',
    breakIt: (t) => t.set(UPDATED, 'session.audio.input.turn_detection.type', 'semantic_vad'),
  },
  {
    check: 'O4',
    name: 'turn detection that was not wanted',
    breakIt: (t) => t.set(UPDATE, 'session.audio.input.turn_detection', null),
  },
  {
    check: 'O4',
    name: 'a turn detection that was dropped',
    breakIt: (t) => t.set(UPDATED, 'session.audio.input.turn_detection', null),
  },
  {
    check: 'O12',
    name: 'a receipt of the session protocol',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('sglang.input_audio.accepted', { seq: 0 })),
  },
  {
    check: 'O12',
    name: 'an end of input of the session protocol',
    breakIt: (t) => t.insertAfter(`${APPEND}#last`, 'send', { type: 'sglang.input_audio.end' }),
  },
])

const REPLIES = from([
  {
    check: 'O5',
    name: 'a reply created twice',
    breakIt: (t) => t.duplicate(RESPONSE),
  },
  { check: 'O5', name: 'a reply without a status', breakIt: (t) => t.set(RESPONSE, 'response.status', undefined) },
  { check: 'O5', name: 'audio of an unknown reply', breakIt: (t) => t.set(AUDIO, 'response_id', 'resp_9') },
  { check: 'O5', name: 'a transcript without a reply', breakIt: (t) => t.set(TRANSCRIPT, 'response_id', undefined) },
  { check: 'O5', name: 'audio after the reply ended', breakIt: (t) => t.moveAfter(AUDIO, DONE) },
  {
    check: 'O5',
    name: 'an unknown event of an unknown reply',
    breakIt: (t) => t.insertAfter(RESPONSE, 'receive', server('response.novelty', { response_id: 'resp_9' })),
  },
  { check: 'O6', name: 'audio of another item', breakIt: (t) => t.set(`${AUDIO}#1`, 'item_id', 'item_9') },
  { check: 'O6', name: 'audio without an item', breakIt: (t) => t.set(`${AUDIO}#2`, 'item_id', undefined) },
  { check: 'O6', name: 'audio of another part', breakIt: (t) => t.set(`${AUDIO}#1`, 'content_index', 1) },
  { check: 'O6', name: 'audio after the end of its part', breakIt: (t) => t.moveAfter(`${AUDIO}#1`, AUDIO_DONE) },
  { check: 'O7', name: 'a reply that ends twice', breakIt: (t) => t.duplicate(DONE) },
  { check: 'O7', name: 'an unknown status', breakIt: (t) => t.set(`${DONE}#1`, 'response.status', 'finished') },
  {
    check: 'O7',
    name: 'a reply that failed',
    breakIt: (t) =>
      t
        .set(`${DONE}#1`, 'response.status', 'failed')
        .set(`${DONE}#1`, 'response.status_details', { type: 'failed', error: { type: 'server_error', code: 'oom' } }),
  },
  {
    check: 'O7',
    name: 'a reply cut by speech that never was',
    breakIt: (t) => t.removeAll(STARTED),
    // Speech that only ever stops does not alternate, either.
    implied: ['O8'],
  },
  {
    check: 'O7',
    name: 'a reply cancelled by a client that did not',
    breakIt: (t) => t.set(DONE, 'response.status_details.reason', 'client_cancelled'),
  },
  { check: 'O11', name: 'a reply that never ends', breakIt: (t) => t.remove(`${DONE}#1`) },
])

const SPEECH = from([
  { check: 'O8', name: 'speech that starts twice', breakIt: (t) => t.duplicate(STARTED) },
  { check: 'O8', name: 'speech that never stops', breakIt: (t) => t.remove(STOPPED, COMMITTED) },
  { check: 'O8', name: 'a stop before its start', breakIt: (t) => t.set(`${STOPPED}#1`, 'audio_end_ms', 200) },
  { check: 'O8', name: 'a start before the last stop', breakIt: (t) => t.set(`${STARTED}#1`, 'audio_start_ms', 150) },
  {
    check: 'O8',
    name: 'a start that reaches back further than the padding',
    breakIt: (t) =>
      t
        .set(UPDATED, 'session.audio.input.turn_detection.prefix_padding_ms', 20)
        .set(`${STARTED}#1`, 'audio_start_ms', 139),
  },
  { check: 'O8', name: 'speech in audio not yet sent', breakIt: (t) => t.set(`${STOPPED}#1`, 'audio_end_ms', 481) },
  { check: 'O8', name: 'a start without a time', breakIt: (t) => t.set(STARTED, 'audio_start_ms', undefined) },
  { check: 'O9', name: 'a turn of another item', breakIt: (t) => t.set(COMMITTED, 'item_id', 'item_9') },
  { check: 'O9', name: 'a turn that is taken in before it ends', breakIt: (t) => t.moveBefore(COMMITTED, STOPPED) },
  {
    check: 'O9',
    name: 'a second turn for one commit of the client',
    breakIt: (t) =>
      t
        .insertAfter(`${APPEND}#last`, 'receive', server('input_audio_buffer.committed', { item_id: 'item_u3' }))
        .insertAfter(`${APPEND}#last`, 'receive', {
          ...server('input_audio_buffer.committed', { item_id: 'item_u2' }),
          event_id: 'event_extra_2',
        })
        .insertAfter(`${APPEND}#last`, 'send', { type: 'input_audio_buffer.commit' }),
  },
])

const ERRORS = from([
  {
    check: 'O10',
    name: 'an error',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', error('invalid_value', 'no')),
  },
  {
    check: 'O10',
    name: 'an expired session',
    breakIt: (t) => t.insertAfter(`${APPEND}#last`, 'receive', error('session_expired', 'Your session hit its limit')),
  },
  {
    check: 'O10',
    name: 'a refused update, which has its answer in the error',
    breakIt: (t) =>
      t
        .insertAfter(UPDATED, 'receive', error('invalid_value', 'no', 'c_2'))
        .insertAfter(UPDATED, 'send', { type: 'session.update', event_id: 'c_2', session: { type: 'realtime' } }),
  },
  {
    check: 'O10',
    name: 'a truncation that nobody asked for',
    breakIt: (t) => t.remove(TRUNCATE).insertAfter(`${APPEND}#last`, 'receive', error('invalid_value', TOO_SHORT)),
  },
  {
    check: 'O10',
    name: 'words about truncation, named after another event',
    breakIt: (t) =>
      t.insertAfter(`${APPEND}#last`, 'receive', error('invalid_value', 'Invalid truncation', 'c_append_0')),
  },
  {
    check: 'O10',
    name: 'a cancel refused while a reply is open',
    breakIt: (t) =>
      t
        .insertAfter(RESPONSE, 'receive', error('invalid_value', 'no such response', 'c_cancel'))
        .insertAfter(RESPONSE, 'send', { type: 'response.cancel', event_id: 'c_cancel', response_id: 'resp_9' }),
  },
  {
    check: 'O10',
    name: 'nothing to cancel for a client that cancelled nothing',
    breakIt: (t) =>
      t.insertAfter(`${APPEND}#last`, 'receive', error('response_cancel_not_active', 'no active response found')),
  },
])

export const BROKEN_OPENAI: readonly BrokenTrace[] = [...COMMON, ...SETUP, ...REPLIES, ...SPEECH, ...ERRORS]
