/** What one rung of the ladder says. Pure. */
import type { SelfMonitoring, SenderSecond } from '../../capture/self-monitoring.js'
import type { CalibrationStep } from './calibration.js'

/** A rung holds while the 99th percentile of lateness stays below the first and every packet below the second. */
export const LATENESS_P99_MAX_MS = 5
export const LATENESS_MAX_MS = 20

export function calibrationStep(run: {
  readonly sessions: number
  /** Of them, those that came to their end. */
  readonly completed: number
  readonly monitoring: SelfMonitoring
}): CalibrationStep {
  const { sessions, completed, monitoring } = run
  const late = monitoring.live_send_lateness_us
  const ms = (us: number | null | undefined) => (us ?? 0) / 1000
  const lateness = { p50: ms(late?.p50), p99: ms(late?.p99), p99_9: ms(late?.p99_9), max: ms(late?.max) }
  const reason = reasonOf({ sessions, completed, lateness: late === null ? undefined : lateness })
  return {
    senders: monitoring.senders.length,
    sessions,
    holds: reason === '',
    reason,
    send_lateness_ms: lateness,
    receive_delay_p99_ms: monitoring.receive_delay_ms?.p99 ?? null,
    event_loop_delay_p99_ms: monitoring.event_loop_delay_ms?.p99 ?? null,
    cpu_ms_per_session_s: cpuOf(monitoring, sessions),
    rss_max_mb: monitoring.rss_max_mb,
  }
}

function reasonOf({
  sessions,
  completed,
  lateness,
}: {
  readonly sessions: number
  readonly completed: number
  readonly lateness: CalibrationStep['send_lateness_ms'] | undefined
}): string {
  if (lateness === undefined) return 'nothing was sent'
  if (completed < sessions) return `${sessions - completed} of ${sessions} sessions failed`
  if (lateness.max > LATENESS_MAX_MS) return `a packet went out ${lateness.max.toFixed(1)} ms late`
  if (lateness.p99 > LATENESS_P99_MAX_MS) return `lateness p99 is ${lateness.p99.toFixed(1)} ms`
  return ''
}

/** From the seconds in which all sessions were open: beginning and end are another kind of work. */
function cpuOf({ senders }: SelfMonitoring, sessions: number): number | null {
  const cores = senders.map(({ series }) => {
    const most = series.reduce((open, second) => Math.max(open, second.open_sessions), 0)
    const full = series.slice(1, -1).filter((second: SenderSecond) => second.open_sessions === most && second.sends > 0)
    return full.length === 0 ? null : full.reduce((sum, { cpu_share }) => sum + cpu_share, 0) / full.length
  })
  const known = cores.filter((share) => share !== null)
  if (known.length === 0 || known.length < cores.length) return null
  return Math.round((1e6 * known.reduce((sum, share) => sum + share, 0)) / sessions) / 1000
}
