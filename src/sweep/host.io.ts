/** The machine and runtime that a sweep ran on; recorded, never judged. */
import { createRequire } from 'node:module'
import { arch, cpus, platform, release, totalmem } from 'node:os'

export function describeHost(): Record<string, unknown> {
  const processors = cpus()
  return {
    node: process.version,
    platform: platform(),
    arch: arch(),
    os_release: release(),
    cpus: processors.length,
    cpu_model: processors[0]?.model ?? null,
    memory_gb: Math.round(totalmem() / 1e8) / 10,
    // Masking of frames is several times cheaper with it; a host without it drives fewer sessions.
    bufferutil: loads('bufferutil') && process.env.WS_NO_BUFFER_UTIL === undefined,
  }
}

function loads(name: string): boolean {
  try {
    createRequire(import.meta.url)(name)
    return true
  } catch {
    return false
  }
}
