import { describe, expect, it } from 'vitest'
import { parseSelfMonitoring, senderStalls } from '../../src/capture/self-monitoring.js'

const EARLIER = {
  schema: 'floorload.self-monitoring/1',
  interval_ms: 10,
  threshold_ms: 2,
  stalls: [[1.5, 1.75, 1.76]],
  event_loop_delay_ms: { p50: 0.1, p99: 1.5, max: 250 },
  gc: { pauses: 4, total_ms: 3, max_ms: 1.25 },
  series: [
    { at_s: 1, loop_delay_max_ms: 250, send_lateness_max_ms: 251, sends: 40, cpu_share: 0.25, open_sessions: 4 },
  ],
  live_send_lateness_us: { p50: 100, p99: 900, max: 251_000, n: 40 },
  rss_max_mb: 80.5,
  trace_bytes: 1234,
}

describe('a record of one load process', () => {
  it('is read as that of the only sender, with nothing made up', () => {
    const monitoring = parseSelfMonitoring(EARLIER)
    expect(monitoring).toMatchObject({
      schema: 'floorload.self-monitoring/2',
      event_loop_delay_ms: { p50: 0.1, p99: 1.5, p99_9: null, max: 250, n: null },
      receive_delay_ms: null,
      live_send_lateness_us: { p50: 100, p99: 900, p99_9: null, max: 251_000, n: 40 },
      gc: { pauses: 4, total_ms: 3, max_ms: 1.25 },
      trace_bytes: 1234,
      host: null,
    })
    expect(monitoring?.senders).toMatchObject([
      {
        sender: 0,
        sessions: null,
        stalls: [[1.5, 1.75, 1.76]],
        series: [{ at_s: 1, sends: 40, send_lateness_p99_ms: null, gc_pauses: null, pending_writes: null }],
      },
    ])
    // What is read can be written, and read again.
    expect(parseSelfMonitoring(JSON.parse(JSON.stringify(monitoring)))).toEqual(monitoring)
  })

  it('names sessions as the readers of a run do', () => {
    const monitoring = parseSelfMonitoring(EARLIER)
    const [sender] = monitoring?.senders ?? []
    if (monitoring === undefined || sender === undefined) throw new Error('not read')
    const sessions = ['samples/speech/slt-01/input', 'odd/samples/x']
    const [own] = senderStalls({ ...monitoring, senders: [{ ...sender, sessions }] })
    expect(own).toEqual({
      sessions: ['speech/slt-01/input', 'odd/samples/x'],
      stalls: [{ dueAtUs: 1_500_000, ranAtUs: 1_750_000, endAtUs: 1_760_000 }],
    })
  })

  it.each([
    { name: 'a later version', value: { ...EARLIER, schema: 'floorload.self-monitoring/3' } },
    { name: 'a record without its series', value: { ...EARLIER, series: undefined } },
    { name: 'text', value: 'x' },
    { name: 'nothing', value: undefined },
  ])('$name counts as absent', ({ value }) => {
    expect(parseSelfMonitoring(value)).toBeUndefined()
  })
})
