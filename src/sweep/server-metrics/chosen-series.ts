/** Which series of an exporter are kept, and what each of them says about how full a server is. Pure. */
import type { PrometheusSample } from './prometheus-text.js'

export interface SeriesMeaning {
  /** `use`: a share of what there is; `memory`: an amount; `queue`: what waits; `other`: shown only. */
  readonly role: 'use' | 'memory' | 'queue' | 'other'
  /** What counts as all of it, in the series' own unit; null where another series says, or nothing. */
  readonly full: number | null
}

interface KnownSeries extends SeriesMeaning {
  readonly name: string
}

/** Sums over the CPUs of a node exporter, made by `pageValues`: a series for each CPU and mode would be hundreds. */
export const CPU_BUSY = 'node_cpu_busy_seconds:sum'
export const CPU_ALL = 'node_cpu_seconds:sum'

/** Of the servers' own endpoints and the usual exporters. */
const KNOWN: readonly KnownSeries[] = [
  { name: 'DCGM_FI_DEV_GPU_UTIL', role: 'use', full: 100 },
  { name: 'DCGM_FI_DEV_FB_USED', role: 'memory', full: null },
  { name: 'DCGM_FI_DEV_FB_FREE', role: 'other', full: null },
  { name: 'nvidia_smi_utilization_gpu_ratio', role: 'use', full: 1 },
  { name: 'nvidia_smi_memory_used_bytes', role: 'memory', full: null },
  { name: 'nvidia_smi_memory_total_bytes', role: 'other', full: null },
  { name: 'sglang:num_running_reqs', role: 'other', full: null },
  { name: 'sglang:num_queue_reqs', role: 'queue', full: null },
  { name: 'sglang:token_usage', role: 'use', full: 1 },
  { name: 'sglang:gen_throughput', role: 'other', full: null },
  { name: 'vllm:num_requests_running', role: 'other', full: null },
  { name: 'vllm:num_requests_waiting', role: 'queue', full: null },
  { name: 'vllm:gpu_cache_usage_perc', role: 'use', full: 1 },
  { name: 'vllm:kv_cache_usage_perc', role: 'use', full: 1 },
  { name: 'node_load1', role: 'other', full: null },
  { name: CPU_BUSY, role: 'use', full: null },
  { name: CPU_ALL, role: 'other', full: null },
  { name: 'process_resident_memory_bytes', role: 'other', full: null },
  { name: 'process_cpu_seconds_total', role: 'other', full: null },
  { name: 'floorload_loopback_sessions_open', role: 'other', full: null },
  { name: 'floorload_loopback_queue_units', role: 'queue', full: null },
  { name: 'floorload_loopback_busy_seconds_total', role: 'use', full: 1 },
]
const KNOWN_BY_NAME = new Map(KNOWN.map((series) => [series.name, series]))

/** What makes a share of the one named: the rest of it, or all of it. */
export const COMPANIONS: ReadonlyMap<string, { readonly name: string; readonly is: 'free' | 'total' }> = new Map([
  ['DCGM_FI_DEV_FB_USED', { name: 'DCGM_FI_DEV_FB_FREE', is: 'free' }],
  ['nvidia_smi_memory_used_bytes', { name: 'nvidia_smi_memory_total_bytes', is: 'total' }],
  [CPU_BUSY, { name: CPU_ALL, is: 'total' }],
])

export function meaningOf(name: string): SeriesMeaning {
  return KNOWN_BY_NAME.get(name) ?? { role: 'other', full: null }
}

export function isKnown(name: string): boolean {
  return KNOWN_BY_NAME.has(name)
}

/**
 * @param patterns names that the user chose, `*` for any characters; they come on top of the known ones
 * @returns whether a sample is kept
 */
export function seriesFilter(patterns: readonly string[]): (sample: Pick<PrometheusSample, 'name'>) => boolean {
  const chosen = patterns.map((pattern) => {
    const text = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')
    return new RegExp(`^${text}$`)
  })
  return ({ name }) => isKnown(name) || chosen.some((pattern) => pattern.test(name))
}

/**
 * A counter is shown as its rate, and so are the parts of a histogram and a summary that only grow.
 * @param types by the name of the metric: OpenMetrics names `requests` what its sample calls `requests_total`
 */
export function isCounter(name: string, types: ReadonlyMap<string, string>): boolean {
  const own = types.get(name)
  if (own !== undefined && own !== 'untyped' && own !== 'unknown') return own === 'counter'
  const [, family = '', suffix] = /^(.*)_(total|bucket|count|sum)$/.exec(name) ?? []
  if (suffix === undefined) return false
  const type = types.get(family)
  if (type === 'histogram') return suffix !== 'total'
  if (type === 'summary') return suffix === 'count' || suffix === 'sum'
  return suffix === 'total' && (type === undefined || type === 'counter')
}
