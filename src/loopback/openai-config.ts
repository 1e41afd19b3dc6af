/**
 * The configuration of a session in the OpenAI dialect: its defaults, and a `session.update` merged into it. A field that
 * the update leaves out stays as it was; an object on the way down (`audio`, `audio.input`, `turn_detection` of the same
 * type) is merged, everything else replaced. Pure.
 *
 * What shows on the wire is checked: formats, turn detection, modalities. The rest is taken and echoed, and makes no
 * difference to recorded speech: instructions, tools, speed, the detector's threshold, `idle_timeout_ms`.
 * Source: docs/protocols.md, 5.2.
 */
import { z } from 'zod'
import { type Problem, problemOfSchema, refusal } from './openai-error.js'

const MODALITIES = ['audio', 'text'] as const
export type OpenAiModality = (typeof MODALITIES)[number]

const whole = z.number().int().min(0)
const decides = { create_response: z.boolean().optional(), interrupt_response: z.boolean().optional() }
const turnDetectionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).optional(),
    prefix_padding_ms: whole.optional(),
    silence_duration_ms: whole.optional(),
    idle_timeout_ms: whole.nullish(),
    ...decides,
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).optional(),
    ...decides,
  }),
])
const formatSchema = z.strictObject({ type: z.string(), rate: z.number().optional() })

const updateSchema = z.strictObject({
  type: z.literal('realtime'),
  model: z.string().min(1).optional(),
  output_modalities: z.tuple([z.enum(MODALITIES)], 'must be ["audio"] or ["text"]').optional(),
  instructions: z.string().optional(),
  audio: z
    .strictObject({
      input: z
        .strictObject({
          format: formatSchema.optional(),
          turn_detection: turnDetectionSchema.nullish(),
          noise_reduction: z.unknown().optional(),
          transcription: z.unknown().optional(),
        })
        .optional(),
      output: z
        .strictObject({
          format: formatSchema.optional(),
          voice: z.unknown().optional(),
          speed: z.number().min(0.25).max(1.5).optional(),
        })
        .optional(),
    })
    .optional(),
  max_output_tokens: z.union([z.number().int().min(1).max(4096), z.literal('inf')]).optional(),
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.unknown().optional(),
  truncation: z.unknown().optional(),
  tracing: z.unknown().optional(),
  prompt: z.unknown().optional(),
  include: z.unknown().optional(),
})

export interface ServerVad {
  readonly type: 'server_vad'
  readonly threshold: number
  readonly prefix_padding_ms: number
  readonly silence_duration_ms: number
  readonly idle_timeout_ms: number | null
  readonly create_response: boolean
  readonly interrupt_response: boolean
}

export interface SemanticVad {
  readonly type: 'semantic_vad'
  readonly eagerness: 'low' | 'medium' | 'high' | 'auto'
  readonly create_response: boolean
  readonly interrupt_response: boolean
}

/** Null for manual turns: the client commits and asks for responses itself. */
export type OpenAiTurnDetection = ServerVad | SemanticVad | null

interface Format {
  readonly type: 'audio/pcm'
  readonly rate: number
}

/** As it stands in `session.created` and `session.updated`, beside the session's id. */
export interface OpenAiConfig {
  readonly type: 'realtime'
  readonly model: string
  readonly output_modalities: readonly [OpenAiModality]
  readonly audio: {
    readonly input: {
      readonly format: Format
      readonly turn_detection: OpenAiTurnDetection
      readonly transcription: unknown
      readonly noise_reduction: unknown
    }
    readonly output: { readonly format: Format; readonly voice: unknown; readonly speed: number }
  }
}

const SEMANTIC_VAD: SemanticVad = {
  type: 'semantic_vad',
  eagerness: 'auto',
  create_response: true,
  interrupt_response: true,
}

/** The longest waits of each eagerness. The loopback reads no meaning from the words, so it always waits that long. */
const SEMANTIC_WAITS_MS = { low: 8000, medium: 4000, high: 2000, auto: 4000 } as const

export function silenceMsOf(detection: ServerVad | SemanticVad): number {
  return detection.type === 'server_vad' ? detection.silence_duration_ms : SEMANTIC_WAITS_MS[detection.eagerness]
}

/** A semantic detector states no padding; it gets what the other one has by default at OpenAI. */
const SEMANTIC_PADDING_MS = 300

export function prefixPaddingMsOf(detection: ServerVad | SemanticVad): number {
  return detection.type === 'server_vad' ? detection.prefix_padding_ms : SEMANTIC_PADDING_MS
}

/** What a server has that a client has not configured. */
export interface OpenAiServerDefaults {
  readonly inputRateHz: number
  readonly outputRateHz: number
  readonly silenceMs: number
  readonly prefixPaddingMs: number
}

export function defaultOpenAiConfig(model: string, defaults: OpenAiServerDefaults): OpenAiConfig {
  const { inputRateHz, outputRateHz } = defaults
  // Named, so that it may hold more than the fields that anybody here looks at.
  const document = {
    type: 'realtime' as const,
    model,
    output_modalities: ['audio'] as const,
    instructions: '',
    audio: {
      input: {
        format: { type: 'audio/pcm' as const, rate: inputRateHz },
        turn_detection: serverVad(defaults),
        transcription: null,
        noise_reduction: null,
      },
      output: { format: { type: 'audio/pcm' as const, rate: outputRateHz }, voice: 'marin', speed: 1 },
    },
    max_output_tokens: 'inf',
    tools: [],
    tool_choice: 'auto',
    truncation: 'auto',
    tracing: null,
    prompt: null,
    include: null,
  }
  return document
}

export interface OpenAiMergeOptions {
  readonly defaults: OpenAiServerDefaults
  /** The model was named on connecting, and another one is refused. */
  readonly isModelFixed: boolean
  /** The session has sent audio, after which the voice is fixed. */
  readonly hasSpoken: boolean
}

export function mergeOpenAiConfig(
  config: OpenAiConfig,
  update: Readonly<Record<string, unknown>>,
  { defaults, isModelFixed, hasSpoken }: OpenAiMergeOptions,
): { readonly ok: true; readonly config: OpenAiConfig } | { readonly ok: false; readonly problem: Problem } {
  const refused = (problem: Problem) => ({ ok: false as const, problem })
  if (update.type === undefined) {
    return refused(refusal('missing_required_parameter', 'session.type is required', 'session.type'))
  }
  const parsed = updateSchema.safeParse(update)
  if (!parsed.success) return refused(problemOfSchema(parsed.error, 'session'))
  const { audio, ...top } = defined(parsed.data)
  if (isModelFixed && top.model !== undefined && top.model !== config.model) {
    return refused(refusal('invalid_value', `this session's model is ${config.model}`, 'session.model'))
  }
  for (const side of ['input', 'output'] as const) {
    const { rate } = config.audio[side].format
    const format = audio?.[side]?.format
    if (format !== undefined && (format.type !== 'audio/pcm' || (format.rate ?? rate) !== rate)) {
      const message = `the loopback takes and sends audio/pcm at ${rate} Hz only`
      return refused(refusal('invalid_value', message, `session.audio.${side}.format`))
    }
  }
  const voice = audio?.output?.voice
  if (hasSpoken && voice !== undefined && JSON.stringify(voice) !== JSON.stringify(config.audio.output.voice)) {
    const message = 'the voice cannot change once the session has sent audio'
    return refused(refusal('cannot_update_voice', message, 'session.audio.output.voice'))
  }
  const { input, output } = config.audio
  const turnDetection = audio?.input?.turn_detection
  const merged: OpenAiConfig = {
    ...config,
    ...(top as Partial<OpenAiConfig>),
    audio: {
      input: {
        ...input,
        ...defined(audio?.input ?? {}),
        format: input.format,
        turn_detection:
          turnDetection === undefined
            ? input.turn_detection
            : mergeDetection(input.turn_detection, turnDetection, defaults),
      },
      output: { ...output, ...(defined(audio?.output ?? {}) as object), format: output.format },
    },
  }
  return { ok: true, config: merged }
}

function mergeDetection(
  current: OpenAiTurnDetection,
  update: z.infer<typeof turnDetectionSchema> | null,
  defaults: OpenAiServerDefaults,
): OpenAiTurnDetection {
  if (update === null) return null
  const fresh = update.type === 'server_vad' ? serverVad(defaults) : SEMANTIC_VAD
  const base = current?.type === update.type ? current : fresh
  return { ...base, ...defined(update) } as ServerVad | SemanticVad
}

function serverVad({ silenceMs, prefixPaddingMs }: OpenAiServerDefaults): ServerVad {
  return {
    type: 'server_vad',
    threshold: 0.5,
    prefix_padding_ms: prefixPaddingMs,
    silence_duration_ms: silenceMs,
    idle_timeout_ms: null,
    create_response: true,
    interrupt_response: true,
  }
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}
