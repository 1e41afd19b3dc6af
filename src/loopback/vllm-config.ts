/**
 * The configuration of a session in the vLLM duplex dialect, flat as in the beta of OpenAI's, and its `session` object.
 * What shows on the wire is checked: formats, rates, modalities, turn detection, policies. Anything else is taken without
 * effect, a reference voice (`ref_audio`) and `idle_timeout_s` among it. Pure. Source: docs/protocols.md, 6.2.
 */
import { z } from 'zod'
import { type Problem, problemOfSchema, refusal } from './openai-error.js'

const FORMATS = ['pcm16', 'pcm_s16le'] as const

const rateField = z.looseObject({ sample_rate_hz: z.number().optional() }).optional()
const updateSchema = z.looseObject({
  model: z.string().min(1).optional(),
  modalities: z
    .array(z.enum(['audio', 'text']))
    .refine((modalities) => modalities.includes('audio'), 'must hold "audio"')
    .optional(),
  instructions: z.string().optional(),
  input_audio_format: z.enum(FORMATS, 'must be pcm16').optional(),
  output_audio_format: z.enum(FORMATS, 'must be pcm16').optional(),
  sample_rate_hz: z.number().optional(),
  audio: z.looseObject({ input: rateField, output: rateField }).optional(),
  turn_detection: z
    .looseObject({ type: z.literal('server_vad'), interrupt_response: z.literal(false) })
    .nullable()
    .optional(),
  overlap_policy: z.enum(['listen_only', 'barge_in_on_speech']).optional(),
  playback_commit_policy: z.enum(['ack_only', 'commit_all_on_done']).optional(),
  extra_body: z
    .looseObject({
      auto_response: z.boolean().optional(),
      force_listen_count: z.number().int().min(0).max(1000).optional(),
    })
    .optional(),
})

export interface VllmConfig {
  readonly model: string
  readonly modalities: readonly string[]
  readonly instructions: string
  readonly input_audio_format: string
  readonly output_audio_format: string
  readonly turn_detection: unknown
  /** `barge_in_on_speech` where the client does not say. */
  readonly overlap_policy: 'listen_only' | 'barge_in_on_speech'
  readonly playback_commit_policy: 'ack_only' | 'commit_all_on_done'
  readonly extra_body: { readonly auto_response?: boolean; readonly force_listen_count?: number }
}

export interface VllmRates {
  readonly inputRateHz: number
  readonly outputRateHz: number
}

export function defaultVllmConfig(model: string): VllmConfig {
  return {
    model,
    modalities: ['audio', 'text'],
    instructions: '',
    input_audio_format: 'pcm16',
    output_audio_format: 'pcm16',
    turn_detection: null,
    overlap_policy: 'barge_in_on_speech',
    playback_commit_policy: 'ack_only',
    extra_body: {},
  }
}

/** Fields that the update leaves out stay as they were. */
export function mergeVllmConfig(
  config: VllmConfig,
  update: Readonly<Record<string, unknown>>,
  { inputRateHz, outputRateHz }: VllmRates,
): { readonly ok: true; readonly config: VllmConfig } | { readonly ok: false; readonly problem: Problem } {
  const parsed = updateSchema.safeParse(update)
  if (!parsed.success) return { ok: false, problem: problemOfSchema(parsed.error, 'session') }
  const { data } = parsed
  const rates = [
    { path: 'session.sample_rate_hz', rate: data.sample_rate_hz, taken: inputRateHz },
    { path: 'session.audio.input.sample_rate_hz', rate: data.audio?.input?.sample_rate_hz, taken: inputRateHz },
    { path: 'session.audio.output.sample_rate_hz', rate: data.audio?.output?.sample_rate_hz, taken: outputRateHz },
  ]
  for (const { path, rate, taken } of rates) {
    if (rate !== undefined && rate !== taken) {
      return { ok: false, problem: refusal('invalid_value', `${path} is ${rate}; this model has ${taken}`, path) }
    }
  }
  const known = Object.keys(config).filter((key) => data[key] !== undefined)
  return { ok: true, config: { ...config, ...Object.fromEntries(known.map((key) => [key, data[key]])) } }
}

export interface VllmSessionState {
  readonly id: string
  readonly epoch: number
  readonly isReplying: boolean
  readonly playback: Readonly<Record<string, number>>
  /** Audio of one unit but the first. */
  readonly unitMs: number
}

/** The `session` object of `session.created` and `session.updated`. */
export function describeVllmSession(
  { extra_body: _, ...config }: VllmConfig,
  { inputRateHz, outputRateHz }: VllmRates,
  { id, epoch, isReplying, playback, unitMs }: VllmSessionState,
): Record<string, unknown> {
  return {
    ...{ id, object: 'realtime.session', type: 'realtime', state: 'open' },
    turn_state: isReplying ? 'speaking' : 'idle',
    epoch,
    ...config,
    audio: { input: { sample_rate_hz: inputRateHz }, output: { sample_rate_hz: outputRateHz } },
    playback,
    capabilities: {
      implementation_level: 'model_native_duplex',
      chunk_period_ms: unitMs,
      supports_barge_in: true,
      supports_session_resume: false,
      supports_audio_truncate: true,
      supports_multi_session: true,
    },
  }
}
