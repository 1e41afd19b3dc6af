/**
 * One name per event of the OpenAI family. Servers in the field still speak the names of the beta, and some mix both; a
 * tolerant reader maps them to the names of the GA interface. docs/protocols.md, "OpenAI Realtime".
 */

/** The beta's `conversation.item.created` became two events; it tells of the item as the first of them does. */
const GA_NAMES: ReadonlyMap<string, string> = new Map([
  ['response.audio.delta', 'response.output_audio.delta'],
  ['response.audio.done', 'response.output_audio.done'],
  ['response.audio_transcript.delta', 'response.output_audio_transcript.delta'],
  ['response.audio_transcript.done', 'response.output_audio_transcript.done'],
  ['response.text.delta', 'response.output_text.delta'],
  ['response.text.done', 'response.output_text.done'],
  ['conversation.item.created', 'conversation.item.added'],
])

/** The GA name of an event type: of a beta name its successor, of every other name the name itself. */
export function canonicalEventType(type: string): string {
  return GA_NAMES.get(type) ?? type
}

export const CREATED = 'session.created'
export const UPDATE = 'session.update'
export const UPDATED = 'session.updated'
export const ERROR = 'error'

export const COMMIT = 'input_audio_buffer.commit'
export const TRUNCATE = 'conversation.item.truncate'
export const CANCEL = 'response.cancel'

export const SPEECH_STARTED = 'input_audio_buffer.speech_started'
export const SPEECH_STOPPED = 'input_audio_buffer.speech_stopped'
export const COMMITTED = 'input_audio_buffer.committed'
/** The server commits by itself after too long a silence. */
export const TIMEOUT_TRIGGERED = 'input_audio_buffer.timeout_triggered'

export const RESPONSE_CREATED = 'response.created'
export const RESPONSE_DONE = 'response.done'
export const AUDIO_DELTA = 'response.output_audio.delta'
export const AUDIO_DONE = 'response.output_audio.done'
export const TRANSCRIPT_DELTA = 'response.output_audio_transcript.delta'

/** Events of a reply that must name it. Others, of newer or compatible servers, are asked only where they do. */
export const REPLY_EVENTS: ReadonlySet<string> = new Set([
  RESPONSE_DONE,
  ...[
    ...['output_item', 'content_part'].flatMap((part) => [`${part}.added`, `${part}.done`]),
    ...['output_audio', 'output_audio_transcript', 'output_text', 'function_call_arguments'].flatMap((part) => [
      `${part}.delta`,
      `${part}.done`,
    ]),
  ].map((name) => `response.${name}`),
])
