/** Valid traces with one thing broken: checks T1 to T10. */
import type { BrokenTrace } from './broken-traces.js'

const UPDATE = 'send session.update'
const UPDATED = 'receive session.updated'
const ENDED = 'receive sglang.input_audio.ended'
const DRAINED = 'receive sglang.input_audio.drained'
const UNIT = 'receive sglang.unit.done'
const STARTED = 'receive input_audio_buffer.speech_started'
const DONE = 'receive response.done'
const GRANTED = 'session.sglang.granted'
const TURN_DETECTION = 'session.audio.input.turn_detection'

const ALMOST_GRANTED: readonly (readonly [string, unknown])[] = [
  ['interaction', 'native'],
  ['input_audio_format.rate', 24000],
  ['output_audio_format.type', 'pcm16'],
  ['native_unit_ms', 80],
  ['tail_policy', 'pad'],
  ['output_modalities', ['text']],
  ['supports_truncate', null],
]

export const BROKEN_TURN_BASED: readonly BrokenTrace[] = [
  ...ALMOST_GRANTED.map(
    ([field, value]): BrokenTrace => ({
      check: 'T1',
      name: `a grant with ${field} ${JSON.stringify(value)}`,
      base: 'turn',
      breakIt: (t) => t.set(UPDATED, `${GRANTED}.${field}`, value),
    }),
  ),
  { check: 'T1', name: 'no grant', base: 'turn', breakIt: (t) => t.set(UPDATED, GRANTED, undefined) },
  {
    check: 'T1',
    name: 'a unit written as 2e2',
    base: 'turn',
    breakIt: (t) => t.replaceText(UPDATED, '"native_unit_ms":200', '"native_unit_ms":2e2'),
  },
  { check: 'T2', name: 'manual turns asked for', base: 'turn', breakIt: (t) => t.set(UPDATE, TURN_DETECTION, null) },
  {
    check: 'T2',
    name: 'another turn detection echoed',
    base: 'turn',
    breakIt: (t) => t.set(UPDATED, `${TURN_DETECTION}.type`, 'semantic_vad'),
  },
  {
    check: 'T2',
    name: 'no turn detection echoed',
    base: 'turn',
    breakIt: (t) => t.set(UPDATED, TURN_DETECTION, undefined),
  },
  { check: 'T3', name: 'a padded tail', base: 'turn', breakIt: (t) => t.set(ENDED, 'tail_policy', 'pad') },
  { check: 'T3', name: 'padding', base: 'turn', breakIt: (t) => t.set(DRAINED, 'padding_ms', 40) },
  {
    check: 'T4',
    name: 'a unit too short',
    base: 'turn',
    breakIt: (t) => t.set(`${UNIT}#3`, 'sglang.media_time.duration_ms', 150),
  },
  { check: 'T4', name: 'a unit that never came', base: 'turn', breakIt: (t) => t.remove(`${UNIT}#3`) },
  {
    check: 'T5',
    name: 'a reply cut at its length',
    base: 'turn',
    breakIt: (t) => t.set(`${DONE}#1`, 'response.status_details.reason', 'length'),
  },
  {
    check: 'T5',
    name: 'a reply that failed',
    base: 'turn',
    breakIt: (t) => t.set(`${DONE}#1`, 'response.status', 'failed').set(`${DONE}#1`, 'response.status_details', null),
  },
  {
    check: 'T6',
    name: 'a reply interrupted by nobody',
    base: 'turn',
    // Speech that only ever stops is noted beside it.
    breakIt: (t) => t.removeAll(STARTED),
    implied: ['T10'],
  },
  {
    check: 'T7',
    name: 'an empty turn that speaks',
    base: 'turn',
    breakIt: (t) => t.set(`${DONE}#1`, 'response.status_details.reason', 'empty_turn'),
  },
  { check: 'T8', name: 'a reply that never ends', base: 'turn', breakIt: (t) => t.remove(`${DONE}#1`) },
  {
    check: 'T9',
    name: 'a reply that ends after drained',
    base: 'turn',
    breakIt: (t) => t.moveAfter(`${DONE}#1`, DRAINED),
  },
  {
    check: 'T10',
    name: 'speech in audio not yet accepted',
    base: 'turn',
    breakIt: (t) => t.set(STARTED, 'audio_start_ms', 5000),
  },
  { check: 'T10', name: 'speech that starts twice', base: 'turn', breakIt: (t) => t.duplicate(STARTED) },
]
