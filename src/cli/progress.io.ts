/**
 * Progress of a sweep on standard error: a line that renews itself on a terminal, a plain one every ten seconds in a pipe, and
 * one for each level that ends.
 */
import { US_PER_S } from '../base/clock.js'
import { SystemClock } from '../base/system-clock.io.js'
import { mergedSummary } from '../load/live-histogram.js'
import type { LevelProgress } from '../load/sender-messages.js'
import type { PlannedLevel } from '../sweep/level-order.js'
import type { SweepEvents } from '../sweep/run-sweep.io.js'
import { describeMiss, percent } from '../sweep/verdict-text.js'
import { type LevelState, progressLine } from './progress-line.js'
import { StatusLine } from './status-line.io.js'
import { hasColour } from './terminal.io.js'

/** In a pipe, such as the log of a pipeline. */
const PLAIN_INTERVAL_US = 10 * US_PER_S
const PLAIN_WIDTH = 160

export interface ProgressOptions {
  readonly isQuiet: boolean
  /** Seconds that a level takes if all goes well. */
  readonly expectedS: (level: PlannedLevel) => number
}

/** Events that print. */
export function progressEvents(options: ProgressOptions): SweepEvents & { stop(): void } {
  const clock = new SystemClock()
  const { isQuiet } = options
  const isRenewed = !isQuiet && renewsLines(process.stderr)
  const colour = hasColour(process.stderr)
  let status: StatusLine | undefined
  let state: LevelState | undefined
  let beganAtUs = 0
  let saidAtUs = 0
  const stop = () => {
    status?.stop()
    status = undefined
    state = undefined
  }
  const write = (text: string) => {
    if (status === undefined) process.stderr.write(`${text}\n`)
    else status.above(text)
  }
  const say = (text: string) => {
    if (!isQuiet) write(text)
  }
  const elapsedS = () => (clock.nowUs() - beganAtUs) / US_PER_S
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
        expectedS: options.expectedS(level),
      }
      if (!isRenewed) return
      status = new StatusLine(process.stderr, (width) =>
        state === undefined ? '' : progressLine({ ...state, elapsedS: elapsedS() }, width, colour),
      )
      status.start()
    },
    progress: (_, progress) => {
      if (state === undefined) return
      state = { ...state, ...figuresOf(progress), elapsedS: elapsedS() }
      const nowUs = clock.nowUs()
      if (isRenewed || nowUs - saidAtUs < PLAIN_INTERVAL_US) return
      saidAtUs = nowUs
      say(progressLine(state, PLAIN_WIDTH))
    },
    levelEnds: (level, { row, targets }) => {
      stop()
      const verdict = !row.valid
        ? 'invalid'
        : row.meets_targets
          ? 'meets its targets'
          : `misses: ${row.missed_targets.map((target) => describeMiss(row, target, targets)).join(', ')}`
      const repeat = level.repeat > 1 ? ` r${level.repeat}` : ''
      const miss = row.unit_miss_rate === null ? '' : `, unit miss ${percent(row.unit_miss_rate)}`
      const lag = row.unit_lag_s === null ? '' : `, unit lag p95 ${Math.round(row.unit_lag_s.p95 * 1000)} ms`
      const rtf = row.rtf === null ? '' : `, RTF p90 ${row.rtf.p90.toFixed(2)}`
      say(
        `level ${level.concurrency}${repeat}: ${verdict}; ${row.sessions_succeeded}/${row.sessions_attempted} sessions ok${miss}${lag}${rtf}`,
      )
    },
    scoringBegins: (run) => say(`${run}: scoring the conversations …`),
    stopped: (level, reason) => say(`stopped after level ${level.concurrency}: ${reason} (stop rule)`),
    // Said in a quiet sweep too: it is about the results, not about the progress.
    note: (text) => write(`note: ${text}`),
    advice: (text) => say(`warning: ${text}`),
  }
}

/** A terminal that can go back in a line; the log of a pipeline cannot, even where it pretends to be a terminal. */
function renewsLines(stream: NodeJS.WriteStream): boolean {
  const { TERM: term, CI: ci } = process.env
  return stream.isTTY === true && term !== 'dumb' && (ci === undefined || ci === '' || ci === 'false')
}

const NOTHING_YET: LevelState = {
  name: '',
  open: 0,
  done: 0,
  failed: 0,
  total: 0,
  elapsedS: 0,
  expectedS: null,
  missedUnits: 0,
  lagMs: null,
  lateP99Ms: null,
  stallMs: 0,
}

function figuresOf(progress: LevelProgress): Partial<LevelState> {
  const lag = mergedSummary(progress.unitLagUs)
  const late = mergedSummary(progress.sendLatenessUs)
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
