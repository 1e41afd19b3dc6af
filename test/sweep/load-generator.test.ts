import { describe, expect, it } from 'vitest'
import { usFromSeconds } from '../../src/base/clock.js'
import type { HostRecord } from '../../src/capture/self-monitoring.js'
import { LiveHistogram } from '../../src/load/live-histogram.js'
import { mergeMonitoring, type SenderMonitoring } from '../../src/load/sender-monitoring.js'
import { terminalReport } from '../../src/report/terminal-report.js'
import { analyseRun } from '../../src/sweep/analyse-run.io.js'
import { servingResult } from '../../src/sweep/serving-result.js'
import { runFiles } from '../helpers/recorded-runs.js'
import { folderWith } from '../helpers/temp-folders.js'

const PLAN = { name: 'concurrency-2', concurrency: 2, sessions: { one: { lagsUs: [1_020_000] }, two: {} } }

const HOST: HostRecord = {
  cpu_some: { mean: 0.01, max: 0.02 },
  memory_some: null,
  io_some: null,
  steal: { mean: 0.05, max: 0.3 },
  busy: { mean: 0.5, max: 0.6 },
  load1_max: 1.5,
  series: [],
}

function monitoringOf(stalls: SenderMonitoring['stalls']): SenderMonitoring {
  const delays = new LiveHistogram()
  for (const us of [100, 200, 50_000]) delays.record(us)
  return {
    stalls,
    gc_pauses: [],
    gc: { pauses: 2, total_ms: 1.5, max_ms: 1 },
    series: [],
    rss_max_mb: 70,
    trace_bytes: 10,
    loopDelayUs: delays.encode(),
    receiveDelayUs: delays.encode(),
    sendLatenessUs: delays.encode(),
  }
}

/** The receipt of the late unit is covered by a stall of the sender of that session, or of the other one. */
async function analysedWith(stalledSender: 0 | 1) {
  const files = runFiles(PLAN)
  const before = await analyseRun(await folderWith(files))
  const doneAtUs = before.sessions.find(({ name }) => name === 'speech/one/input')?.units[0]?.doneAtUs ?? 0
  const around = (us: number) => (doneAtUs + us) / usFromSeconds(1)
  const stall: SenderMonitoring['stalls'][number] = [around(-50_000), around(-1000), around(9000)]
  const monitoring = mergeMonitoring({
    parts: ['one', 'two'].map((id, sender) => ({
      sender,
      sessions: [`samples/speech/${id}/input`],
      monitoring: monitoringOf(sender === stalledSender ? [stall] : []),
    })),
    host: HOST,
  })
  return analyseRun(await folderWith({ ...files, 'self-monitoring.json': monitoring }))
}

describe('a level of two senders', () => {
  it.each([
    { stalledSender: 0, uncertain: 1 },
    { stalledSender: 1, uncertain: 0 },
  ] as const)('a stall of sender $stalledSender explains $uncertain misses of the first one', async (given) => {
    const { row } = await analysedWith(given.stalledSender)
    expect(row).toMatchObject({ units_missed: 1, uncertain_misses: given.uncertain })
  })

  it('is proven in the result, with a warning of what the host did', async () => {
    const result = servingResult({ runs: [await analysedWith(0)], toolVersion: '1.2.3' })
    expect(result.levels[0]).toMatchObject({
      client_stall_ms: { p50: 0.2, p99: 50.015, max: 50.015 },
      load_generator: {
        senders: 2,
        receive_delay_ms: { n: 6, p50: 0.2 },
        gc: { pauses: 4, total_ms: 3, max_ms: 1 },
        trace_bytes: 20,
        host: { steal: { mean: 0.05, max: 0.3 } },
      },
    })
    expect(result.levels[0]?.load_generator?.host).not.toHaveProperty('series')
    const warning = 'other guests of the load generator'
    expect(result.warnings.filter((text) => text.includes(warning))).toHaveLength(1)
    const report = terminalReport(result, { colour: false, width: undefined })
    expect(report).toContain('load generator, level 2: 2 senders; sends late')
    expect(report).toContain(warning)
  })
})
