/** How conversation quality is scored beside the capacity, and how much worse than unloaded it may be. */
import { z } from 'zod'

/**
 * A level is worse when a metric is worse than at the lowest level by more than this; `null` leaves a metric out of the
 * decision. Shares in points of 1, latencies in seconds.
 * Source: docs/metrics.md, "Quality against load".
 */
export const DEFAULT_MARGINS = {
  pause_intrusion_rate: 0.1,
  early_start_rate: 0.1,
  response_rate_2s: 0.1,
  response_latency_s: 0.5,
  stop_latency_s: 0.5,
} as const

const share = z.number().min(0).lt(1).nullable()
const seconds = z.number().min(0).max(600).nullable()

export const qualitySettingsSchema = z.strictObject({
  /** Where word times come from, as for `floorload score --transcripts`; `vad` counts speech segments as words. */
  transcripts: z.string().min(1).default('vad'),
  /** Model name for a transcription endpoint. */
  asr_model: z.string().min(1).optional(),
  margins: z
    .strictObject({
      pause_intrusion_rate: share.optional(),
      early_start_rate: share.optional(),
      response_rate_2s: share.optional(),
      no_response_rate: share.optional(),
      exercised_rate: share.optional(),
      speaking_at_end_rate: share.optional(),
      response_latency_s: seconds.optional(),
      stop_latency_s: seconds.optional(),
    })
    .prefault({}),
})
export type QualitySettings = Readonly<z.infer<typeof qualitySettingsSchema>>

/** The margins that decide: the defaults with the settings laid over them, and what is `null` taken out. */
export function decidingMargins(settings: QualitySettings): Readonly<Record<string, number>> {
  const merged: Record<string, number | null | undefined> = { ...DEFAULT_MARGINS, ...settings.margins }
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}
