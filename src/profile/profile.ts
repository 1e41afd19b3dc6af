/**
 * A profile describes one kind of server: protocol, audio formats, unit, what a valid session looks like, and the
 * targets it is judged by. One schema for the shipped files in `profiles/` and for a user's own.
 */
import { z } from 'zod'

export const PROFILE_SCHEMA_NAME = 'floorload.profile/1'

export const PROTOCOLS = ['native', 'turn-based', 'legacy-half-duplex', 'openai-realtime', 'vllm-duplex'] as const
export type ProtocolName = (typeof PROTOCOLS)[number]

/** Input is sent in packets of this length; the metrics are defined for it (docs/metrics.md, section 1). */
export const PACKET_MS = 80

const sampleRateHz = z.number().int().min(8000).max(96000)

export const targetsSchema = z.strictObject({
  /** Highest share of missed units that meets the target; native only. */
  unit_miss_rate_max: z.number().min(0).max(1).default(0.01),
  /** A reply real-time factor p90 at or above this misses; turn-based only. */
  rtf_p90_below: z.number().positive().default(1),
})

const profileFields = z.strictObject({
  schema: z.literal(PROFILE_SCHEMA_NAME),
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower case letters, digits, dots, dashes and underscores'),
  description: z.string().min(1),
  /** Other names under which the same profile is known in the field. */
  aliases: z.array(z.string().min(1)).default([]),
  protocol: z.enum(PROTOCOLS),
  trace_format: z.string().min(1),
  /** Length of the server's native unit (or intake receipt); null where the protocol has none. */
  unit_ms: z.number().int().min(10).max(10_000).nullable(),
  input: z.strictObject({
    sample_rate_hz: sampleRateHz,
    /** Silence appended to every input, where a server ends the last turn only after hearing some. */
    trailing_silence_ms: z.number().int().min(0).max(60_000).default(0),
  }),
  output: z.strictObject({
    sample_rate_hz: sampleRateHz,
    /** Audio flows for the whole session, speech or not; a session without overlap of input and output is `not_exercised`. */
    continuous: z.boolean().default(false),
    /**
     * How much output a whole session must carry: `none` asks nothing; `frame_per_unit` exactly one frame of one unit's
     * length per input unit; `frame_per_unit_or_one_more` a whole number of frames, as many as units or one more.
     */
    conservation: z.enum(['none', 'frame_per_unit', 'frame_per_unit_or_one_more']).default('none'),
  }),
  replies: z
    .strictObject({
      /** A `stop` before the end of the input was sent is a violation (one response lasts the whole session). */
      stop_needs_input_end: z.boolean().default(false),
      /** `completed` reasons accepted beside `stop`. */
      extra_completed_reasons: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  /** The `session` object of the first `session.update`, as it goes on the wire. */
  session: z.record(z.string(), z.unknown()).default({}),
  /**
   * What a client without a drain receipt waits before it ends the session: legacy, from the input's end to the liveness
   * probe; OpenAI Realtime, quiet after the last reply; vLLM duplex, from the input's end to `session.close`.
   */
  end_wait_ms: z.number().int().min(0).max(600_000).default(2000),
  /** Name of the model, where the deployment checks it; recorded in manifests. */
  model: z.string().min(1).optional(),
  targets: targetsSchema.prefault({}),
})

/**
 * Units and packets must be whole numbers of samples: media time is counted in samples, never in fractions. A protocol
 * with units needs their length.
 */
export const profileSchema = profileFields.superRefine((profile, context) => {
  const rate = profile.input.sample_rate_hz
  if ((PACKET_MS * rate) % 1000 !== 0) {
    context.addIssue({
      code: 'custom',
      path: ['input', 'sample_rate_hz'],
      message: `must make a packet of ${PACKET_MS} ms a whole number of samples`,
    })
  }
  if (profile.unit_ms !== null && (profile.unit_ms * rate) % 1000 !== 0) {
    context.addIssue({ code: 'custom', path: ['unit_ms'], message: `must be a whole number of samples at ${rate} Hz` })
  }
  if (profile.unit_ms === null && (profile.protocol === 'native' || profile.protocol === 'turn-based')) {
    context.addIssue({
      code: 'custom',
      path: ['unit_ms'],
      message: `must be a number of milliseconds for the protocol ${profile.protocol}`,
    })
  }
})

export type Profile = Readonly<z.infer<typeof profileSchema>>
export type Targets = Readonly<z.infer<typeof targetsSchema>>

/**
 * Judged by units and their deadlines (`native`), by how fast replies stream (`turn_based`), or, where the protocol has
 * neither unit receipts nor turns (`stream`), by sessions and pacing alone.
 */
export type Mode = 'native' | 'turn_based' | 'stream'

const MODES: Record<ProtocolName, Mode> = {
  native: 'native',
  'turn-based': 'turn_based',
  'legacy-half-duplex': 'turn_based',
  'openai-realtime': 'turn_based',
  'vllm-duplex': 'stream',
}

export function modeOf(profile: Profile): Mode {
  return MODES[profile.protocol]
}

/** What `turn_detection` is to a protocol: the server's own business, the user's choice, or a choice with a default. */
export type TurnDetectionRule = 'refused' | 'required' | 'optional'

const TURN_DETECTION: Record<ProtocolName, TurnDetectionRule> = {
  native: 'refused',
  'turn-based': 'required',
  'legacy-half-duplex': 'required',
  'openai-realtime': 'optional',
  'vllm-duplex': 'refused',
}

export function turnDetectionRule(profile: Profile): TurnDetectionRule {
  return TURN_DETECTION[profile.protocol]
}

/** Input samples of one unit; undefined where the protocol has no units. Exact: a profile with a fraction is refused on loading. */
export function samplesPerUnit(profile: Profile): number | undefined {
  return profile.unit_ms === null ? undefined : (profile.unit_ms * profile.input.sample_rate_hz) / 1000
}

/** Input samples of one full packet. */
export function samplesPerPacket(profile: Profile): number {
  return (PACKET_MS * profile.input.sample_rate_hz) / 1000
}
