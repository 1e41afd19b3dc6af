/**
 * What a native deployment is: everything about a profile's server that the protocol shows, in one value. Three kinds of
 * models are known, and a profile's own fields say which one it is, so that a user's profile of the same kind works too.
 * Source: docs/protocols.md, 2.3 and 2.11.
 */
import { UserError } from '../base/errors.js'
import { type Profile, samplesPerUnit } from '../profile/profile.js'
import type { LoopbackOptions } from './options.js'

interface ModelTraits {
  readonly model: string
  readonly samplingParameters: readonly string[]
  readonly inputModalities: readonly string[]
  readonly voices: readonly string[] | undefined
  readonly takesInstructions: boolean
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

export interface Deployment extends ModelTraits {
  readonly unitMs: number
  readonly inputRateHz: number
  readonly outputRateHz: number
  /** Input samples of a unit. */
  readonly unitSamples: number
  /** Output samples of a unit. */
  readonly frameSamples: number
  /** One response for the whole session, with audio in every unit. */
  readonly continuous: boolean
  readonly limits: {
    readonly max_input_bytes: number
    readonly max_output_bytes: number
    readonly max_history_chars: number
    readonly cleanup_timeout_s: number
    readonly session_update_timeout_s: number
    readonly idle_timeout_s: number
  }
}

export const OUTPUT_MODALITIES = ['audio', 'text'] as const
export const DEFAULT_VOICE = 'NATF2'
export const IMAGE_LIMITS = { types: ['image/jpeg', 'image/png'], max_bytes: 524_288, max_frames_per_unit: 4 } as const
export const IMAGE_SLICES_MAX = 9

/** Speaks only when it has something to say; many responses or none (MiniCPM-o). */
const SILENT_MODEL: ModelTraits = {
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

/** @throws UserError for a profile that is not native, or whose units are no whole number of output samples */
export function deploymentOf(profile: Profile, options: LoopbackOptions): Deployment {
  const unitSamples = samplesPerUnit(profile)
  if (profile.protocol !== 'native' || profile.unit_ms === null || unitSamples === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `the loopback server speaks the native session protocol, and profile ${profile.name} is ${profile.protocol}`,
      fix: 'choose a native profile: minicpmo-native, personaplex-native or nemotron-voicechat',
    })
  }
  const frameSamples = (profile.unit_ms * profile.output.sample_rate_hz) / 1000
  if (!Number.isInteger(frameSamples) || !Number.isInteger(unitSamples)) {
    throw new UserError({
      code: 'PROFILE_FIELD',
      message: `a unit of ${profile.unit_ms} ms is no whole number of samples at the rates of profile ${profile.name}`,
      fix: 'choose unit_ms and sample_rate_hz so that their product is a multiple of 1000',
    })
  }
  const traits = traitsOf(profile)
  return {
    ...traits,
    model: profile.model ?? traits.model,
    unitMs: profile.unit_ms,
    inputRateHz: profile.input.sample_rate_hz,
    outputRateHz: profile.output.sample_rate_hz,
    unitSamples,
    frameSamples,
    continuous: profile.output.continuous,
    limits: {
      max_input_bytes: options.maxInputBytes,
      max_output_bytes: options.maxOutputBytes,
      max_history_chars: 65_536,
      cleanup_timeout_s: options.cleanupTimeoutS,
      session_update_timeout_s: options.sessionUpdateTimeoutS,
      idle_timeout_s: options.idleTimeoutS,
    },
  }
}

/** The document of `GET /v1/realtime/capabilities`. */
export function capabilitiesOf(deployment: Deployment): Record<string, unknown> {
  return {
    model: deployment.model,
    ...granted(deployment, OUTPUT_MODALITIES),
    microturn_ms: 'variable',
    ...extras(deployment),
  }
}

/** A wish of the client that was not fulfilled. */
export interface Rejection {
  readonly field: string
  readonly requested: unknown
  readonly reason: string
  readonly granted: unknown
}

/** `session.sglang.granted` of `session.updated`. */
export function grantOf(
  deployment: Deployment,
  outputModalities: readonly string[],
  rejections: readonly Rejection[],
): Record<string, unknown> {
  return { ...granted(deployment, outputModalities), rejections, ...extras(deployment) }
}

function granted(deployment: Deployment, outputModalities: readonly string[]): Record<string, unknown> {
  return {
    interaction: 'native',
    native_full_duplex: true,
    proactive_output: false,
    turn_control: [null],
    client_commit: false,
    input_modalities: deployment.inputModalities,
    output_modalities: outputModalities,
    input_audio_format: { type: 'audio/pcm', rate: deployment.inputRateHz },
    output_audio_format: { type: 'audio/pcm', rate: deployment.outputRateHz },
    native_unit_ms: deployment.unitMs,
    first_unit_ms: deployment.unitMs,
    microturn_ms: null,
    tail_policy: 'pad',
    supports_server_interrupt: false,
    supports_truncate: deployment.canTruncate,
    supports_cancel: deployment.canCancel,
    supports_resume: false,
    partial_style: 'append_only',
    pressure_policy: 'reject',
    strict_order: true,
    sampling_parameters: deployment.samplingParameters,
    supports_reference_audio: deployment.takesReferenceAudio,
    supports_instruction_updates: false,
    supports_sampling_updates: false,
  }
}

function extras(deployment: Deployment): Record<string, unknown> {
  return {
    limits: deployment.limits,
    ...(deployment.takesImages ? { input_image_format: { ...IMAGE_LIMITS, max_slice_nums: IMAGE_SLICES_MAX } } : {}),
    ...(deployment.voices === undefined ? {} : { voices: deployment.voices }),
  }
}

function traitsOf(profile: Profile): ModelTraits {
  if (!profile.output.continuous) return SILENT_MODEL
  return profile.output.conservation === 'frame_per_unit_or_one_more' ? PROMPTED_MODEL : CODEC_MODEL
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}
