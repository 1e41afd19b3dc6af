/** Event types of the legacy half-duplex protocol, as far as its checks name them. */
import type { ResponseRules } from '../response-checks.js'
import { APPEND } from '../session-log.js'

export { APPEND }
export const UPDATE = 'session.update'
export const CREATED = 'session.created'
export const UPDATED = 'session.updated'
export const ERROR = 'error'
export const SPEECH_STARTED = 'input_audio_buffer.speech_started'
export const OUTPUT_CLEARED = 'output_audio_buffer.cleared'
export const INPUT_CLEARED = 'input_audio_buffer.cleared'

/** L8: told for information, allowed anywhere and any number of times. */
export const OBSERVATIONS: readonly string[] = [
  SPEECH_STARTED,
  'input_audio_buffer.speech_stopped',
  'input_audio_buffer.committed',
  'conversation.item.input_audio_transcription.delta',
  'conversation.item.input_audio_transcription.completed',
  'conversation.item.truncated',
]

/** Names and numbers of checks L10 to L13. The text part comes first in an item, so audio sits at index 1. */
export const LEGACY_RESPONSE_RULES: ResponseRules = {
  audioDelta: 'response.audio.delta',
  audioDone: 'response.audio.done',
  audioContentIndex: 1,
  textDeltas: ['response.text.delta'],
  otherTypes: ['response.text.done'],
  audioDoneRequired: 'where_completed',
  checks: { created: 'L10', isOpen: 'L11', audio: 'L12', audioDone: 'L12', text: 'L13', types: 'L13' },
}
