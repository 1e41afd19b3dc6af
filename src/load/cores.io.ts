/** Which cores this process may use. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Numbers of the cores, in ascending order; empty where the system does not say. */
export function allowedCores(): number[] {
  try {
    return parseCoreList(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '')
  } catch {
    return []
  }
}

export function coreCount(): number {
  return availableParallelism()
}

/** `0-3,8` as numbers. */
export function parseCoreList(list: string): number[] {
  return list.split(',').flatMap((part) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (match === null) return []
    const first = Number(match[1])
    return Array.from({ length: Number(match[2] ?? first) - first + 1 }, (_, index) => first + index)
  })
}
