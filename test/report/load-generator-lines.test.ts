import { describe, expect, it } from 'vitest'
import type { HostRecord } from '../../src/capture/self-monitoring.js'
import { loadGeneratorLines, loadGeneratorText } from '../../src/report/load-generator-lines.js'
import { hostWarnings, type LoadGenerator } from '../../src/sweep/load-generator.js'
import type { ServingLevel } from '../../src/sweep/serving-result.js'

const HOST: NonNullable<LoadGenerator['host']> = {
  cpu_some: { mean: 0.03, max: 0.5 },
  memory_some: null,
  io_some: null,
  steal: { mean: 0, max: 0 },
  busy: null,
  load1_max: 1,
}

const QUIET: LoadGenerator = {
  senders: 1,
  event_loop_delay_ms: { p50: 0.1, p99: 1.2, p99_9: 2, max: 9, n: 600 },
  receive_delay_ms: { p50: 0.05, p99: 0.4, p99_9: 1, max: 3, n: 120 },
  gc: { pauses: 14, total_ms: 8, max_ms: 1.14 },
  pending_trace_bytes_max: 0,
  pending_writes_max: null,
  rss_max_mb: 90,
  trace_bytes: 1,
  host: HOST,
}

const LATE = { n: 9, p50: 0.0001, p90: 0.0002, p95: 0.0004, p99: 0.0008, p999: 0.003, max: 0.0031 }

function levelWith(own: Partial<LoadGenerator> | null, changes: Partial<ServingLevel> = {}): ServingLevel {
  return {
    profile: 'one',
    concurrency: 4,
    repeat: 1,
    send_lateness_s: LATE,
    phases: 'spread',
    headroom: null,
    load_generator: own === null ? null : { ...QUIET, ...own },
    ...changes,
  } as ServingLevel
}

describe('what the load generator proves of itself', () => {
  it('is one line', () => {
    expect(loadGeneratorLines([levelWith({})])).toEqual([
      'load generator, level 4: phases spread; sends late p99 0.8 ms, max 3.1 ms; event loop p99 1.2 ms; received late p99 0.4 ms; GC 14 pauses, longest 1.1 ms; host CPU pressure 3.00%, no steal',
    ])
  })

  it.each([
    { name: 'several senders', own: { senders: 3 }, part: /^3 senders; phases spread; sends late/ },
    { name: 'no probe', own: { receive_delay_ms: null }, part: /; received late: not measured;/ },
    { name: 'no pause', own: { gc: { pauses: 0, total_ms: 0, max_ms: 0 } }, part: /; no GC pause;/ },
    { name: 'one pause', own: { gc: { pauses: 1, total_ms: 2, max_ms: 2 } }, part: /; GC 1 pause, longest 2\.0 ms;/ },
    { name: 'steal', own: { host: { ...HOST, steal: { mean: 0.05, max: 0.1 } } }, part: /, steal 5\.00%$/ },
    { name: 'a host that says nothing', own: { host: null }, part: /longest 1\.1 ms$/ },
  ])('$name', ({ own, part }) => {
    expect(loadGeneratorText(levelWith(own))).toMatch(part)
  })

  it('says how near to its limit the host was, and nothing of phases that nobody recorded', () => {
    const row = levelWith({}, { headroom: { calibrated_sessions: 1200, share: 0.12 }, phases: null })
    expect(loadGeneratorText(row)).toMatch(/^sends late.*; 12\.0% of what this host can drive$/)
  })

  it('has a line for each level that kept a record, with the profile where there are several', () => {
    const levels = [levelWith({}, { profile: 'two', repeat: 2 }), levelWith(null)]
    expect(loadGeneratorLines(levels)).toEqual([
      expect.stringMatching(/^load generator, two, level 4 r2: phases spread; sends/),
    ])
  })
})

describe('warnings of the host', () => {
  it.each([
    { steal: 0.02, cpu: 0.2, warnings: 0 },
    { steal: 0.0201, cpu: 0.2, warnings: 1 },
    { steal: 0.02, cpu: 0.2001, warnings: 1 },
    { steal: 0.5, cpu: 0.5, warnings: 2 },
  ])('steal of $steal, waiting of $cpu: $warnings', ({ steal, cpu, warnings }) => {
    const host: HostRecord = {
      ...HOST,
      cpu_some: { mean: cpu, max: 1 },
      steal: { mean: steal, max: 1 },
      series: [],
    }
    expect(hostWarnings(host)).toHaveLength(warnings)
  })

  it('there are none where the system does not say', () => {
    expect(hostWarnings(null)).toEqual([])
    expect(hostWarnings({ ...HOST, cpu_some: null, steal: null })).toEqual([])
  })
})
