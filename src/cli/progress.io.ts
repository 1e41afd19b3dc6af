/**
 * Progress of a sweep on standard error: a line that renews itself on a terminal, a plain one every ten seconds in a pipe, and
 * one for each level that ends.
 */
import { SingleBar } from 'cli-progress'
import { US_PER_S } from '../base/clock.js'
import { SystemClock } from '../base/system-clock.io.js'
import type { LevelProgress } from '../load/level-plan.js'
import { mergedSummary, prepareHistograms } from '../load/live-stats.io.js'
import type { SweepEvents } from '../sweep/run-sweep.io.js'
import { describeMiss, percent } from '../sweep/verdict-text.js'
import { type LevelState, progressLine } from './progress-line.js'

/** In a pipe, such as the log of a pipeline. */
const PLAIN_INTERVAL_US = 10 * US_PER_S
const PLAIN_WIDTH = 160

/** Events that print. Needs `await` once, because live histograms are merged here. */
export async function progressEvents({ isQuiet }: { isQuiet: boolean }): Promise<SweepEvents & { stop(): void }> {
  await prepareHistograms()
  const clock = new SystemClock()
  const isTerminal = process.stderr.isTTY === true && !isQuiet
  let bar: SingleBar | undefined
  let state: LevelState | undefined
  let beganAtUs = 0
  let saidAtUs = 0
  let shownLength = 0
  const stop = () => {
    process.stderr.off('resize', clearWrapped)
    bar?.stop()
    bar = undefined
    state = undefined
  }
  // A narrower window breaks the line that stands in it; what was broken off would stay.
  const clearWrapped = () => {
    const rows = Math.ceil(shownLength / Math.max(1, process.stderr.columns)) - 1
    process.stderr.write(`${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`)
  }
  const say = (text: string) => {
    if (!isQuiet) process.stderr.write(`${text}\n`)
  }
  // The width is asked for each time: the window may have been made narrower.
  const line = () => {
    const text = state === undefined ? '' : progressLine(state, process.stderr.columns ?? 80)
    shownLength = text.length
    return text
  }
  return {
    stop,
    levelBegins: (level, role) => {
      stop()
      beganAtUs = clock.nowUs()
      saidAtUs = beganAtUs
      const repeat = level.repeat > 1 ? ` r${level.repeat}` : ''
      state = {
        ...NOTHING_YET,
        name: role === 'warmup' ? 'warm-up' : `level ${level.concurrency}${repeat}`,
        total: level.sessions,
      }
      if (!isTerminal) return
      bar = new SingleBar({ format: line, stream: process.stderr, hideCursor: true, clearOnComplete: true, fps: 4 })
      bar.start(level.sessions, 0)
      process.stderr.on('resize', clearWrapped)
    },
    progress: (_, progress) => {
      if (state === undefined) return
      const nowUs = clock.nowUs()
      state = { ...state, ...figuresOf(progress), elapsedS: (nowUs - beganAtUs) / US_PER_S }
      bar?.update(progress.done)
      if (isTerminal || nowUs - saidAtUs < PLAIN_INTERVAL_US) return
      saidAtUs = nowUs
      say(progressLine(state, PLAIN_WIDTH))
    },
    levelEnds: (level, { row, targets }) => {
      stop()
      const state = !row.valid
        ? 'invalid'
        : row.meets_targets
          ? 'meets its targets'
          : `misses: ${row.missed_targets.map((target) => describeMiss(row, target, targets)).join(', ')}`
      const repeat = level.repeat > 1 ? ` r${level.repeat}` : ''
      const miss = row.unit_miss_rate === null ? '' : `, unit miss ${percent(row.unit_miss_rate)}`
      const lag = row.unit_lag_s === null ? '' : `, unit lag p95 ${Math.round(row.unit_lag_s.p95 * 1000)} ms`
      const rtf = row.rtf === null ? '' : `, RTF p90 ${row.rtf.p90.toFixed(2)}`
      say(
        `level ${level.concurrency}${repeat}: ${state}; ${row.sessions_succeeded}/${row.sessions_attempted} sessions ok${miss}${lag}${rtf}`,
      )
    },
    scoringBegins: (run) => say(`${run}: scoring the conversations …`),
    stopped: (level, reason) => say(`stopped after level ${level.concurrency}: ${reason} (stop rule)`),
    note: (text) => {
      stop()
      process.stderr.write(`note: ${text}\n`)
    },
  }
}

const NOTHING_YET: LevelState = {
  name: '',
  open: 0,
  done: 0,
  failed: 0,
  total: 0,
  elapsedS: 0,
  missedUnits: 0,
  lagMs: null,
  lateP99Ms: null,
  stallMs: 0,
}

function figuresOf(progress: LevelProgress): Partial<LevelState> {
  const lag = mergedSummary([progress.unitLagUs])
  const late = mergedSummary([progress.sendLatenessUs])
  return {
    open: progress.open,
    done: progress.done,
    failed: progress.failed,
    total: progress.total,
    missedUnits: progress.missedUnits,
    lagMs: lag === null ? null : { p50: lag.p50 / 1000, p99: lag.p99 / 1000 },
    lateP99Ms: late === null ? null : late.p99 / 1000,
    stallMs: progress.loopDelayMaxMs,
  }
}
