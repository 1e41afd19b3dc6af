/** Names and numbers of checks N28, N29 and N31 to N34. */
import type { ResponseRules } from '../response-checks.js'

/** Deltas that carry content of a reply; after `drained` a native server sends none (N30). */
export const CONTENT_DELTAS = [
  'response.output_audio.delta',
  'response.output_audio_transcript.delta',
  'response.output_text.delta',
] as const

export const SESSION_RESPONSE_RULES: ResponseRules = {
  audioDelta: 'response.output_audio.delta',
  audioDone: 'response.output_audio.done',
  audioContentIndex: 0,
  textDeltas: ['response.output_audio_transcript.delta', 'response.output_text.delta'],
  otherTypes: ['response.output_audio_transcript.done', 'response.output_text.done'],
  audioDoneRequired: 'where_audio_was_seen',
  checks: { created: 'N28', isOpen: 'N29', audio: 'N31', audioDone: 'N32', text: 'N33', types: 'N34' },
}
