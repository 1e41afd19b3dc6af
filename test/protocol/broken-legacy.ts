/** Valid traces with one thing broken: checks L1 to L15 (L8 only permits, and has its own test). */
import type { BrokenTrace } from './broken-traces.js'

const CREATED = 'receive session.created'
const UPDATE = 'send session.update'
const PROBE = 'send session.update#1'
const UPDATED = 'receive session.updated'
const APPEND = 'send input_audio_buffer.append'
const STARTED = 'receive input_audio_buffer.speech_started'
const CLEARED = 'receive output_audio_buffer.cleared'
const RESPONSE = 'receive response.created'
const TEXT = 'receive response.text.delta'
const AUDIO = 'receive response.audio.delta'
const AUDIO_DONE = 'receive response.audio.done'
const DONE = 'receive response.done'

const server = (type: string, fields: Record<string, unknown> = {}) => ({ type, event_id: 'evt_extra', ...fields })

const SETUP: readonly BrokenTrace[] = [
  { check: 'L1', name: 'a second session.created', base: 'legacy', breakIt: (t) => t.duplicate(CREATED) },
  { check: 'L1', name: 'a probe without an answer', base: 'legacy', breakIt: (t) => t.remove(`${UPDATED}#1`) },
  {
    check: 'L1',
    name: 'a session without an id',
    base: 'legacy',
    breakIt: (t) => t.set(CREATED, 'session.id', undefined),
  },
  {
    check: 'L1',
    name: 'no probe',
    base: 'legacy',
    breakIt: (t) => t.remove(PROBE),
    // The answer to the missing probe answers nothing.
    implied: ['L4'],
  },
  {
    check: 'L2',
    name: 'an update before the session exists',
    base: 'legacy',
    breakIt: (t) => t.moveBefore(UPDATE, CREATED),
  },
  {
    check: 'L2',
    name: 'no turn detection asked for',
    base: 'legacy',
    breakIt: (t) => t.set(UPDATE, 'session.turn_detection', null),
  },
  {
    check: 'L2',
    name: 'no audio asked for',
    base: 'legacy',
    breakIt: (t) => t.set(UPDATE, 'session.modalities', ['text']),
  },
  {
    check: 'L3',
    name: 'a probe that changes something',
    base: 'legacy',
    breakIt: (t) => t.set(PROBE, 'session', { voice: 'a' }),
  },
  {
    check: 'L3',
    name: 'a probe without a session',
    base: 'legacy',
    breakIt: (t) => t.set(PROBE, 'session', undefined),
  },
  {
    check: 'L3',
    name: 'a probe before any audio',
    base: 'legacy',
    breakIt: (t) => t.moveAfter(PROBE, UPDATED),
    // All audio then comes after the probe.
    implied: ['L6'],
  },
  {
    check: 'L4',
    name: 'an answer before the probe',
    base: 'legacy',
    breakIt: (t) => t.moveBefore(`${UPDATED}#1`, PROBE),
  },
  {
    check: 'L4',
    name: 'a session that changes its id',
    base: 'legacy',
    breakIt: (t) => t.set(`${UPDATED}#1`, 'session.id', 'b'),
  },
  {
    check: 'L5',
    name: 'another turn detection echoed',
    base: 'legacy',
    breakIt: (t) => t.set(UPDATED, 'session.turn_detection.type', 'semantic_vad'),
  },
  {
    check: 'L5',
    name: 'a fallback to text',
    base: 'legacy',
    breakIt: (t) => t.set(UPDATED, 'session.modalities', ['text']),
  },
  { check: 'L6', name: 'audio before session.updated', base: 'legacy', breakIt: (t) => t.moveBefore(APPEND, UPDATED) },
  { check: 'L6', name: 'audio after the probe', base: 'legacy', breakIt: (t) => t.moveAfter(`${APPEND}#last`, PROBE) },
  {
    check: 'L6',
    name: 'a gap in the packet numbers',
    base: 'legacy',
    breakIt: (t) => t.set(`${APPEND}#last`, 'sglang.seq', 5),
  },
  {
    check: 'L6',
    name: 'a packet without a number',
    base: 'legacy',
    breakIt: (t) => t.set(APPEND, 'sglang', undefined),
  },
  { check: 'L6', name: 'a wrong start', base: 'legacy', breakIt: (t) => t.set(`${APPEND}#1`, 'sglang.t_start_ms', 81) },
  {
    check: 'L7',
    name: 'a close as in the session protocol',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(PROBE, 'send', { type: 'session.close', event_id: 'c_close' }),
  },
]

const REPLIES: readonly BrokenTrace[] = [
  {
    check: 'L9',
    name: 'a cut of an unknown reply',
    base: 'legacy',
    breakIt: (t) => t.set(CLEARED, 'response_id', 'resp_9'),
  },
  {
    check: 'L9',
    name: 'lost input',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('input_audio_buffer.cleared')),
  },
  {
    check: 'L10',
    name: 'a reply before session.updated',
    base: 'legacy',
    breakIt: (t) => t.moveBefore(RESPONSE, UPDATED),
  },
  { check: 'L10', name: 'a reply created twice', base: 'legacy', breakIt: (t) => t.duplicate(RESPONSE) },
  {
    check: 'L10',
    name: 'a reply without a status',
    base: 'legacy',
    breakIt: (t) => t.set(RESPONSE, 'response.status', undefined),
  },
  {
    check: 'L11',
    name: 'text of an unknown reply',
    base: 'legacy',
    breakIt: (t) => t.set(TEXT, 'response_id', 'resp_9'),
  },
  { check: 'L11', name: 'a reply that ends twice', base: 'legacy', breakIt: (t) => t.duplicate(DONE) },
  { check: 'L12', name: 'audio at content index 0', base: 'legacy', breakIt: (t) => t.set(AUDIO, 'content_index', 0) },
  {
    check: 'L12',
    name: 'audio of another item',
    base: 'legacy',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'item_id', 'item_9'),
  },
  { check: 'L12', name: 'two audio.done', base: 'legacy', breakIt: (t) => t.duplicate(AUDIO_DONE) },
  { check: 'L12', name: 'a completed reply without audio.done', base: 'legacy', breakIt: (t) => t.remove(AUDIO_DONE) },
  {
    check: 'L12',
    name: 'a completed reply without any audio',
    base: 'legacy',
    breakIt: (t) => t.remove(`${AUDIO}#last`, AUDIO_DONE),
  },
  { check: 'L13', name: 'text that is no string', base: 'legacy', breakIt: (t) => t.set(TEXT, 'delta', 7) },
  {
    check: 'L13',
    name: 'an event of another dialect',
    base: 'legacy',
    breakIt: (t) =>
      t.insertAfter(RESPONSE, 'receive', server('response.audio_transcript.delta', { response_id: 'resp_0' })),
  },
  {
    check: 'L14',
    name: 'a reply cancelled by the client',
    base: 'legacy',
    breakIt: (t) => t.set(DONE, 'response.status_details.reason', 'client_cancelled'),
  },
  {
    check: 'L14',
    name: 'a reply that failed',
    base: 'legacy',
    breakIt: (t) => t.set(`${DONE}#1`, 'response.status', 'failed'),
  },
  {
    check: 'L14',
    name: 'a turn detected before the reply was open',
    base: 'legacy',
    breakIt: (t) => t.moveBefore(`${STARTED}#1`, RESPONSE),
  },
  {
    check: 'L15',
    name: 'an error',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('error', { sglang: { fatal: false } })),
  },
  {
    check: 'L15',
    name: 'a receipt of the session protocol',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('sglang.input_audio.accepted', { seq: 0 })),
  },
  {
    check: 'L15',
    name: 'a session.closed',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(`${UPDATED}#1`, 'receive', server('session.closed')),
  },
  {
    check: 'L15',
    name: 'an event nobody knows',
    base: 'legacy',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', server('rate_limits.updated')),
  },
]

export const BROKEN_LEGACY: readonly BrokenTrace[] = [...SETUP, ...REPLIES]
