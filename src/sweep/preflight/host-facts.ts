/** What the host says of itself before a sweep, and how its files are read. Undefined wherever it does not say. Pure. */

export interface HostFacts {
  readonly cores: number
  /** Files and sockets that one process may have open. */
  readonly openFilesMax: number | undefined
  /** Ports that one client can use to one address of a server. */
  readonly localPorts: number | undefined
  readonly governors: readonly string[]
  /** Mean number of runnable tasks over the last minute. */
  readonly load1: number | undefined
  /** Cores' worth of time that a container may use. */
  readonly cpuQuotaCores: number | undefined
  readonly memoryAvailableBytes: number | undefined
}

/** Of `/proc/self/limits`: the soft limit. Infinity where there is none. */
export function parseOpenFilesLimit(limits: string | undefined): number | undefined {
  const soft = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1]
  if (soft === undefined) return undefined
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : numberOf(soft)
}

/** Of `net.ipv4.ip_local_port_range`. */
export function parsePortRange(range: string | undefined): number | undefined {
  const match = /^(\d+)\s+(\d+)\s*$/.exec(range ?? '')
  return match === null ? undefined : Math.max(0, Number(match[2]) - Number(match[1]) + 1)
}

/** Of a control group's `cpu.max`: quota and period in microseconds. */
export function parseCpuQuota(text: string | undefined): number | undefined {
  const match = /^(\d+)\s+(\d+)\s*$/.exec(text ?? '')
  return match === null || Number(match[2]) === 0 ? undefined : Number(match[1]) / Number(match[2])
}

/** Of `/proc/meminfo`. */
export function parseMemoryAvailable(text: string | undefined): number | undefined {
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(text ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

function numberOf(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}
