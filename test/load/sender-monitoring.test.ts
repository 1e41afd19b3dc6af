import { describe, expect, it } from 'vitest'
import { selfMonitoringSchema } from '../../src/capture/self-monitoring.js'
import { LiveHistogram } from '../../src/load/live-histogram.js'
import { mergeMonitoring, type SenderMonitoring } from '../../src/load/sender-monitoring.js'

function encoded(us: readonly number[]): string {
  const histogram = new LiveHistogram()
  for (const value of us) histogram.record(value)
  return histogram.encode()
}

function monitoringOf(changes: Partial<SenderMonitoring> = {}): SenderMonitoring {
  return {
    stalls: [],
    gc_pauses: [],
    gc: { pauses: 0, total_ms: 0, max_ms: 0 },
    series: [],
    rss_max_mb: 50,
    trace_bytes: 0,
    loopDelayUs: encoded([]),
    receiveDelayUs: encoded([]),
    sendLatenessUs: encoded([]),
    ...changes,
  }
}

/** 980 quick ones and 20 slow ones on one sender, none slow on the other: a mean of percentiles would be far off. */
const QUICK = Array.from({ length: 980 }, (_, k) => 100 + (k % 7))
const SLOW = Array.from({ length: 20 }, (_, k) => 9000 + k * 100)

describe('merging what senders say of themselves', () => {
  it('takes percentiles over all values together', () => {
    const lists = [[...QUICK, ...SLOW], QUICK]
    const parts = lists.map((us, sender) => ({
      sender,
      sessions: [`samples/a/${sender}/input`],
      monitoring: monitoringOf({ sendLatenessUs: encoded(us), loopDelayUs: encoded(us) }),
    }))
    const merged = mergeMonitoring({ parts, host: null })
    const single = new LiveHistogram()
    for (const us of lists.flat()) single.record(us)
    const { p50, p99, p999, max, n } = single.summary() ?? { p50: 0, p99: 0, p999: 0, max: 0, n: 0 }
    expect(merged.live_send_lateness_us).toEqual({ p50, p99, p99_9: p999, max, n })
    // The 1961st value is the first slow one, 9000; its bucket ends at 9007.
    expect(merged.live_send_lateness_us).toMatchObject({ n: 1980, p99: 9007 })
    expect(merged.event_loop_delay_ms).toMatchObject({ p50: p50 / 1000, max: max / 1000 })
    expect(merged.senders.map(({ live_send_lateness_us: own }) => own?.max)).toEqual([max, 106])
  })

  it('adds up what adds up, keeps the largest of maxima, and keeps each sender apart', () => {
    const parts = [
      {
        sender: 1,
        sessions: ['samples/a/2/input'],
        monitoring: monitoringOf({
          gc: { pauses: 3, total_ms: 1.25, max_ms: 0.75 },
          gc_pauses: [[4, 4.003, 'major']],
          stalls: [[2, 2.01, 2.02]],
          trace_bytes: 1000,
        }),
      },
      {
        sender: 0,
        sessions: ['samples/a/1/input'],
        monitoring: monitoringOf({ gc: { pauses: 4, total_ms: 2.5, max_ms: 2 }, rss_max_mb: 60.5, trace_bytes: 500 }),
      },
    ]
    const merged = mergeMonitoring({ parts, host: null })
    expect(merged).toMatchObject({
      schema: 'floorload.self-monitoring/2',
      gc: { pauses: 7, total_ms: 3.75, max_ms: 2 },
      rss_max_mb: 110.5,
      trace_bytes: 1500,
      event_loop_delay_ms: null,
      senders: [
        { sender: 0, sessions: ['samples/a/1/input'], stalls: [], rss_max_mb: 60.5 },
        { sender: 1, sessions: ['samples/a/2/input'], stalls: [[2, 2.01, 2.02]], gc_pauses: [[4, 4.003, 'major']] },
      ],
    })
    expect(selfMonitoringSchema.parse(JSON.parse(JSON.stringify(merged)))).toEqual(merged)
  })

  it('leaves out a probe that could not run, and says so of the sender', () => {
    const merged = mergeMonitoring({
      parts: [
        { sender: 0, sessions: [], monitoring: monitoringOf({ receiveDelayUs: encoded([400]) }) },
        { sender: 1, sessions: [], monitoring: monitoringOf({ receiveDelayUs: null }) },
      ],
      host: null,
    })
    expect(merged.receive_delay_ms).toMatchObject({ max: 0.4, n: 1 })
    expect(merged.senders.map(({ receive_delay_ms: own }) => own?.n)).toEqual([1, undefined])
  })

  it('of no sender at all there is nothing to say', () => {
    expect(mergeMonitoring({ parts: [], host: null })).toMatchObject({
      event_loop_delay_ms: null,
      receive_delay_ms: null,
      live_send_lateness_us: null,
      senders: [],
      rss_max_mb: 0,
    })
  })
})
