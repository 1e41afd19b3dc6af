/**
 * What a client asks for in `session.update`, checked against the deployment: a configuration to grant, or a refusal.
 * Wishes that a server may decline without failing the session are declined in `rejections`; everything else that does
 * not fit is refused. Pure. Source: docs/protocols.md
 */
import { z } from 'zod'
import { refusalOf } from './client-event.js'
import { DEFAULT_VOICE, type Deployment, IMAGE_SLICES_MAX, OUTPUT_MODALITIES, type Rejection } from './deployment.js'
import { decodeBase64 } from './pcm16.js'
import { type Refusal, refuse } from './refusal.js'

export interface SessionConfig {
  readonly outputModalities: readonly string[]
  readonly rejections: readonly Rejection[]
  /** As asked for; undefined where the client said nothing. */
  readonly sampling: Readonly<Record<string, number | boolean>> | undefined
  readonly voice: string | undefined
}

export type UpdateResult =
  | { readonly ok: true; readonly config: SessionConfig }
  | { readonly ok: false; readonly refusal: Refusal }

const format = z.strictObject({ type: z.string(), rate: z.number() })
const referenceAudio = z.strictObject({ media_type: z.literal('audio/wav'), data: z.string() })

const sessionSchema = z.strictObject({
  type: z.literal('realtime').optional(),
  model: z.string().optional(),
  instructions: z.string().optional(),
  output_modalities: z.array(z.string()).min(1).optional(),
  audio: z
    .strictObject({
      input: z.strictObject({ format: format.optional(), turn_detection: z.unknown().optional() }).optional(),
      output: z.strictObject({ format: format.optional() }).optional(),
    })
    .optional(),
  sglang: z
    .strictObject({
      interaction: z.string().optional(),
      tail_policy: z.string().optional(),
      timebase: z
        .strictObject({
          native_unit_ms: z.number().optional(),
          microturn_ms: z.union([z.number(), z.string()]).nullish(),
        })
        .optional(),
      sampling: z.record(z.string(), z.union([z.number(), z.boolean()])).optional(),
      reference_audio: referenceAudio.optional(),
      tts_reference_audio: referenceAudio.optional(),
      max_slice_nums: z.number().int().min(1).max(IMAGE_SLICES_MAX).optional(),
      voice: z.string().optional(),
    })
    .optional(),
})
type RequestedSession = z.infer<typeof sessionSchema>

const REFERENCE_AUDIO_BYTES_MAX = 1_048_576

/** @param current the configuration of a session that is already open: then almost everything is frozen */
export function readSessionUpdate(
  deployment: Deployment,
  session: Readonly<Record<string, unknown>>,
  current: SessionConfig | undefined,
): UpdateResult {
  const parsed = sessionSchema.safeParse(session)
  if (!parsed.success) return { ok: false, refusal: refusalOf(parsed.error, 'session') }
  const requested = parsed.data
  const refusal =
    problemOfTurnDetection(requested) ??
    (current === undefined ? problemOfFirstUpdate(deployment, requested) : problemOfLaterUpdate(requested))
  if (refusal !== undefined) return { ok: false, refusal }
  const modalities = grantModalities(requested.output_modalities, current?.outputModalities)
  if (current !== undefined) {
    const config = { ...current, outputModalities: modalities.granted, rejections: modalities.rejections }
    return { ok: true, config }
  }
  return {
    ok: true,
    config: {
      outputModalities: modalities.granted,
      rejections: [...modalities.rejections, ...declinedWishes(deployment, requested)],
      sampling: requested.sglang?.sampling,
      voice: deployment.voices === undefined ? undefined : (requested.sglang?.voice ?? DEFAULT_VOICE),
    },
  }
}

function problemOfTurnDetection({ audio }: RequestedSession): Refusal | undefined {
  const turnDetection = audio?.input?.turn_detection
  if (turnDetection === undefined || turnDetection === null) return undefined
  const message = 'turn detection does not apply to a model that decides itself when it speaks'
  return refuse('not_applicable', message, 'session.audio.input.turn_detection')
}

function problemOfLaterUpdate(requested: RequestedSession): Refusal | undefined {
  const { output_modalities: _modalities, type: _type, audio, ...frozen } = requested
  const frozenField =
    Object.keys(frozen)[0] ??
    (audio?.input?.format !== undefined || audio?.output?.format !== undefined ? 'audio' : undefined)
  if (frozenField === undefined) return undefined
  return refuse('invalid_state', 'session field is frozen', `session.${frozenField}`)
}

function problemOfFirstUpdate(deployment: Deployment, requested: RequestedSession): Refusal | undefined {
  return (
    problemOfModel(deployment, requested) ??
    problemOfInstructions(deployment, requested.instructions) ??
    problemOfFormat('input', requested.audio?.input?.format, deployment.inputRateHz) ??
    problemOfFormat('output', requested.audio?.output?.format, deployment.outputRateHz) ??
    problemOfExtension(deployment, requested.sglang ?? {})
  )
}

function problemOfModel({ model }: Deployment, requested: RequestedSession): Refusal | undefined {
  if (requested.model === undefined || requested.model === model) return undefined
  return refuse('invalid_request', `this deployment serves ${model}`, 'session.model')
}

function problemOfInstructions({ takesInstructions, limits }: Deployment, text: string | undefined) {
  if (text === undefined) return undefined
  if (!takesInstructions) return refuse('not_applicable', 'this model has no prompt', 'session.instructions')
  if (text.length <= limits.max_history_chars) return undefined
  const message = `instructions have ${text.length} characters, at most ${limits.max_history_chars} are taken`
  return refuse('invalid_request', message, 'session.instructions')
}

function problemOfFormat(
  side: 'input' | 'output',
  requested: { type: string; rate: number } | undefined,
  rate: number,
) {
  if (requested === undefined || (requested.type === 'audio/pcm' && requested.rate === rate)) return undefined
  return refuse('invalid_request', `the ${side} format is audio/pcm at ${rate} Hz`, `session.audio.${side}.format`)
}

function problemOfExtension(deployment: Deployment, requested: NonNullable<RequestedSession['sglang']>) {
  const { interaction, sampling, voice, max_slice_nums: slices } = requested
  if (interaction !== undefined && interaction !== 'native') {
    return refuse('not_applicable', 'this deployment is native', 'session.sglang.interaction')
  }
  const unknownKey = Object.keys(sampling ?? {}).find((key) => !deployment.samplingParameters.includes(key))
  if (unknownKey !== undefined) {
    const message = `sampling parameter ${unknownKey} does not apply to this model`
    return refuse('not_applicable', message, `session.sglang.sampling.${unknownKey}`)
  }
  const forceListen = sampling?.force_listen_count
  if (forceListen !== undefined && !(Number.isInteger(forceListen) && Number(forceListen) >= 0)) {
    const message = 'force_listen_count must be a whole number of units'
    return refuse('invalid_request', message, 'session.sglang.sampling.force_listen_count')
  }
  if (voice !== undefined && deployment.voices === undefined) {
    return refuse('not_applicable', 'this model has no choice of voices', 'session.sglang.voice')
  }
  if (voice !== undefined && deployment.voices?.includes(voice) === false) {
    return refuse('invalid_request', `unknown voice ${voice}`, 'session.sglang.voice')
  }
  if (slices !== undefined && !deployment.takesImages) {
    return refuse('not_applicable', 'this model takes no images', 'session.sglang.max_slice_nums')
  }
  return (
    problemOfReference(deployment, 'reference_audio', requested.reference_audio?.data) ??
    problemOfReference(deployment, 'tts_reference_audio', requested.tts_reference_audio?.data)
  )
}

function problemOfReference(deployment: Deployment, field: string, data: string | undefined): Refusal | undefined {
  if (data === undefined) return undefined
  const param = `session.sglang.${field}`
  if (!deployment.takesReferenceAudio) return refuse('not_applicable', 'this model takes no reference audio', param)
  const bytes = decodeBase64(data)
  if (bytes === undefined || bytes.length > REFERENCE_AUDIO_BYTES_MAX || bytes.toString('latin1', 0, 4) !== 'RIFF') {
    return refuse('invalid_request', 'reference audio must be a WAV file of at most 1 MiB in base64', param)
  }
  return undefined
}

/** The supported ones of those asked for, in the client's order. Audio is always among them: it is what the model makes. */
function grantModalities(requested: readonly string[] | undefined, current: readonly string[] | undefined) {
  if (requested === undefined) return { granted: current ?? OUTPUT_MODALITIES, rejections: [] }
  const supported = requested.filter((modality) => (OUTPUT_MODALITIES as readonly string[]).includes(modality))
  const granted = supported.includes('audio') ? [...new Set(supported)] : ['audio', ...new Set(supported)]
  const isAsAsked = granted.length === requested.length && granted.every((name, index) => name === requested[index])
  const rejection: Rejection = {
    field: 'output_modalities',
    requested,
    reason: 'this model makes audio, and text beside it',
    granted,
  }
  return { granted, rejections: isAsAsked ? [] : [rejection] }
}

function declinedWishes({ unitMs }: Deployment, { sglang }: RequestedSession): Rejection[] {
  const wishes = [
    { field: 'tail_policy', requested: sglang?.tail_policy, granted: 'pad' },
    { field: 'timebase.native_unit_ms', requested: sglang?.timebase?.native_unit_ms, granted: unitMs },
    { field: 'timebase.microturn_ms', requested: sglang?.timebase?.microturn_ms, granted: null },
  ]
  return wishes
    .filter((wish) => wish.requested !== undefined && wish.requested !== wish.granted)
    .map((wish) => ({ ...wish, reason: 'fixed by this deployment' }))
}
