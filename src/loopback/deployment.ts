/**
 * What a deployment behind the session protocol is: everything about a profile's server that the protocol shows, in one
 * value. A few kinds of models are known, and a profile's own fields say which one it is, so that a user's profile of the
 * same kind works too. Source: docs/protocols.md, 2.2, 2.9, 3.1.
 */
import { UserError } from '../base/errors.js'
import { type Profile, samplesPerUnit } from '../profile/profile.js'
import { type ModelTraits, traitsOf } from './model-traits.js'
import type { LoopbackOptions } from './options.js'
import type { TurnDetectionDefaults } from './turn-detection.js'

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
  readonly turnDefaults: TurnDetectionDefaults
  readonly limits: {
    readonly max_input_bytes: number
    readonly max_output_bytes: number
    readonly max_history_chars: number
    readonly cleanup_timeout_s: number
    readonly session_update_timeout_s: number
    readonly idle_timeout_s: number
  }
}

export const DEFAULT_VOICE = 'NATF2'
export const IMAGE_LIMITS = { types: ['image/jpeg', 'image/png'], max_bytes: 524_288, max_frames_per_unit: 4 } as const
export const IMAGE_SLICES_MAX = 9

/** @throws UserError for a profile of another protocol, or whose units are no whole number of samples */
export function deploymentOf(profile: Profile, options: LoopbackOptions): Deployment {
  const unitSamples = samplesPerUnit(profile)
  const isServed = profile.protocol === 'native' || profile.protocol === 'turn-based'
  if (!isServed || profile.unit_ms === null || unitSamples === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: `profile ${profile.name} is ${profile.protocol}, not the session protocol`,
      fix: 'choose a native or a turn-based profile',
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
    turnDefaults: { silenceMs: options.turnSilenceMs, prefixPaddingMs: options.turnPrefixPaddingMs },
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
    ...granted(deployment, deployment.outputModalities),
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
    interaction: deployment.interaction,
    native_full_duplex: deployment.interaction === 'native',
    proactive_output: false,
    turn_control: deployment.turnControl,
    client_commit: deployment.interaction === 'turn_based',
    input_modalities: deployment.inputModalities,
    output_modalities: outputModalities,
    input_audio_format: { type: 'audio/pcm', rate: deployment.inputRateHz },
    output_audio_format: { type: 'audio/pcm', rate: deployment.outputRateHz },
    native_unit_ms: deployment.unitMs,
    first_unit_ms: deployment.unitMs,
    microturn_ms: null,
    tail_policy: deployment.tailPolicy,
    supports_server_interrupt: false,
    supports_truncate: deployment.canTruncate,
    supports_cancel: deployment.canCancel,
    supports_resume: false,
    partial_style: 'append_only',
    pressure_policy: 'reject',
    strict_order: true,
    sampling_parameters: deployment.samplingParameters,
    supports_reference_audio: deployment.takesReferenceAudio,
    supports_instruction_updates: deployment.takesLaterChanges,
    supports_sampling_updates: deployment.takesLaterChanges,
  }
}

function extras(deployment: Deployment): Record<string, unknown> {
  return {
    limits: deployment.limits,
    ...(deployment.takesImages ? { input_image_format: { ...IMAGE_LIMITS, max_slice_nums: IMAGE_SLICES_MAX } } : {}),
    ...(deployment.voices === undefined ? {} : { voices: deployment.voices }),
  }
}
