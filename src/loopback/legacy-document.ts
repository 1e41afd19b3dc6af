/** The `session` object of the legacy half-duplex protocol, asked for and told. Pure. Source: docs/protocols.md, 4.1 */
import { z } from 'zod'
import type { Profile } from '../profile/profile.js'
import { refusalOf } from './client-event.js'
import { isRefusal, type Refusal } from './refusal.js'
import { readAnyVad, type TurnDetection, type TurnDetectionDefaults } from './turn-detection.js'

export interface LegacyConfig {
  readonly modalities: readonly string[]
  /** Null for turns that the client ends; undefined as long as the client has said nothing: then there are none. */
  readonly turnDetection: TurnDetection | null | undefined
  readonly instructions: string
  readonly temperature: number
  readonly maxResponseOutputTokens: number | 'inf'
}

export const LEGACY_DEFAULTS: LegacyConfig = {
  modalities: ['text'],
  turnDetection: undefined,
  instructions: '',
  temperature: 0.8,
  maxResponseOutputTokens: 'inf',
}

const TURN_DETECTION_TYPES = ['server_vad', 'semantic_vad'] as const

const updateSchema = z.strictObject({
  type: z.string().optional(),
  model: z.string().optional(),
  modalities: z
    .array(z.enum(['text', 'audio']))
    .min(1)
    .optional(),
  instructions: z.string().optional(),
  voice: z.string().optional(),
  input_audio_format: z.literal('pcm16').optional(),
  output_audio_format: z.literal('pcm16').optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_response_output_tokens: z.union([z.number().int().min(1), z.literal('inf')]).optional(),
  turn_detection: z.unknown().optional(),
})

export function legacyModel(profile: Profile): string {
  return profile.model ?? 'qwen3-omni'
}

/** What every session of this server has; the capabilities document is the same. */
export function legacyCapabilities(profile: Profile): Record<string, unknown> {
  return {
    object: 'realtime.session',
    model: legacyModel(profile),
    capabilities: { turn_detection: TURN_DETECTION_TYPES },
    ...described(LEGACY_DEFAULTS),
  }
}

export function describeLegacySession(id: string, profile: Profile, config: LegacyConfig): Record<string, unknown> {
  const { turnDetection } = config
  return {
    id,
    ...legacyCapabilities(profile),
    ...described(config),
    ...(turnDetection === undefined ? {} : { turn_detection: turnDetection?.echo ?? null }),
  }
}

/** What is not named stays as it was; an empty object changes nothing. */
export function readLegacyUpdate(
  session: Readonly<Record<string, unknown>>,
  current: LegacyConfig,
  defaults: TurnDetectionDefaults,
): LegacyConfig | Refusal {
  const parsed = updateSchema.safeParse(session)
  if (!parsed.success) return refusalOf(parsed.error, 'session')
  const asked = parsed.data
  const turnDetection = readTurnDetection(asked.turn_detection, current, defaults)
  if (isRefusal(turnDetection)) return turnDetection
  return {
    modalities: asked.modalities ?? current.modalities,
    turnDetection,
    instructions: asked.instructions ?? current.instructions,
    temperature: asked.temperature ?? current.temperature,
    maxResponseOutputTokens: asked.max_response_output_tokens ?? current.maxResponseOutputTokens,
  }
}

function readTurnDetection(asked: unknown, { turnDetection }: LegacyConfig, defaults: TurnDetectionDefaults) {
  if (asked === undefined) return turnDetection
  return asked === null ? null : readAnyVad(asked, defaults, 'session.turn_detection')
}

function described({ modalities, instructions, temperature, maxResponseOutputTokens }: LegacyConfig) {
  return {
    instructions,
    input_audio_format: 'pcm16',
    output_audio_format: 'pcm16',
    temperature,
    max_response_output_tokens: maxResponseOutputTokens,
    modalities,
  }
}
