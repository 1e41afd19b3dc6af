/** What a load process recorded of itself during a level: `self-monitoring.json`, written whole at its end. */
import { z } from 'zod'

export const SELF_MONITORING_SCHEMA_NAME = 'floorload.self-monitoring/1'

export const selfMonitoringSchema = z.object({
  schema: z.literal(SELF_MONITORING_SCHEMA_NAME),
  /** How often the monitor asked to be woken. */
  interval_ms: z.number(),
  /** Wake-ups that came later than `threshold_ms`: due, came, next came; seconds on the trace's clock. */
  threshold_ms: z.number(),
  stalls: z.array(z.tuple([z.number(), z.number(), z.number()])),
  event_loop_delay_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
  gc: z.object({ pauses: z.number(), total_ms: z.number(), max_ms: z.number() }),
  /** One entry a second: seconds on the trace's clock, worst event-loop delay, worst send lateness, share of one core. */
  series: z.array(
    z.object({
      at_s: z.number(),
      loop_delay_max_ms: z.number(),
      send_lateness_max_ms: z.number(),
      sends: z.number(),
      cpu_share: z.number(),
      open_sessions: z.number(),
    }),
  ),
  /** HDR percentiles of send lateness as they were shown live; final figures come from the receipts. */
  live_send_lateness_us: z.object({ p50: z.number(), p99: z.number(), max: z.number(), n: z.number() }).nullable(),
  rss_max_mb: z.number(),
  trace_bytes: z.number(),
})
export type SelfMonitoring = z.infer<typeof selfMonitoringSchema>
