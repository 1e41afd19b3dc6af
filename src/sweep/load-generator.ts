/** What the load generator said of itself during a level, as it stands in a result, and what to warn of. Pure. */
import type { GcTotals, HostRecord, MonitoredDistribution, SelfMonitoring } from '../capture/self-monitoring.js'
import { percent } from './verdict-text.js'

export interface LoadGenerator {
  /** Sending processes that left a record. */
  readonly senders: number
  readonly event_loop_delay_ms: MonitoredDistribution | null
  /** By how much receipts were read late; null where it could not be measured. */
  readonly receive_delay_ms: MonitoredDistribution | null
  readonly gc: GcTotals
  /** The most that one sender had waiting; null where nobody counted. */
  readonly pending_trace_bytes_max: number | null
  readonly pending_writes_max: number | null
  readonly rss_max_mb: number
  readonly trace_bytes: number
  /** Null where the system does not say. */
  readonly host: Omit<HostRecord, 'series'> | null
}

export function loadGenerator(monitoring: SelfMonitoring): LoadGenerator {
  const { senders, event_loop_delay_ms, receive_delay_ms, gc, rss_max_mb, trace_bytes, host } = monitoring
  const seconds = senders.flatMap(({ series }) => series)
  return {
    senders: senders.length,
    event_loop_delay_ms,
    receive_delay_ms,
    gc,
    pending_trace_bytes_max: largest(seconds.map(({ pending_trace_bytes: bytes }) => bytes)),
    pending_writes_max: largest(seconds.map(({ pending_writes: writes }) => writes)),
    rss_max_mb,
    trace_bytes,
    host: host === null ? null : summaryOf(host),
  }
}

/** More of the processors' time than this taken by other guests is worth a word, and so is this much waiting for one. */
const STEAL_MAX = 0.02
const CPU_PRESSURE_MAX = 0.2

/** @returns what in the host itself could have delayed both the load generator and a server beside it */
export function hostWarnings(host: LoadGenerator['host'] | undefined): string[] {
  const steal = host?.steal?.mean ?? 0
  const waiting = host?.cpu_some?.mean ?? 0
  return [
    ...(steal > STEAL_MAX
      ? [`other guests of the load generator's machine took ${percent(steal)} of its processor time`]
      : []),
    ...(waiting > CPU_PRESSURE_MAX
      ? [`on the load generator's host some task waited for a processor ${percent(waiting)} of the time`]
      : []),
  ]
}

function summaryOf({ series: _series, ...summary }: HostRecord): Omit<HostRecord, 'series'> {
  return summary
}

function largest(values: readonly (number | null)[]): number | null {
  return values.reduce((most, value) => (value === null ? most : Math.max(most ?? value, value)), null)
}
