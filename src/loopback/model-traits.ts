/**
 * What the protocol shows of each kind of model behind the session protocol. Source: docs/protocols.md, 2.3, 2.11, 3.1.
 */
import type { Profile } from '../profile/profile.js'

export interface ModelTraits {
  readonly interaction: 'native' | 'turn_based'
  /** Accepted types of `turn_detection`. */
  readonly turnControl: readonly (string | null)[]
  /** What happens to a short last unit. */
  readonly tailPolicy: 'pad' | 'flush'
  readonly outputModalities: readonly string[]
  readonly model: string
  readonly samplingParameters: readonly string[]
  readonly inputModalities: readonly string[]
  readonly voices: readonly string[] | undefined
  readonly takesInstructions: boolean
  /** Prompt and sampling may change while the session is open. */
  readonly takesLaterChanges: boolean
  readonly takesReferenceAudio: boolean
  readonly takesImages: boolean
  readonly canCancel: boolean
  readonly canTruncate: boolean
  /** Frames that unit 0 yields beside its own: the one that closes the prompt. */
  readonly leadFrames: number
  /** Output samples that the codec keeps back until the input ends. */
  readonly codecTailSamples: number
  /** The text's done event comes before the audio's. */
  readonly textDoneFirst: boolean
}

export function traitsOf(profile: Profile): ModelTraits {
  if (profile.protocol === 'turn-based') return CASCADE
  if (!profile.output.continuous) return SILENT_MODEL
  return profile.output.conservation === 'frame_per_unit_or_one_more' ? PROMPTED_MODEL : CODEC_MODEL
}

/** Speaks only when it has something to say; many responses or none (MiniCPM-o). */
const SILENT_MODEL: ModelTraits = {
  interaction: 'native',
  turnControl: [null],
  tailPolicy: 'pad',
  outputModalities: ['audio', 'text'],
  model: 'openbmb/MiniCPM-o-4_5',
  samplingParameters: [
    'greedy',
    'temperature',
    'top_k',
    'top_p',
    'repetition_penalty',
    'listen_prob_scale',
    'force_listen_count',
    'max_new_tokens_per_unit',
    'repetition_window_size',
    'talker_temperature',
    'talker_repetition_penalty',
  ],
  inputModalities: ['audio', 'image'],
  voices: undefined,
  takesInstructions: true,
  takesLaterChanges: false,
  takesReferenceAudio: true,
  takesImages: true,
  canCancel: true,
  canTruncate: true,
  leadFrames: 0,
  codecTailSamples: 0,
  textDoneFirst: false,
}

/** One response, and one output frame more than input units (PersonaPlex). */
const PROMPTED_MODEL: ModelTraits = {
  ...SILENT_MODEL,
  model: 'nvidia/personaplex-7b-v1',
  samplingParameters: [
    'temperature',
    'top_k',
    'top_p',
    'min_p',
    'repetition_penalty',
    'audio_temperature',
    'audio_top_k',
    'seed',
  ],
  inputModalities: ['audio'],
  voices: [...numbered('NATF', 4), ...numbered('NATM', 4), ...numbered('VARF', 5), ...numbered('VARM', 5)],
  takesReferenceAudio: false,
  takesImages: false,
  canCancel: false,
  canTruncate: false,
  leadFrames: 1,
  textDoneFirst: true,
}

/** One response, and a codec that keeps a short tail back (Nemotron VoiceChat). */
const CODEC_MODEL: ModelTraits = {
  ...PROMPTED_MODEL,
  model: 'nemotron-voicechat',
  samplingParameters: [],
  voices: undefined,
  takesInstructions: false,
  leadFrames: 0,
  codecTailSamples: 256,
  textDoneFirst: false,
}

/** Detector, recognizer, language model and synthesis, one after the other. */
const CASCADE: ModelTraits = {
  ...SILENT_MODEL,
  interaction: 'turn_based',
  turnControl: ['server_vad', null],
  tailPolicy: 'flush',
  outputModalities: ['text', 'audio'],
  model: 'cascade-profile',
  samplingParameters: ['temperature', 'max_new_tokens_per_unit'],
  inputModalities: ['audio'],
  takesLaterChanges: true,
  takesReferenceAudio: false,
  takesImages: false,
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}
