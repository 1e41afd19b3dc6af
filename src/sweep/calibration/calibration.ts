/**
 * What a host was found to drive: `floorload.calibration/1` (docs/formats.md, "Calibration"). It holds for the host, the
 * runtime and the transport with which it was made, and for no others. Pure.
 */
import { z } from 'zod'

export const CALIBRATION_SCHEMA_NAME = 'floorload.calibration/1'

/** What has to be the same for a calibration to count. */
export const calibratedHostSchema = z.object({
  tool_version: z.string(),
  node: z.string(),
  platform: z.string(),
  arch: z.string(),
  cpu_model: z.string().nullable(),
  cores: z.number().int().min(1),
})
export type CalibratedHost = z.infer<typeof calibratedHostSchema>

const stepSchema = z.object({
  senders: z.number().int().min(1),
  sessions: z.number().int().min(1),
  holds: z.boolean(),
  /** Why it does not hold; empty where it does. */
  reason: z.string(),
  send_lateness_ms: z.object({ p50: z.number(), p99: z.number(), p99_9: z.number(), max: z.number() }),
  receive_delay_p99_ms: z.number().nullable(),
  event_loop_delay_p99_ms: z.number().nullable(),
  /** Processor time of the senders for each second of each session. */
  cpu_ms_per_session_s: z.number().nullable(),
  rss_max_mb: z.number(),
})
export type CalibrationStep = z.infer<typeof stepSchema>

export const LIMITS = ['timing', 'file_descriptors', 'ephemeral_ports', 'asked'] as const
export type CalibrationLimit = (typeof LIMITS)[number]

const limitSchema = z.object({
  senders: z.number().int().min(1),
  /** The most sessions that held; 0 where none did. */
  sessions: z.number().int().min(0),
  /** What kept it from being more. */
  limited_by: z.enum(LIMITS),
})
export type SessionLimit = z.infer<typeof limitSchema>

export const calibrationSchema = z.object({
  schema: z.literal(CALIBRATION_SCHEMA_NAME),
  made_at: z.string(),
  host: calibratedHostSchema,
  transport: z.string(),
  packet_ms: z.number(),
  /** Share of the units that the null server answered with audio. */
  reply_share: z.number(),
  per_sender: limitSchema,
  /** With as many senders as this host gets by itself. */
  host_limit: limitSchema,
  steps: z.array(stepSchema),
})
export type Calibration = z.infer<typeof calibrationSchema>

/** A level above this share of what a host can drive deserves a second look. */
export const HEADROOM_SHARE_MAX = 0.7

/** What a calibration has to match: the first thing that differs, in words; undefined where nothing does. */
export function calibrationMismatch(
  calibration: Calibration,
  now: { readonly host: CalibratedHost; readonly transport: string },
): string | undefined {
  if (calibration.transport !== now.transport) {
    return `it was made with the transport ${calibration.transport}, and this is ${now.transport}`
  }
  for (const key of Object.keys(now.host) as (keyof CalibratedHost)[]) {
    if (calibration.host[key] !== now.host[key]) {
      return `it was made with ${key} ${calibration.host[key]}, and this is ${now.host[key]}`
    }
  }
  return undefined
}

/** Sessions that a level with so many senders can have: as measured for one, or for all; in between in proportion. */
export function calibratedSessions({ per_sender: one, host_limit: all }: Calibration, senders: number): number {
  if (senders >= all.senders) return all.sessions
  return Math.min(all.sessions, one.sessions * senders)
}
