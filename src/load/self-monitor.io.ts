/**
 * A sending process watches itself: how late its own wake-ups come, how late it reads, how long its garbage collector
 * pauses it, how late it sends, what waits in its queues, what share of a core it takes. The CPU share proves nothing by
 * itself; lateness and delays do.
 */
import type { Clock, InstantUs } from '../base/clock.js'
import { secondsFromUs, US_PER_MS, US_PER_S } from '../base/clock.js'
import type { SenderRecord, SenderSecond } from '../capture/self-monitoring.js'
import { GcWatch } from './gc-watch.io.js'
import { LiveHistogram, type Summary, WindowedHistogram } from './live-histogram.js'
import { ReceiveProbe } from './receive-probe.io.js'
import { MONITOR_INTERVAL_MS, type SenderMonitoring, STALL_THRESHOLD_MS } from './sender-monitoring.js'

/** Stalls kept; a process that stalls more often than this is past help, and its level invalid by lateness. */
const MAX_STALLS = 200_000
/** Ticks between two looks at the queues. */
const LOOK_EVERY = 10

/** What the process knows of its queues; asked ten times a second, so answers must come cheap. */
export interface MonitorGauges {
  openSessions(): number
  /** Bytes of traces that are not yet written. */
  pendingTraceBytes?(): number
  /** Packets that the sockets have not yet taken. */
  pendingWrites?(): number
}

export class SelfMonitor {
  readonly sendLateness = new WindowedHistogram()
  readonly unitLag = new LiveHistogram()
  readonly #rehearsed = new WindowedHistogram()
  readonly #clock: Clock
  readonly #gauges: MonitorGauges
  readonly #loopDelay = new WindowedHistogram()
  readonly #receiveDelay = new WindowedHistogram()
  readonly #probe: ReceiveProbe | undefined
  readonly #stalls: SenderRecord['stalls'] = []
  readonly #series: SenderSecond[] = []
  readonly #onWake = () => this.#tick()
  #gc: GcWatch | undefined
  #isRunning = false
  #dueAtUs: InstantUs = 0
  #ticks = 0
  #openStall: [InstantUs, InstantUs] | undefined
  #secondStartUs: InstantUs = 0
  #cpuBefore = process.cpuUsage()
  #rssMaxBytes = 0
  #loopDelayMaxUs = 0
  #latestLoopDelayMaxUs = 0
  #traceBytesMax = 0
  #writesMax = 0

  private constructor(clock: Clock, gauges: MonitorGauges, probe: ReceiveProbe | undefined) {
    this.#clock = clock
    this.#gauges = gauges
    this.#probe = probe
  }

  /** @param openProbe measures the delay of receipts; where it cannot, that delay is unknown */
  static async create(
    clock: Clock,
    gauges: MonitorGauges | (() => number),
    openProbe: typeof ReceiveProbe.open = ReceiveProbe.open,
  ): Promise<SelfMonitor> {
    const probe = await openProbe(clock)
    return new SelfMonitor(clock, typeof gauges === 'function' ? { openSessions: gauges } : gauges, probe)
  }

  start(): void {
    this.#isRunning = true
    this.#secondStartUs = this.#clock.nowUs()
    this.#cpuBefore = process.cpuUsage()
    this.#gc = new GcWatch(this.#clock, STALL_THRESHOLD_MS)
    this.#probe?.start((delayUs) => this.#receiveDelay.record(delayUs))
    this.#scheduleTick()
  }

  /** Called for every packet. */
  noteSend(latenessUs: number): void {
    this.sendLateness.record(latenessUs)
  }

  /** What `noteSend` does, for nobody: so that it is compiled when it counts. */
  rehearse(latenessUs: number): void {
    this.#rehearsed.record(latenessUs)
  }

  /** Worst event-loop delay since the last full second began, for the live view. */
  get loopDelayMaxMs(): number {
    return Math.max(this.#latestLoopDelayMaxUs, this.#loopDelayMaxUs) / US_PER_MS
  }

  /** Ends the watch and says what was seen. */
  stop(traceBytes = 0): SenderMonitoring {
    this.#gc?.stop()
    this.#probe?.close()
    if (this.#isRunning) {
      const nowUs = this.#clock.nowUs()
      this.#closeStall(nowUs)
      this.#closeSecond(nowUs)
    }
    this.#isRunning = false
    return {
      stalls: this.#stalls,
      gc_pauses: this.#gc?.longPauses ?? [],
      gc: this.#gc?.totals ?? { pauses: 0, total_ms: 0, max_ms: 0 },
      series: this.#series,
      rss_max_mb: megabytes(this.#rssMaxBytes),
      trace_bytes: traceBytes,
      loopDelayUs: this.#loopDelay.encode(),
      receiveDelayUs: this.#probe === undefined ? null : this.#receiveDelay.encode(),
      sendLatenessUs: this.sendLateness.encode(),
    }
  }

  #scheduleTick(): void {
    this.#dueAtUs = this.#clock.nowUs() + MONITOR_INTERVAL_MS * US_PER_MS
    this.#clock.at(this.#dueAtUs, this.#onWake)
  }

  #tick(): void {
    if (!this.#isRunning) return
    const nowUs = this.#clock.nowUs()
    const delayUs = nowUs - this.#dueAtUs
    this.#loopDelay.record(delayUs)
    this.#loopDelayMaxUs = Math.max(this.#loopDelayMaxUs, delayUs)
    this.#closeStall(nowUs)
    if (delayUs >= STALL_THRESHOLD_MS * US_PER_MS) this.#openStall = [this.#dueAtUs, nowUs]
    this.#ticks += 1
    if (this.#ticks % LOOK_EVERY === 0) this.#lookAtQueues()
    if (nowUs - this.#secondStartUs >= US_PER_S) this.#closeSecond(nowUs)
    this.#scheduleTick()
  }

  #lookAtQueues(): void {
    this.#traceBytesMax = Math.max(this.#traceBytesMax, this.#gauges.pendingTraceBytes?.() ?? 0)
    this.#writesMax = Math.max(this.#writesMax, this.#gauges.pendingWrites?.() ?? 0)
  }

  #closeStall(endAtUs: InstantUs): void {
    if (this.#openStall === undefined) return
    if (this.#stalls.length < MAX_STALLS) {
      const [dueAtUs, ranAtUs] = this.#openStall
      this.#stalls.push([secondsFromUs(dueAtUs), secondsFromUs(ranAtUs), secondsFromUs(endAtUs)])
    }
    this.#openStall = undefined
  }

  #closeSecond(nowUs: InstantUs): void {
    const elapsedUs = nowUs - this.#secondStartUs
    if (elapsedUs <= 0) return
    const cpu = process.cpuUsage(this.#cpuBefore)
    const rssBytes = process.memoryUsage.rss()
    const lateness = this.sendLateness.closeWindow()
    const receive = this.#receiveDelay.closeWindow()
    const gc = this.#gc?.closeWindow()
    this.#loopDelay.closeWindow()
    this.#lookAtQueues()
    this.#series.push({
      at_s: secondsFromUs(this.#secondStartUs),
      sends: lateness?.n ?? 0,
      send_lateness_p99_ms: millis(lateness, 'p99'),
      send_lateness_max_ms: millis(lateness, 'max') ?? 0,
      loop_delay_max_ms: this.#loopDelayMaxUs / US_PER_MS,
      receive_delay_p99_ms: millis(receive, 'p99'),
      receive_delay_max_ms: millis(receive, 'max'),
      gc_pauses: gc?.pauses ?? 0,
      gc_total_ms: gc?.total_ms ?? 0,
      gc_max_ms: gc?.max_ms ?? 0,
      pending_trace_bytes: this.#gauges.pendingTraceBytes === undefined ? null : this.#traceBytesMax,
      pending_writes: this.#gauges.pendingWrites === undefined ? null : this.#writesMax,
      open_sessions: this.#gauges.openSessions(),
      cpu_share: Math.round(((cpu.user + cpu.system) / elapsedUs) * 1000) / 1000,
      rss_mb: megabytes(rssBytes),
    })
    this.#rssMaxBytes = Math.max(this.#rssMaxBytes, rssBytes)
    this.#latestLoopDelayMaxUs = this.#loopDelayMaxUs
    this.#loopDelayMaxUs = 0
    this.#traceBytesMax = 0
    this.#writesMax = 0
    this.#secondStartUs = nowUs
    this.#cpuBefore = process.cpuUsage()
  }
}

function millis(us: Summary | null, which: 'p99' | 'max'): number | null {
  return us === null ? null : us[which] / US_PER_MS
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10
}
