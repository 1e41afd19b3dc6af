import { describe, expect, it } from 'vitest'
import type { MonitorGauges } from '../../src/load/self-monitor.io.js'
import { SelfMonitor } from '../../src/load/self-monitor.io.js'
import { mergeMonitoring } from '../../src/load/sender-monitoring.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

async function monitorOn(clock: VirtualClock, gauges: MonitorGauges = { openSessions: () => 3 }) {
  const monitor = await SelfMonitor.create(clock, gauges, async () => undefined)
  monitor.start()
  return monitor
}

function recordOf(monitor: SelfMonitor) {
  return mergeMonitoring({ parts: [{ sender: 0, sessions: [], monitoring: monitor.stop(77) }], host: null })
}

describe('self-monitoring of a sender', () => {
  it('keeps each wake-up that came at least 2 ms late, until the next one', async () => {
    const clock = new VirtualClock(1_000_000)
    const monitor = await monitorOn(clock)
    await clock.runUntil(1_050_000)
    clock.stall(11_999)
    await clock.runUntil(1_100_000)
    clock.stall(40_000)
    await clock.runUntil(1_160_000)
    const { senders, event_loop_delay_ms } = recordOf(monitor)
    // Due at 1.06, and after the short one at 1.101999: that came at 1.14.
    expect(senders[0]?.stalls).toEqual([[1.101999, 1.14, 1.15]])
    expect(event_loop_delay_ms).toMatchObject({ max: expect.closeTo(38.001, 1), p50: 0 })
  })

  it('writes down each second: sends, how late, the longest queues', async () => {
    const clock = new VirtualClock(1_000_000)
    let pending = 0
    const monitor = await monitorOn(clock, {
      openSessions: () => 5,
      pendingTraceBytes: () => pending,
    })
    for (const us of [100, 300, 200]) monitor.noteSend(us)
    pending = 4096
    await clock.runUntil(1_500_000)
    pending = 0
    await clock.runUntil(2_005_000)
    monitor.noteSend(900)
    await clock.runUntil(2_500_000)
    const { senders, live_send_lateness_us, trace_bytes } = recordOf(monitor)
    expect(senders[0]?.series).toMatchObject([
      {
        at_s: 1,
        sends: 3,
        send_lateness_p99_ms: 0.3,
        send_lateness_max_ms: 0.3,
        pending_trace_bytes: 4096,
        open_sessions: 5,
      },
      { at_s: 2, sends: 1, send_lateness_p99_ms: 0.9, pending_trace_bytes: 0, pending_writes: null },
    ])
    expect(live_send_lateness_us).toMatchObject({ n: 4, max: 900 })
    expect(trace_bytes).toBe(77)
  })

  it('measures no receive delay where the probe cannot run', async () => {
    const clock = new VirtualClock()
    const monitor = await monitorOn(clock)
    await clock.runUntil(2_500_000)
    const { receive_delay_ms, senders } = recordOf(monitor)
    expect(receive_delay_ms).toBeNull()
    expect(senders[0]?.series[0]?.receive_delay_max_ms).toBeNull()
  })

  it('shows the live view the worst delay of the last second and of this one', async () => {
    const clock = new VirtualClock(1_000_000)
    const monitor = await monitorOn(clock)
    await clock.runUntil(1_100_000)
    clock.stall(30_000)
    await clock.runUntil(1_500_000)
    expect(monitor.loopDelayMaxMs).toBe(20)
    await clock.runUntil(2_500_000)
    expect(monitor.loopDelayMaxMs).toBe(20)
    await clock.runUntil(3_500_000)
    expect(monitor.loopDelayMaxMs).toBe(0)
  })

  it('that never began has nothing to say', async () => {
    const monitor = await SelfMonitor.create(new VirtualClock(), { openSessions: () => 0 }, async () => undefined)
    expect(monitor.stop()).toMatchObject({ series: [], stalls: [], gc: { pauses: 0 } })
  })

  it('takes no notice of anything after its end', async () => {
    const clock = new VirtualClock()
    const monitor = await monitorOn(clock)
    await clock.runUntil(1_500_000)
    const monitoring = monitor.stop()
    const seconds = monitoring.series.length
    await clock.runUntil(9_000_000)
    expect(monitoring.series).toHaveLength(seconds)
  })
})
