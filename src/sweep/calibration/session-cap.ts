/** How many sessions a calibration may try at all, and why not more. Pure. */
import type { HostFacts } from '../preflight/host-facts.js'
import type { CalibrationLimit } from './calibration.js'

/** Files that a process has open beside its sockets. */
const OTHER_FILES = 64
/** Nobody has seen more, and a ladder needs an end. */
const MOST_SESSIONS = 100_000

export interface SessionCap {
  readonly sessions: number
  readonly limitedBy: CalibrationLimit
}

/** The null server is one process: it has all the sockets that the senders share. */
export function sessionCap(options: {
  readonly facts: Pick<HostFacts, 'openFilesMax' | 'localPorts'>
  readonly senders: number
  readonly maxSessions: number | undefined
}): SessionCap {
  const { facts, maxSessions } = options
  const caps: SessionCap[] = [
    { sessions: maxSessions ?? MOST_SESSIONS, limitedBy: 'asked' },
    { sessions: (facts.openFilesMax ?? Number.POSITIVE_INFINITY) - OTHER_FILES, limitedBy: 'file_descriptors' },
    { sessions: facts.localPorts ?? Number.POSITIVE_INFINITY, limitedBy: 'ephemeral_ports' },
  ]
  const lowest = caps.reduce((low, cap) => (cap.sessions < low.sessions ? cap : low))
  return { ...lowest, sessions: Math.max(1, lowest.sessions) }
}
