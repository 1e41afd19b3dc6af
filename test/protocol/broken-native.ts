/** Valid traces with one thing broken: checks N1 to N41. */
import { audioOfSamples } from '../helpers/trace-mutations.js'
import type { BrokenTrace } from './broken-traces.js'

const CREATED = 'receive session.created'
const UPDATE = 'send session.update'
const UPDATED = 'receive session.updated'
const APPEND = 'send input_audio_buffer.append'
const ACCEPTED = 'receive sglang.input_audio.accepted'
const END = 'send sglang.input_audio.end'
const ENDED = 'receive sglang.input_audio.ended'
const UNIT = 'receive sglang.unit.done'
const DRAINED = 'receive sglang.input_audio.drained'
const CLOSE = 'send session.close'
const CLOSED = 'receive session.closed'
const RESPONSE = 'receive response.created'
const AUDIO = 'receive response.output_audio.delta'
const AUDIO_DONE = 'receive response.output_audio.done'
const TRANSCRIPT = 'receive response.output_audio_transcript.delta'
const DONE = 'receive response.done'
const GRANTED = 'session.sglang.granted'

const unit = (number: number, startMs: number, durationMs: number) => ({
  type: 'sglang.unit.done',
  event_id: `evt_unit_${number}`,
  unit_id: `unit_${number}`,
  sglang: { unit_id: `unit_${number}`, media_time: { t_start_ms: startMs, duration_ms: durationMs } },
})

/** Every field of the grant with a value that is almost right. */
const ALMOST_GRANTED: readonly (readonly [string, unknown])[] = [
  ['interaction', 'turn_based'],
  ['native_full_duplex', 1],
  ['input_audio_format.rate', 24000],
  ['input_audio_format.type', 'audio/wav'],
  ['output_audio_format.rate', '24000'],
  ['output_audio_format', null],
  ['native_unit_ms', 80],
  ['tail_policy', 'flush'],
  ['microturn_ms', 'variable'],
  ['microturn_ms', undefined],
  ['client_commit', true],
  ['proactive_output', 0],
  ['pressure_policy', 'drop'],
  ['strict_order', 'true'],
  ['supports_server_interrupt', true],
  ['supports_resume', null],
]

const ORDER: readonly BrokenTrace[] = [
  {
    check: 'N1',
    name: 'an update before the session exists',
    base: 'minicpmo',
    breakIt: (t) => t.moveBefore(UPDATE, CREATED),
  },
  {
    check: 'N2',
    name: 'audio before session.updated',
    base: 'minicpmo',
    breakIt: (t) => t.moveBefore(APPEND, UPDATED),
  },
  {
    check: 'N2',
    name: 'audio after the end of input',
    base: 'minicpmo',
    breakIt: (t) => t.moveAfter(`${ACCEPTED}#last`, END).moveAfter(`${APPEND}#last`, END),
  },
  {
    check: 'N3',
    name: 'a gap in the packet numbers',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${APPEND}#last`, 'sglang.seq', 13).set(`${ACCEPTED}#last`, 'seq', 13),
  },
  {
    check: 'N3',
    name: 'a repeated packet number',
    base: 'turn',
    breakIt: (t) => t.set(`${APPEND}#last`, 'sglang.seq', 8).set(`${ACCEPTED}#last`, 'seq', 8),
  },
  {
    check: 'N4',
    name: 'a start two ten-millionths of a millisecond off',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${APPEND}#1`, 'sglang.t_start_ms', 80.0000002),
  },
  {
    check: 'N5',
    name: 'the end of input before session.updated',
    base: 'minicpmo',
    breakIt: (t) => t.moveBefore(END, UPDATED),
    // All audio then comes after the end of input.
    implied: ['N2'],
  },
  { check: 'N6', name: 'a close before drained', base: 'minicpmo', breakIt: (t) => t.moveBefore(CLOSE, DRAINED) },
  {
    check: 'N7',
    name: 'a cancel',
    base: 'minicpmo',
    breakIt: (t) => t.insertAfter(RESPONSE, 'send', { type: 'response.cancel', event_id: 'c_cancel' }),
  },
  {
    check: 'N7',
    name: 'a commit on a server that allows it',
    base: 'turn',
    breakIt: (t) => t.insertAfter(UPDATED, 'send', { type: 'input_audio_buffer.commit', event_id: 'c_commit' }),
  },
  {
    check: 'N8',
    name: 'a receipt after session.closed',
    base: 'minicpmo',
    breakIt: (t) => t.moveAfter(`${ACCEPTED}#last`, CLOSED),
  },
  {
    check: 'N9',
    name: 'a socket that ended without session.closed',
    base: 'minicpmo',
    breakIt: (t) => t.remove(CLOSED),
  },
  { check: 'N9', name: 'a second session.created', base: 'turn', breakIt: (t) => t.duplicate(CREATED) },
  {
    check: 'N9',
    name: 'no ended',
    base: 'minicpmo',
    breakIt: (t) => t.remove(ENDED),
    implied: ['N20'],
  },
]

const ACKNOWLEDGEMENTS: readonly BrokenTrace[] = [
  {
    check: 'N10',
    name: 'a close that answers the end of input',
    base: 'minicpmo',
    breakIt: (t) => t.set(CLOSED, 'client_event_id', 'c_end'),
  },
  {
    check: 'N10',
    name: 'a close that answers nothing',
    base: 'turn',
    breakIt: (t) => t.set(CLOSED, 'client_event_id', null),
  },
  { check: 'N10', name: 'an answer before the question', base: 'minicpmo', breakIt: (t) => t.moveBefore(ENDED, END) },
  { check: 'N11', name: 'a packet accepted twice', base: 'minicpmo', breakIt: (t) => t.duplicate(`${ACCEPTED}#3`) },
  {
    check: 'N12',
    name: 'a receipt with another number',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${ACCEPTED}#3`, 'seq', 4),
  },
  {
    check: 'N13',
    name: 'a receipt off by less than a sample at 16 kHz',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${ACCEPTED}#3`, 'accepted_end_ms', 320.0000001),
  },
  {
    check: 'N13',
    name: 'a receipt off by more than the tolerance at 24 kHz',
    base: 'personaplex',
    breakIt: (t) => t.set(`${ACCEPTED}#2`, 'accepted_end_ms', 240.0000011),
  },
  {
    check: 'N14',
    name: 'a packet that was never accepted',
    base: 'minicpmo',
    breakIt: (t) => t.remove(`${ACCEPTED}#4`),
  },
]

const SESSION: readonly BrokenTrace[] = [
  {
    check: 'N15',
    name: 'a session that changes its id',
    base: 'minicpmo',
    breakIt: (t) => t.set(UPDATED, 'session.id', 'other'),
  },
  {
    check: 'N15',
    name: 'a session without an id',
    base: 'turn',
    breakIt: (t) => t.set(CREATED, 'session.id', undefined),
  },
  ...ALMOST_GRANTED.map(
    ([field, value]): BrokenTrace => ({
      check: 'N16',
      name: `a grant with ${field} ${JSON.stringify(value)}`,
      base: 'minicpmo',
      breakIt: (t) => t.set(UPDATED, `${GRANTED}.${field}`, value),
    }),
  ),
  { check: 'N16', name: 'no grant', base: 'minicpmo', breakIt: (t) => t.set(UPDATED, GRANTED, null) },
  {
    check: 'N16',
    name: 'a unit written as 1000.0',
    base: 'minicpmo',
    breakIt: (t) => t.replaceText(UPDATED, '"native_unit_ms":1000', '"native_unit_ms":1000.0'),
  },
  {
    check: 'N16',
    name: 'a unit written as 80.0',
    base: 'nemotron',
    breakIt: (t) => t.replaceText(UPDATED, '"native_unit_ms":80', '"native_unit_ms":80.0'),
  },
  {
    check: 'N17',
    name: 'a grant of text alone',
    base: 'minicpmo',
    breakIt: (t) => t.set(UPDATED, `${GRANTED}.output_modalities`, ['text']),
  },
  {
    check: 'N17',
    name: 'modalities that are not all strings',
    base: 'minicpmo',
    breakIt: (t) => t.set(UPDATED, `${GRANTED}.output_modalities`, ['audio', 1]),
  },
  {
    check: 'N18',
    name: 'no word on truncation',
    base: 'minicpmo',
    breakIt: (t) => t.set(UPDATED, `${GRANTED}.supports_truncate`, undefined),
  },
]

const END_OF_INPUT_AND_UNITS: readonly BrokenTrace[] = [
  {
    check: 'N19',
    name: 'input missing at the end',
    base: 'minicpmo',
    breakIt: (t) => t.set(ENDED, 'accepted_end_ms', 1000),
  },
  { check: 'N19', name: 'a flushed tail', base: 'minicpmo', breakIt: (t) => t.set(ENDED, 'tail_policy', 'flush') },
  { check: 'N20', name: 'drained before ended', base: 'minicpmo', breakIt: (t) => t.moveAfter(ENDED, DRAINED) },
  { check: 'N21', name: 'no padding', base: 'minicpmo', breakIt: (t) => t.set(DRAINED, 'padding_ms', 0) },
  { check: 'N21', name: 'input not consumed', base: 'nemotron', breakIt: (t) => t.set(DRAINED, 'consumed_ms', 240) },
  { check: 'N21', name: 'input discarded', base: 'personaplex', breakIt: (t) => t.set(DRAINED, 'discarded_ms', 1) },
  {
    check: 'N22',
    name: 'a unit with a name of its own',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${UNIT}#1`, 'unit_id', 'unit_b'),
  },
  {
    check: 'N22',
    name: 'a unit without a media time',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${UNIT}#1`, 'sglang.media_time', undefined),
    implied: ['N25', 'N27'],
  },
  {
    check: 'N23',
    name: 'a gap in the units',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${UNIT}#1`, 'unit_id', 'unit_2').set(`${UNIT}#1`, 'sglang.media_time.t_start_ms', 2000),
  },
  {
    check: 'N23',
    name: 'a unit done twice',
    base: 'turn',
    breakIt: (t) => t.set(`${UNIT}#3`, 'unit_id', 'unit_2').set(`${UNIT}#3`, 'sglang.media_time.t_start_ms', 400),
  },
  {
    check: 'N24',
    name: 'a unit that starts elsewhere',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${UNIT}#1`, 'sglang.media_time.t_start_ms', 999.9375),
  },
  {
    check: 'N25',
    name: 'a unit cut in two',
    base: 'minicpmo',
    breakIt: (t) =>
      t.set(`${UNIT}#1`, 'sglang.media_time.duration_ms', 20).insertAfter(`${UNIT}#1`, 'receive', unit(2, 2000, 20)),
  },
  {
    check: 'N25',
    name: 'a unit that never came',
    base: 'minicpmo',
    breakIt: (t) => t.remove(`${UNIT}#1`),
    implied: ['N27'],
  },
  {
    check: 'N26',
    name: 'an empty unit after a short one',
    base: 'minicpmo',
    breakIt: (t) => t.insertAfter(`${UNIT}#1`, 'receive', unit(2, 2000, 0)),
  },
  {
    check: 'N26',
    name: 'two empty units',
    base: 'whole',
    breakIt: (t) =>
      t.insertBefore(DRAINED, 'receive', unit(1, 1000, 0)).insertBefore(DRAINED, 'receive', unit(2, 2000, 0)),
  },
  {
    check: 'N27',
    name: 'a unit that is a sample too long',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${UNIT}#1`, 'sglang.media_time.duration_ms', 40.0625),
  },
]

const RESPONSES: readonly BrokenTrace[] = [
  {
    check: 'N28',
    name: 'a reply before session.updated',
    base: 'minicpmo',
    breakIt: (t) => t.moveBefore(RESPONSE, UPDATED),
  },
  { check: 'N28', name: 'a reply created twice', base: 'turn', breakIt: (t) => t.duplicate(RESPONSE) },
  {
    check: 'N28',
    name: 'a reply that begins completed',
    base: 'minicpmo',
    breakIt: (t) => t.set(RESPONSE, 'response.status', 'completed'),
  },
  {
    check: 'N29',
    name: 'text of an unknown reply',
    base: 'minicpmo',
    breakIt: (t) => t.set(TRANSCRIPT, 'response_id', 'resp_9'),
  },
  {
    check: 'N29',
    name: 'text of a reply that has ended',
    base: 'turn',
    breakIt: (t) => t.moveAfter('receive response.output_text.done#last', `${DONE}#last`),
  },
  {
    check: 'N30',
    name: 'a reply that goes on between drained and close',
    base: 'minicpmo',
    breakIt: (t) => t.moveAfter(DONE, DRAINED),
    implied: ['N36'],
  },
  {
    check: 'N30',
    name: 'text after the close',
    base: 'minicpmo',
    breakIt: (t) => t.moveAfter(DONE, CLOSE).moveAfter(`${TRANSCRIPT}#1`, CLOSE),
    implied: ['N36'],
  },
  {
    check: 'N31',
    name: 'audio of another item',
    base: 'minicpmo',
    breakIt: (t) => t.set(`${AUDIO}#1`, 'item_id', 'item_9'),
  },
  { check: 'N31', name: 'audio without an item', base: 'turn', breakIt: (t) => t.set(AUDIO, 'item_id', undefined) },
  {
    check: 'N31',
    name: 'audio at content index 1',
    base: 'minicpmo',
    breakIt: (t) => t.set(AUDIO, 'content_index', 1),
  },
  {
    check: 'N31',
    name: 'audio without an output index',
    base: 'minicpmo',
    breakIt: (t) => t.set(AUDIO, 'output_index', undefined),
  },
  {
    check: 'N31',
    name: 'audio after audio.done',
    base: 'minicpmo',
    breakIt: (t) => t.moveBefore(AUDIO_DONE, `${AUDIO}#1`),
  },
  { check: 'N32', name: 'two audio.done', base: 'minicpmo', breakIt: (t) => t.duplicate(AUDIO_DONE) },
  { check: 'N32', name: 'no audio.done', base: 'turn', breakIt: (t) => t.remove(AUDIO_DONE) },
  {
    check: 'N33',
    name: 'a transcript that is no string',
    base: 'minicpmo',
    breakIt: (t) => t.set(TRANSCRIPT, 'delta', null),
  },
  {
    check: 'N34',
    name: 'an event of another dialect',
    base: 'minicpmo',
    breakIt: (t) =>
      t.insertAfter(RESPONSE, 'receive', {
        type: 'response.output_item.added',
        event_id: 'evt_item',
        response_id: 'resp_0',
      }),
  },
  {
    check: 'N35',
    name: 'a reply cut at its length',
    base: 'minicpmo',
    breakIt: (t) => t.set(DONE, 'response.status_details.reason', 'length'),
  },
  {
    check: 'N35',
    name: 'the reason of another profile',
    base: 'nemotron',
    breakIt: (t) => t.set(DONE, 'response.status_details.reason', 'input_audio_ended'),
  },
  {
    check: 'N35',
    name: 'a stop before the input has ended, where one reply lasts the session',
    base: 'nemotron',
    breakIt: (t) => t.moveAfter(ENDED, DONE).moveAfter(END, DONE),
  },
  {
    check: 'N35',
    name: 'a cancellation by a close that was not sent yet',
    base: 'minicpmo',
    breakIt: (t) =>
      t.set(DONE, 'response.status', 'cancelled').set(DONE, 'response.status_details.reason', 'client_closed'),
    implied: ['N37'],
  },
  {
    check: 'N36',
    name: 'a reply completed after the close',
    base: 'minicpmo',
    breakIt: (t) => t.moveAfter(DONE, CLOSE),
  },
  { check: 'N37', name: 'a reply that never ends', base: 'minicpmo', breakIt: (t) => t.remove(DONE) },
  {
    check: 'N37',
    name: 'a reply cancelled by the close',
    base: 'minicpmo',
    breakIt: (t) =>
      t
        .moveAfter(DONE, CLOSE)
        .set(DONE, 'response.status', 'cancelled')
        .set(DONE, 'response.status_details.reason', 'client_closed'),
  },
]

const REST: readonly BrokenTrace[] = [
  {
    check: 'N38',
    name: 'an error that is not fatal',
    base: 'minicpmo',
    breakIt: (t) =>
      t.insertAfter(UPDATED, 'receive', {
        type: 'error',
        event_id: 'evt_error',
        sglang: { fatal: false },
        error: { type: 'invalid_request_error', code: 'buffer_overflow', message: 'full', event_id: null },
      }),
  },
  {
    check: 'N38',
    name: 'a client that goes on after a fatal error',
    base: 'whole',
    breakIt: (t) =>
      t.insertBefore(DRAINED, 'receive', {
        type: 'error',
        event_id: 'evt_error',
        sglang: { fatal: true },
        error: { type: 'server_error', code: 'internal', message: 'gone', event_id: null },
      }),
  },
  {
    check: 'N39',
    name: 'a receipt for a clear that nobody sent',
    base: 'minicpmo',
    breakIt: (t) => t.insertAfter(UPDATED, 'receive', { type: 'input_audio_buffer.cleared', event_id: 'evt_cleared' }),
  },
  {
    check: 'N39',
    name: 'a speech boundary of a native server',
    base: 'minicpmo',
    breakIt: (t) =>
      t.insertAfter(UPDATED, 'receive', { type: 'input_audio_buffer.speech_started', event_id: 'evt_speech' }),
  },
  {
    check: 'N40',
    name: 'a close by the server',
    base: 'minicpmo',
    breakIt: (t) => t.set(CLOSED, 'reason', 'idle_timeout'),
  },
  {
    check: 'N40',
    name: 'a close before drained',
    base: 'turn',
    breakIt: (t) => t.moveBefore(CLOSE, DRAINED).moveBefore(CLOSED, DRAINED),
    implied: ['N6', 'N8'],
  },
  {
    check: 'N41',
    name: 'one sample of output too few',
    base: 'nemotron',
    // The first delta has 1,764 - 256 samples.
    breakIt: (t) => t.set(AUDIO, 'delta', audioOfSamples(1507)),
  },
  {
    check: 'N41',
    name: 'two frames more than units',
    base: 'personaplex',
    breakIt: (t) => t.set(AUDIO, 'delta', audioOfSamples(3 * 1920)),
  },
  {
    check: 'N41',
    name: 'no whole number of frames',
    base: 'personaplex',
    breakIt: (t) => t.set(AUDIO, 'delta', audioOfSamples(1920 + 960)),
  },
]

export const BROKEN_NATIVE: readonly BrokenTrace[] = [
  ...ORDER,
  ...ACKNOWLEDGEMENTS,
  ...SESSION,
  ...END_OF_INPUT_AND_UNITS,
  ...RESPONSES,
  ...REST,
]
