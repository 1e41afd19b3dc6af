/** What each sending process says of itself at its end, and how the level's record is made of it. Pure. */
import { US_PER_MS } from '../base/clock.js'
import {
  type HostRecord,
  type MonitoredDistribution,
  SELF_MONITORING_SCHEMA_NAME,
  type SelfMonitoring,
  type SenderRecord,
} from '../capture/self-monitoring.js'
import { mergedSummary } from './live-histogram.js'

export const MONITOR_INTERVAL_MS = 10
/** Timers have a resolution of a millisecond; what is below says nothing. */
export const STALL_THRESHOLD_MS = 2

/** As it travels from a sender to the process that merges: histograms of microseconds in HDR's compressed base64. */
export interface SenderMonitoring
  extends Pick<SenderRecord, 'stalls' | 'gc_pauses' | 'gc' | 'series' | 'rss_max_mb' | 'trace_bytes'> {
  readonly loopDelayUs: string
  /** Null where the probe could not run. */
  readonly receiveDelayUs: string | null
  readonly sendLatenessUs: string
}

export interface SenderPart {
  /** Its number, from 0. */
  readonly sender: number
  /** Folders of its sessions, below the run's. */
  readonly sessions: readonly string[]
  readonly monitoring: SenderMonitoring
}

/**
 * One record of a level. Percentiles are those of all senders' values together; maxima are maxima, everything else sums.
 * @param options.parts senders that died without a word have none; any order
 */
export function mergeMonitoring(options: {
  readonly parts: readonly SenderPart[]
  readonly host: HostRecord | null
}): SelfMonitoring {
  const parts = [...options.parts].sort((a, b) => a.sender - b.sender)
  return {
    schema: SELF_MONITORING_SCHEMA_NAME,
    interval_ms: MONITOR_INTERVAL_MS,
    threshold_ms: STALL_THRESHOLD_MS,
    ...figuresOf(parts.map(({ monitoring }) => monitoring)),
    senders: parts.map(({ sender, sessions, monitoring }) => ({
      sender,
      sessions: [...sessions],
      stalls: monitoring.stalls,
      gc_pauses: monitoring.gc_pauses,
      ...figuresOf([monitoring]),
      series: monitoring.series,
    })),
    host: options.host,
  }
}

function figuresOf(senders: readonly SenderMonitoring[]) {
  const total = (of: (sender: SenderMonitoring) => number) => senders.reduce((sum, sender) => sum + of(sender), 0)
  return {
    event_loop_delay_ms: millis(distribution(senders.map(({ loopDelayUs }) => loopDelayUs))),
    receive_delay_ms: millis(distribution(senders.flatMap(({ receiveDelayUs }) => receiveDelayUs ?? []))),
    live_send_lateness_us: distribution(senders.map(({ sendLatenessUs }) => sendLatenessUs)),
    gc: {
      pauses: total(({ gc }) => gc.pauses),
      total_ms: thousandths(total(({ gc }) => gc.total_ms)),
      max_ms: senders.reduce((most, { gc }) => Math.max(most, gc.max_ms), 0),
    },
    rss_max_mb: thousandths(total(({ rss_max_mb }) => rss_max_mb)),
    trace_bytes: total(({ trace_bytes }) => trace_bytes),
  }
}

function distribution(histograms: readonly string[]): MonitoredDistribution | null {
  const summary = mergedSummary(histograms)
  if (summary === null) return null
  const { p50, p99, p999, max, n } = summary
  return { p50, p99, p99_9: p999, max, n }
}

function millis(us: MonitoredDistribution | null): MonitoredDistribution | null {
  if (us === null) return null
  const of = (value: number) => thousandths(value / US_PER_MS)
  return { p50: of(us.p50), p99: of(us.p99), p99_9: us.p99_9 === null ? null : of(us.p99_9), max: of(us.max), n: us.n }
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000
}
