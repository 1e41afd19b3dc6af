/**
 * What a client asks for in `session.update`, checked against the deployment: a configuration to grant, or a refusal.
 * Wishes that a server may decline without failing the session are declined in `rejections`; everything else that does
 * not fit is refused. Pure. Source: docs/protocols.md
 */
import { z } from 'zod'
import { refusalOf } from './client-event.js'
import { DEFAULT_VOICE, type Deployment, IMAGE_SLICES_MAX, type Rejection } from './deployment.js'
import { decodeBase64 } from './pcm16.js'
import { isRefusal, type Refusal, refuse } from './refusal.js'
import { readServerVad, type TurnDetection } from './turn-detection.js'

export interface SessionConfig {
  readonly outputModalities: readonly string[]
  readonly rejections: readonly Rejection[]
  /** As asked for; undefined where the client said nothing. */
  readonly sampling: Readonly<Record<string, number | boolean>> | undefined
  readonly voice: string | undefined
  /** Null for turns that the client ends; undefined for a model that knows no turns. */
  readonly turnDetection: TurnDetection | null | undefined
  readonly instructions: string | undefined
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
  const turns = readTurnDetection(deployment, requested.audio?.input?.turn_detection, current?.turnDetection)
  if (isRefusal(turns)) return { ok: false, refusal: turns }
  const refusal =
    (current === undefined ? undefined : problemOfLaterUpdate(deployment, requested)) ??
    problemOfFields(deployment, requested)
  if (refusal !== undefined) return { ok: false, refusal }
  const modalities = grantModalities(deployment, requested.output_modalities, current?.outputModalities)
  const declined = current === undefined ? declinedWishes(deployment, requested) : []
  const voice = deployment.voices === undefined ? undefined : (requested.sglang?.voice ?? DEFAULT_VOICE)
  return {
    ok: true,
    config: {
      outputModalities: modalities.granted,
      rejections: [...modalities.rejections, ...declined],
      sampling: requested.sglang?.sampling ?? current?.sampling,
      voice: current?.voice ?? voice,
      turnDetection: turns,
      instructions: requested.instructions ?? current?.instructions,
    },
  }
}

/** Server-side detection where the client says nothing; later, nothing said means nothing changed. */
function readTurnDetection(
  { interaction, turnDefaults }: Deployment,
  requested: unknown,
  current: TurnDetection | null | undefined,
): TurnDetection | null | undefined | Refusal {
  const param = 'session.audio.input.turn_detection'
  if (interaction === 'turn_based') {
    if (requested === null) return null
    if (requested === undefined && current !== undefined) return current
    return readServerVad(requested ?? { type: 'server_vad' }, turnDefaults, param)
  }
  if (requested === undefined || requested === null) return undefined
  return refuse('not_applicable', 'turn detection does not apply to a model that decides itself when it speaks', param)
}

function problemOfLaterUpdate({ takesLaterChanges }: Deployment, requested: RequestedSession): Refusal | undefined {
  const { output_modalities: _modalities, type: _type, audio, instructions, sglang, ...frozen } = requested
  const { sampling, ...frozenExtensions } = sglang ?? {}
  const changes = [
    ...Object.keys(frozen),
    ...(instructions !== undefined && !takesLaterChanges ? ['instructions'] : []),
    ...((sampling !== undefined && !takesLaterChanges) || Object.keys(frozenExtensions).length > 0 ? ['sglang'] : []),
    ...(audio?.input?.format !== undefined || audio?.output?.format !== undefined ? ['audio'] : []),
  ]
  return changes[0] === undefined
    ? undefined
    : refuse('invalid_state', 'session field is frozen', `session.${changes[0]}`)
}

function problemOfFields(deployment: Deployment, requested: RequestedSession): Refusal | undefined {
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
  if (interaction !== undefined && interaction !== deployment.interaction) {
    return refuse('not_applicable', `this deployment is ${deployment.interaction}`, 'session.sglang.interaction')
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
function grantModalities(
  { outputModalities }: Deployment,
  requested: readonly string[] | undefined,
  current: readonly string[] | undefined,
) {
  if (requested === undefined) return { granted: current ?? outputModalities, rejections: [] }
  const supported = requested.filter((modality) => outputModalities.includes(modality))
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

function declinedWishes({ unitMs, tailPolicy }: Deployment, { sglang }: RequestedSession): Rejection[] {
  const wishes = [
    { field: 'tail_policy', requested: sglang?.tail_policy, granted: tailPolicy },
    { field: 'timebase.native_unit_ms', requested: sglang?.timebase?.native_unit_ms, granted: unitMs },
    { field: 'timebase.microturn_ms', requested: sglang?.timebase?.microturn_ms, granted: null },
  ]
  return wishes
    .filter((wish) => wish.requested !== undefined && wish.requested !== wish.granted)
    .map((wish) => ({ ...wish, reason: 'fixed by this deployment' }))
}
