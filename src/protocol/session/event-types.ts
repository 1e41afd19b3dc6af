/** Event types of the session protocol, as far as the checks name them. */
import { APPEND } from '../session-log.js'

export { APPEND }
export const UPDATE = 'session.update'
export const END = 'sglang.input_audio.end'
export const CLOSE = 'session.close'

export const CREATED = 'session.created'
export const UPDATED = 'session.updated'
export const ACCEPTED = 'sglang.input_audio.accepted'
export const ENDED = 'sglang.input_audio.ended'
export const UNIT_DONE = 'sglang.unit.done'
export const DRAINED = 'sglang.input_audio.drained'
export const CLOSED = 'session.closed'
export const ERROR = 'error'

export const SPEECH_STARTED = 'input_audio_buffer.speech_started'
export const SPEECH_STOPPED = 'input_audio_buffer.speech_stopped'
export const TRANSCRIPTION_DELTA = 'conversation.item.input_audio_transcription.delta'
export const TRANSCRIPTION_COMPLETED = 'conversation.item.input_audio_transcription.completed'

export const RESPONSE_CREATED = 'response.created'
export const RESPONSE_DONE = 'response.done'
