/** Valid traces with one thing broken: checks C1 to C9. */
import { audioOfSamples } from '../helpers/trace-mutations.js'
import type { BrokenTrace } from './broken-traces.js'

const CREATED = 'receive session.created'
const ENDED = 'receive sglang.input_audio.ended'
const DENIED = 'admission connection_denied'
const TRANSCRIPT = 'receive response.output_audio_transcript.delta'
const ERROR = { type: 'error', event_id: 'evt_error', error: { code: 'invalid_state', message: 'no' } }

export const BROKEN_COMMON: readonly BrokenTrace[] = [
  { check: 'C1', name: 'a line that is not JSON', base: 'minicpmo', breakIt: (t) => t.appendText('oops\n') },
  { check: 'C1', name: 'an empty line', base: 'minicpmo', breakIt: (t) => t.appendText('\n') },
  {
    check: 'C1',
    name: 'a line with a fourth key',
    base: 'minicpmo',
    breakIt: (t) => t.replaceText(ENDED, '"direction"', '"note":1,"direction"'),
    // The line is no record, so its event never happened.
    implied: ['N9', 'N20'],
  },
  {
    check: 'C1',
    name: 'a last line cut off by a crash',
    base: 'legacy',
    breakIt: (t) => t.appendText('{"direction":"rec'),
  },
  { check: 'C2', name: 'a line before the one above it', base: 'minicpmo', breakIt: (t) => t.setTime(ENDED, 1) },
  {
    check: 'C3',
    name: 'a received event without a type',
    base: 'minicpmo',
    breakIt: (t) => t.insertAfter(CREATED, 'receive', { event_id: 'evt_untyped' }),
  },
  {
    check: 'C3',
    name: 'a sent event with an empty type',
    base: 'turn',
    breakIt: (t) => t.insertAfter(CREATED, 'send', { type: '', event_id: 'c_untyped' }),
  },
  {
    check: 'C4',
    name: 'a server id used twice',
    base: 'minicpmo',
    breakIt: (t) => t.set(ENDED, 'event_id', 'evt_000'),
  },
  {
    check: 'C4',
    name: 'a server event without an id',
    base: 'legacy',
    breakIt: (t) => t.set(CREATED, 'event_id', undefined),
  },
  {
    check: 'C4',
    name: 'a client id used twice',
    base: 'minicpmo',
    breakIt: (t) => t.set('send session.close', 'event_id', 'c_end'),
    // session.closed names an event that is gone.
    implied: ['N10'],
  },
  {
    check: 'C5',
    name: 'a failure on the client side',
    base: 'turn',
    breakIt: (t) => t.insertAfter('receive session.closed', 'error', { message: 'Error: socket closed' }),
  },
  { check: 'C6', name: 'a gap in the attempts', base: 'nemotron', breakIt: (t) => t.set(DENIED, 'attempt', 2) },
  { check: 'C6', name: 'a refusal in the middle', base: 'nemotron', breakIt: (t) => t.moveAfter(DENIED, CREATED) },
  { check: 'C6', name: 'another status than 503', base: 'nemotron', breakIt: (t) => t.set(DENIED, 'http_status', 500) },
  {
    check: 'C6',
    name: 'more refusals than the run allows',
    base: 'nemotron',
    admissionRetryLimit: 0,
    breakIt: (t) => t,
  },
  {
    check: 'C7',
    name: 'a seq written as 0.0',
    base: 'minicpmo',
    breakIt: (t) => t.replaceText('receive sglang.input_audio.accepted', '"seq":0', '"seq":0.0'),
  },
  {
    check: 'C7',
    name: 'a content_index written as 1e0',
    base: 'legacy',
    breakIt: (t) => t.replaceText('receive response.audio.delta', '"content_index":1', '"content_index":1e0'),
  },
  {
    check: 'C7',
    name: 'a seq as a string',
    base: 'minicpmo',
    breakIt: (t) => t.set('receive sglang.input_audio.accepted#3', 'seq', '3'),
    implied: ['N12'],
  },
  {
    check: 'C7',
    name: 'an empty sglang id',
    base: 'minicpmo',
    breakIt: (t) => t.set(TRANSCRIPT, 'sglang.unit_id', ''),
  },
  { check: 'C7', name: 'an empty item id', base: 'minicpmo', breakIt: (t) => t.set(TRANSCRIPT, 'item_id', '') },
  { check: 'C7', name: 'an sglang block of null', base: 'minicpmo', breakIt: (t) => t.set(TRANSCRIPT, 'sglang', null) },
  {
    check: 'C7',
    name: 'a session with an sglang block of null',
    base: 'personaplex',
    breakIt: (t) => t.set(CREATED, 'session.sglang', null),
  },
  {
    check: 'C7',
    name: 'a fatal flag as a string',
    base: 'minicpmo',
    breakIt: (t) => t.insertAfter(CREATED, 'receive', { ...ERROR, sglang: { fatal: 'false' } }),
    implied: ['N38'],
  },
  {
    check: 'C7',
    name: 'negative milliseconds',
    base: 'legacy',
    breakIt: (t) => t.set('receive input_audio_buffer.speech_started', 'audio_start_ms', -1),
  },
  {
    check: 'C8',
    name: 'a session without audio',
    base: 'whole',
    breakIt: (t) =>
      t
        .removeAll('send input_audio_buffer.append')
        .removeAll('receive sglang.input_audio.accepted')
        .removeAll('receive sglang.unit.done')
        .set(ENDED, 'accepted_end_ms', 0)
        .set('receive sglang.input_audio.drained', 'accepted_end_ms', 0)
        .set('receive sglang.input_audio.drained', 'consumed_ms', 0),
  },
  {
    check: 'C9',
    name: 'output audio in the URL alphabet',
    base: 'minicpmo',
    breakIt: (t) => t.set('receive response.output_audio.delta', 'delta', 'AQ__'),
    // The rules of replies ask for valid samples, too.
    implied: ['N31'],
  },
  {
    check: 'C9',
    name: 'an odd number of output bytes',
    base: 'legacy',
    breakIt: (t) => t.set('receive response.audio.delta', 'delta', 'AQAB'),
    implied: ['L12'],
  },
  {
    check: 'C9',
    name: 'input audio without padding',
    base: 'whole',
    breakIt: (t) => t.set('send input_audio_buffer.append#last', 'audio', audioOfSamples(640).slice(0, -1)),
    // What cannot be decoded is no input: nothing adds up any more.
    implied: ['N13', 'N19', 'N21', 'N27'],
  },
]
