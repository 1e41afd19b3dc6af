/**
 * What would spoil a sweep before it begins: limits of the host that the load will run into, named, with what to do about
 * each (docs/preflight.md). An error is what cannot work; a warning what may not measure what was meant. Pure.
 */
import type { HostFacts } from './host-facts.js'

export const PREFLIGHT_CHECKS = [
  'file_descriptors',
  'ephemeral_ports',
  'memory',
  'cpu_governor',
  'cpu_quota',
  'host_load',
  'senders',
] as const
export type PreflightCheck = (typeof PREFLIGHT_CHECKS)[number]

export interface PreflightFinding {
  readonly check: PreflightCheck
  readonly severity: 'warning' | 'error'
  /** What is so, with its numbers. */
  readonly message: string
  readonly fix: string
}

/** What the sweep is going to ask of the host. */
export interface PlannedLoad {
  /** Sessions at once in the highest level, and processes that share them. */
  readonly concurrency: number
  readonly senders: number
  /** Sessions of the level with most of them: each leaves a port behind that is held for a minute. */
  readonly sessions: number
  readonly sessionS: number
}

/** Files that a sender has open beside its sockets: runtime, journal, channel, probe, libraries. */
const OTHER_FILES = 64
/** A closed connection keeps its port for this long. */
const TIME_WAIT_S = 60
/** Of a sender without sessions, and of each session: larger than what was measured (docs/performance.md). */
const SENDER_BYTES = 250e6
const SESSION_BYTES = 100e3
/** A machine that is busy with something else shows in the lateness. */
const LOAD_PER_CORE_MAX = 0.5

/** @returns findings in a fixed order; none where nothing is wrong, or nothing is known */
export function preflightFindings(facts: HostFacts, load: PlannedLoad): PreflightFinding[] {
  return [
    fileDescriptors(facts, load),
    ephemeralPorts(facts, load),
    memory(facts, load),
    governor(facts),
    quota(facts, load),
    hostLoad(facts),
    senders(facts, load),
  ].filter((finding) => finding !== undefined)
}

function fileDescriptors({ openFilesMax }: HostFacts, load: PlannedLoad): PreflightFinding | undefined {
  const needed = Math.ceil(load.concurrency / load.senders) + OTHER_FILES
  if (openFilesMax === undefined || openFilesMax >= needed) return undefined
  return {
    check: 'file_descriptors',
    severity: 'error',
    message: `a process may have ${openFilesMax} files open, and a sender of level ${load.concurrency} needs ${needed}`,
    fix: `raise the limit (ulimit -n ${2 ** Math.ceil(Math.log2(2 * needed))}; LimitNOFILE= of a systemd unit; --ulimit nofile= of docker run), or use more --senders`,
  }
}

function ephemeralPorts({ localPorts }: HostFacts, load: PlannedLoad): PreflightFinding | undefined {
  if (localPorts === undefined) return undefined
  const fix = 'widen the range (sysctl -w net.ipv4.ip_local_port_range="1024 65535"), or lower --concurrency'
  if (load.concurrency > localPorts) {
    return {
      check: 'ephemeral_ports',
      severity: 'error',
      message: `this host has ${localPorts} local ports for connections to one server, and level ${load.concurrency} needs one for each session`,
      fix,
    }
  }
  // Sessions that began within the time for which a closed connection keeps its port.
  const held = Math.min(load.sessions, load.concurrency * (1 + TIME_WAIT_S / Math.max(1, load.sessionS)))
  if (held <= localPorts) return undefined
  return {
    check: 'ephemeral_ports',
    severity: 'warning',
    message: `level ${load.concurrency} may hold ${Math.round(held)} local ports at once, closed connections included, and this host has ${localPorts}`,
    fix,
  }
}

function memory({ memoryAvailableBytes }: HostFacts, load: PlannedLoad): PreflightFinding | undefined {
  const needed = load.senders * SENDER_BYTES + load.concurrency * SESSION_BYTES
  if (memoryAvailableBytes === undefined || memoryAvailableBytes >= needed) return undefined
  return {
    check: 'memory',
    severity: 'warning',
    message: `${megabytes(memoryAvailableBytes)} MB of memory are free, and level ${load.concurrency} may take ${megabytes(needed)} MB`,
    fix: 'end other programs, or lower --concurrency',
  }
}

function governor({ governors }: HostFacts): PreflightFinding | undefined {
  if (!governors.includes('powersave')) return undefined
  return {
    check: 'cpu_governor',
    severity: 'warning',
    message: 'the frequency governor of this host is powersave: packets may go out late while cores speed up',
    fix: 'cpupower frequency-set -g performance',
  }
}

function quota({ cpuQuotaCores }: HostFacts, load: PlannedLoad): PreflightFinding | undefined {
  // Each sender may want a core, and whoever coordinates them a part of one.
  if (cpuQuotaCores === undefined || cpuQuotaCores >= load.senders + 0.5) return undefined
  return {
    check: 'cpu_quota',
    severity: 'warning',
    message: `this container may use ${cpuQuotaCores.toFixed(2)} cores, and ${load.senders === 1 ? 'one sender wants' : `${load.senders} senders want`} one each: it is stopped in the midst of a level when it has used them up`,
    fix: 'give the container more cores (--cpus of docker run, limits.cpu of a pod), or none to count',
  }
}

function hostLoad({ load1, cores }: HostFacts): PreflightFinding | undefined {
  if (load1 === undefined || load1 / cores <= LOAD_PER_CORE_MAX) return undefined
  return {
    check: 'host_load',
    severity: 'warning',
    message: `this host is busy before the sweep begins: ${load1.toFixed(2)} tasks ran in the mean of the last minute, on ${cores} ${cores === 1 ? 'core' : 'cores'}`,
    fix: 'end other programs, or wait until they are done',
  }
}

function senders({ cores }: HostFacts, load: PlannedLoad): PreflightFinding | undefined {
  if (load.senders <= cores) return undefined
  return {
    check: 'senders',
    severity: 'warning',
    message: `${load.senders} senders share ${cores} ${cores === 1 ? 'core' : 'cores'}: they will stand in each other's way`,
    fix: `use at most ${cores} --senders, or auto`,
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
