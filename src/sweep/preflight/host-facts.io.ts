/** Reads what the host says of itself: on Linux most of it, elsewhere little. */
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseLoad } from '../../load/host-pressure.js'
import {
  type HostFacts,
  parseCpuQuota,
  parseMemoryAvailable,
  parseOpenFilesLimit,
  parsePortRange,
} from './host-facts.js'

const CPUS = '/sys/devices/system/cpu'

export async function readHostFacts(): Promise<HostFacts> {
  const [limits, ports, load, quota, memory, governors] = await Promise.all([
    textOf('/proc/self/limits'),
    textOf('/proc/sys/net/ipv4/ip_local_port_range'),
    textOf('/proc/loadavg'),
    textOf('/sys/fs/cgroup/cpu.max'),
    textOf('/proc/meminfo'),
    readGovernors(),
  ])
  return {
    cores: availableParallelism(),
    openFilesMax: parseOpenFilesLimit(limits),
    localPorts: parsePortRange(ports),
    governors,
    load1: parseLoad(load) ?? undefined,
    cpuQuotaCores: parseCpuQuota(quota),
    memoryAvailableBytes: parseMemoryAvailable(memory),
  }
}

async function readGovernors(): Promise<string[]> {
  const names = await readdir(CPUS).catch(() => [])
  const texts = await Promise.all(
    names
      .filter((name) => /^cpu\d+$/.test(name))
      .map((name) => textOf(join(CPUS, name, 'cpufreq', 'scaling_governor'))),
  )
  return [...new Set(texts.flatMap((text) => (text === undefined ? [] : [text.trim()])))].sort()
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
