/**
 * The load process watches itself: how late its own wake-ups come, how long its garbage collector pauses it, how late it
 * sends, what share of a core it takes. The sender's CPU share proves nothing by itself; lateness and loop delay do.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import type { Clock, InstantUs } from '../base/clock.js'
import { secondsFromUs, US_PER_MS } from '../base/clock.js'
import { SELF_MONITORING_SCHEMA_NAME, type SelfMonitoring } from '../capture/self-monitoring.js'
import { LiveHistogram } from './live-stats.io.js'

const INTERVAL_MS = 10
/** Timers have a resolution of a millisecond; what is below says nothing. */
const STALL_THRESHOLD_MS = 2
/** Stalls kept; a process that stalls more often than this is past help, and its level invalid by lateness. */
const MAX_STALLS = 200_000

export class SelfMonitor {
  readonly #clock: Clock
  readonly #openSessions: () => number
  readonly #stalls: [number, number, number][] = []
  readonly #series: SelfMonitoring['series'] = []
  readonly #loopDelay: LiveHistogram
  readonly sendLateness: LiveHistogram
  readonly unitLag: LiveHistogram
  #gcPauses = 0
  #gcTotalMs = 0
  #gcMaxMs = 0
  #rssMaxBytes = 0
  #isRunning = false
  #openStall: [InstantUs, InstantUs] | undefined
  #second = { startUs: 0, loopDelayMaxMs: 0, latenessMaxMs: 0, sends: 0, cpu: process.cpuUsage() }
  #observer: PerformanceObserver | undefined
  #latestLoopDelayMaxMs = 0

  private constructor(clock: Clock, openSessions: () => number, histograms: readonly LiveHistogram[]) {
    this.#clock = clock
    this.#openSessions = openSessions
    const [loopDelay, sendLateness, unitLag] = histograms as [LiveHistogram, LiveHistogram, LiveHistogram]
    this.#loopDelay = loopDelay
    this.sendLateness = sendLateness
    this.unitLag = unitLag
  }

  static async create(clock: Clock, openSessions: () => number): Promise<SelfMonitor> {
    const histograms = await Promise.all([LiveHistogram.create(), LiveHistogram.create(), LiveHistogram.create()])
    return new SelfMonitor(clock, openSessions, histograms)
  }

  start(): void {
    this.#isRunning = true
    this.#second.startUs = this.#clock.nowUs()
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        this.#gcPauses += 1
        this.#gcTotalMs += entry.duration
        this.#gcMaxMs = Math.max(this.#gcMaxMs, entry.duration)
      }
    })
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#scheduleTick()
  }

  noteSend(latenessUs: number): void {
    this.sendLateness.record(latenessUs)
    this.#second.sends += 1
    this.#second.latenessMaxMs = Math.max(this.#second.latenessMaxMs, latenessUs / US_PER_MS)
  }

  /** Worst event-loop delay of the last full second, for the live view. */
  get loopDelayMaxMs(): number {
    return Math.max(this.#latestLoopDelayMaxMs, this.#second.loopDelayMaxMs)
  }

  /** Ends the watch and says what was seen. */
  stop(traceBytes: number): SelfMonitoring {
    this.#isRunning = false
    this.#observer?.disconnect()
    this.#closeStall(this.#clock.nowUs())
    this.#closeSecond(this.#clock.nowUs())
    const loop = this.#loopDelay.summary()
    const lateness = this.sendLateness.summary()
    const ms = (us: number) => round(us / US_PER_MS)
    const result: SelfMonitoring = {
      schema: SELF_MONITORING_SCHEMA_NAME,
      interval_ms: INTERVAL_MS,
      threshold_ms: STALL_THRESHOLD_MS,
      stalls: this.#stalls,
      event_loop_delay_ms: loop === null ? null : { p50: ms(loop.p50), p99: ms(loop.p99), max: ms(loop.max) },
      gc: { pauses: this.#gcPauses, total_ms: round(this.#gcTotalMs), max_ms: round(this.#gcMaxMs) },
      series: this.#series,
      live_send_lateness_us:
        lateness === null ? null : { p50: lateness.p50, p99: lateness.p99, max: lateness.max, n: lateness.n },
      rss_max_mb: round(this.#rssMaxBytes / 1e6),
      trace_bytes: traceBytes,
    }
    for (const histogram of [this.#loopDelay, this.sendLateness, this.unitLag]) histogram.destroy()
    return result
  }

  #scheduleTick(): void {
    const dueAtUs = this.#clock.nowUs() + INTERVAL_MS * US_PER_MS
    this.#clock.at(dueAtUs, () => {
      if (!this.#isRunning) return
      this.#onTick(dueAtUs)
      this.#scheduleTick()
    })
  }

  #onTick(dueAtUs: InstantUs): void {
    const nowUs = this.#clock.nowUs()
    const delayUs = nowUs - dueAtUs
    this.#loopDelay.record(delayUs)
    this.#second.loopDelayMaxMs = Math.max(this.#second.loopDelayMaxMs, delayUs / US_PER_MS)
    this.#closeStall(nowUs)
    if (delayUs >= STALL_THRESHOLD_MS * US_PER_MS) this.#openStall = [dueAtUs, nowUs]
    if (nowUs - this.#second.startUs >= 1_000_000) this.#closeSecond(nowUs)
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
    const elapsedUs = nowUs - this.#second.startUs
    if (elapsedUs <= 0) return
    const cpu = process.cpuUsage(this.#second.cpu)
    this.#rssMaxBytes = Math.max(this.#rssMaxBytes, process.memoryUsage.rss())
    this.#series.push({
      at_s: secondsFromUs(this.#second.startUs),
      loop_delay_max_ms: round(this.#second.loopDelayMaxMs),
      send_lateness_max_ms: round(this.#second.latenessMaxMs),
      sends: this.#second.sends,
      cpu_share: round((cpu.user + cpu.system) / elapsedUs),
      open_sessions: this.#openSessions(),
    })
    this.#latestLoopDelayMaxMs = this.#second.loopDelayMaxMs
    this.#second = { startUs: nowUs, loopDelayMaxMs: 0, latenessMaxMs: 0, sends: 0, cpu: process.cpuUsage() }
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
