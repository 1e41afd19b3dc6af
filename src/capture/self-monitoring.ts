/**
 * What the load generator recorded of itself during a level: `self-monitoring.json`, written whole at its end. One record
 * for each sending process, and the figures of all of them together.
 */
import { z } from 'zod'
import { usFromSeconds } from '../base/clock.js'

export const SELF_MONITORING_SCHEMA_NAME = 'floorload.self-monitoring/2'
const EARLIER_SCHEMA_NAME = 'floorload.self-monitoring/1'

/** Of a histogram with three digits; what an earlier recorder did not keep is null. */
const distributionSchema = z.object({
  p50: z.number(),
  p99: z.number(),
  p99_9: z.number().nullable(),
  max: z.number(),
  n: z.number().nullable(),
})
export type MonitoredDistribution = z.infer<typeof distributionSchema>

const gcSchema = z.object({ pauses: z.number(), total_ms: z.number(), max_ms: z.number() })
export type GcTotals = z.infer<typeof gcSchema>

/** About one second of a sender; null where there was nothing to measure. */
const senderSecondSchema = z.object({
  /** When it began, seconds on the trace's clock. */
  at_s: z.number(),
  sends: z.number(),
  send_lateness_p99_ms: z.number().nullable(),
  send_lateness_max_ms: z.number(),
  loop_delay_max_ms: z.number(),
  receive_delay_p99_ms: z.number().nullable(),
  receive_delay_max_ms: z.number().nullable(),
  gc_pauses: z.number().nullable(),
  gc_total_ms: z.number().nullable(),
  gc_max_ms: z.number().nullable(),
  /** The most of ten looks: bytes of traces not yet written, packets not yet taken by the sockets. Null where nobody counts. */
  pending_trace_bytes: z.number().nullable(),
  pending_writes: z.number().nullable(),
  open_sessions: z.number(),
  /** Of one core. */
  cpu_share: z.number(),
  rss_mb: z.number().nullable(),
})
export type SenderSecond = z.infer<typeof senderSecondSchema>

const figures = {
  event_loop_delay_ms: distributionSchema.nullable(),
  /** By how much the process read late what had arrived; null where the probe could not run. */
  receive_delay_ms: distributionSchema.nullable(),
  /** As it was shown live; final figures come from the receipts. */
  live_send_lateness_us: distributionSchema.nullable(),
  gc: gcSchema,
  rss_max_mb: z.number(),
  trace_bytes: z.number(),
}

const senderSchema = z.object({
  sender: z.number(),
  /** Folders of its sessions below the run's; null where it had all of them. */
  sessions: z.array(z.string()).nullable(),
  /** Wake-ups that came later than `threshold_ms`: due, came, next came; seconds on the trace's clock. */
  stalls: z.array(z.tuple([z.number(), z.number(), z.number()])),
  /** Pauses of the garbage collector of at least `threshold_ms`: begin and end, and what it did. */
  gc_pauses: z.array(z.tuple([z.number(), z.number(), z.string()])),
  ...figures,
  series: z.array(senderSecondSchema),
})
export type SenderRecord = z.infer<typeof senderSchema>

const share = z.number().nullable()
const hostSecondSchema = z.object({
  at_s: z.number(),
  /** Shares of the time since the last entry: some task waited for it; all of them did. */
  cpu_some: share,
  memory_some: share,
  memory_full: share,
  io_some: share,
  io_full: share,
  /** Share of the processors' time that other guests of the machine took. */
  steal: share,
  /** Share of the processors' time in which they worked. */
  busy: share,
  /** Mean number of runnable tasks over a minute. */
  load1: z.number().nullable(),
})
export type HostSecond = z.infer<typeof hostSecondSchema>

const meanAndMax = z.object({ mean: z.number(), max: z.number() }).nullable()
const hostSchema = z.object({
  cpu_some: meanAndMax,
  memory_some: meanAndMax,
  io_some: meanAndMax,
  steal: meanAndMax,
  busy: meanAndMax,
  load1_max: z.number().nullable(),
  series: z.array(hostSecondSchema),
})
export type HostRecord = z.infer<typeof hostSchema>

export const selfMonitoringSchema = z.object({
  schema: z.literal(SELF_MONITORING_SCHEMA_NAME),
  /** How often each monitor asked to be woken. */
  interval_ms: z.number(),
  threshold_ms: z.number(),
  /** Of all senders: histograms and counts added up, maxima of maxima. */
  ...figures,
  senders: z.array(senderSchema),
  host: hostSchema.nullable(),
})
export type SelfMonitoring = z.infer<typeof selfMonitoringSchema>

/** One process, and less of it. */
const earlierSchema = z.object({
  schema: z.literal(EARLIER_SCHEMA_NAME),
  interval_ms: z.number(),
  threshold_ms: z.number(),
  stalls: senderSchema.shape.stalls,
  event_loop_delay_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
  gc: gcSchema,
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
  live_send_lateness_us: z.object({ p50: z.number(), p99: z.number(), max: z.number(), n: z.number() }).nullable(),
  rss_max_mb: z.number(),
  trace_bytes: z.number(),
})

/** @returns undefined for what is no such record, or one of an unknown version: as if there were none */
export function parseSelfMonitoring(value: unknown): SelfMonitoring | undefined {
  const parsed = selfMonitoringSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const earlier = earlierSchema.safeParse(value)
  return earlier.success ? asOneSender(earlier.data) : undefined
}

function asOneSender(earlier: z.infer<typeof earlierSchema>): SelfMonitoring {
  const { interval_ms, threshold_ms, stalls, series, gc, rss_max_mb, trace_bytes } = earlier
  const loop = earlier.event_loop_delay_ms
  const lateness = earlier.live_send_lateness_us
  const common = {
    event_loop_delay_ms: loop === null ? null : { ...loop, p99_9: null, n: null },
    receive_delay_ms: null,
    live_send_lateness_us: lateness === null ? null : { ...lateness, p99_9: null },
    gc,
    rss_max_mb,
    trace_bytes,
  }
  const sender: SenderRecord = {
    sender: 0,
    sessions: null,
    stalls,
    gc_pauses: [],
    ...common,
    series: series.map((second) => ({
      ...second,
      send_lateness_p99_ms: null,
      receive_delay_p99_ms: null,
      receive_delay_max_ms: null,
      gc_pauses: null,
      gc_total_ms: null,
      gc_max_ms: null,
      pending_trace_bytes: null,
      pending_writes: null,
      rss_mb: null,
    })),
  }
  return { schema: SELF_MONITORING_SCHEMA_NAME, interval_ms, threshold_ms, ...common, senders: [sender], host: null }
}

export interface RecordedStall {
  readonly dueAtUs: number
  readonly ranAtUs: number
  readonly endAtUs: number
}

/** Stalls of one sender in microseconds on the trace's clock, and whose they are. */
export interface SenderStalls {
  /** Names of the sessions as readers of a run call them; null for all. */
  readonly sessions: readonly string[] | null
  readonly stalls: readonly RecordedStall[]
}

export function senderStalls({ senders }: SelfMonitoring): readonly SenderStalls[] {
  return senders.map(({ sessions, stalls }) => ({
    sessions: sessions === null ? null : sessions.map((directory) => directory.replace(/^samples\//, '')),
    stalls: stalls.map(([due, ran, end]) => ({
      dueAtUs: usFromSeconds(due),
      ranAtUs: usFromSeconds(ran),
      endAtUs: usFromSeconds(end),
    })),
  }))
}
