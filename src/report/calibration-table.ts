/** A calibration as a person reads it. */
import Table from 'cli-table3'
import {
  type Calibration,
  type CalibrationStep,
  HEADROOM_SHARE_MAX,
  type SessionLimit,
} from '../sweep/calibration/calibration.js'

const HEAD = [
  'senders',
  'sessions',
  'sent late ms\np50 p99 p99.9 max',
  'received late\np99 ms',
  'loop delay\np99 ms',
  'CPU ms per\nsession-second',
  'memory\nMB',
  'holds',
]

const LIMIT_TEXT: Record<SessionLimit['limited_by'], string> = {
  timing: 'more go out late',
  file_descriptors: 'limited by open files, not by timing: raise ulimit -n',
  ephemeral_ports: 'limited by local ports, not by timing: widen net.ipv4.ip_local_port_range',
  asked: 'more were not tried',
}

export function calibrationText(calibration: Calibration): string {
  const { per_sender: one, host_limit: all, transport, steps } = calibration
  const table = new Table({ head: HEAD, style: { head: [], border: [] }, colAligns: HEAD.map(() => 'right') })
  for (const step of [...steps].sort((a, b) => a.senders - b.senders || a.sessions - b.sessions))
    table.push(stepRow(step))
  return [
    table.toString(),
    '',
    `One sender drives ${sessionsText(one)} over ${transport} (${LIMIT_TEXT[one.limited_by]}).`,
    `This host drives ${sessionsText(all)} with ${all.senders === 1 ? 'one sender' : `${all.senders} senders`} (${LIMIT_TEXT[all.limited_by]}).`,
    `Up to ${Math.floor(all.sessions * HEADROOM_SHARE_MAX)} sessions leave room; a sweep warns above that.`,
  ].join('\n')
}

/** One line while a calibration runs. */
export function stepLine({ senders, sessions, holds, reason, send_lateness_ms: late }: CalibrationStep): string {
  const who = senders === 1 ? '' : `, ${senders} senders`
  return `${sessions} sessions${who}: sent late p99 ${late.p99.toFixed(1)} ms, max ${late.max.toFixed(1)} ms: ${holds ? 'holds' : reason}`
}

function stepRow(step: CalibrationStep): string[] {
  const { p50, p99, p99_9, max } = step.send_lateness_ms
  const one = (value: number | null) => (value === null ? '–' : value.toFixed(1))
  return [
    String(step.senders),
    String(step.sessions),
    [p50, p99, p99_9, max].map(one).join(' '),
    one(step.receive_delay_p99_ms),
    one(step.event_loop_delay_p99_ms),
    step.cpu_ms_per_session_s === null ? '–' : step.cpu_ms_per_session_s.toFixed(2),
    step.rss_max_mb.toFixed(0),
    step.holds ? 'yes' : `no: ${step.reason}`,
  ]
}

function sessionsText({ sessions }: SessionLimit): string {
  return sessions === 1 ? 'one session' : `${sessions} sessions`
}
