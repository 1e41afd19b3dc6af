/**
 * Progress of a sweep on standard error: a bar on a terminal, nothing in a pipe but one line for each level that ends.
 */
import { Presets, SingleBar } from 'cli-progress'
import { mergedSummary, prepareHistograms } from '../load/live-stats.io.js'
import type { SweepEvents } from '../sweep/run-sweep.io.js'
import { describeMiss, percent } from '../sweep/verdict-text.js'

// The most telling figures first: a narrow terminal cuts the line at its end.
const FORMAT =
  '{name} {bar} {value}/{total}, {open} open, {failed} failed | lag p50/p99 {lagP50}/{lagP99} ms, {missed} missed | late p99 {lateP99} ms, stall {stall} ms'

/** Events that print. Needs `await` once, because live histograms are merged here. */
export async function progressEvents({ isQuiet }: { isQuiet: boolean }): Promise<SweepEvents & { stop(): void }> {
  await prepareHistograms()
  const isTerminal = process.stderr.isTTY === true && !isQuiet
  let bar: SingleBar | undefined
  const stop = () => {
    bar?.stop()
    bar = undefined
  }
  const say = (text: string) => {
    if (!isQuiet) process.stderr.write(`${text}\n`)
  }
  return {
    stop,
    levelBegins: (level, role) => {
      if (!isTerminal) return
      stop()
      const name = role === 'warmup' ? 'warm-up ' : `level ${String(level.concurrency).padStart(2)}`
      bar = new SingleBar(
        { format: FORMAT, stream: process.stderr, hideCursor: true, clearOnComplete: true, fps: 4, barsize: 16 },
        Presets.shades_classic,
      )
      bar.start(level.sessions, 0, { ...EMPTY, name })
    },
    progress: (_, progress) => {
      if (bar === undefined) return
      const lag = mergedSummary([progress.unitLagUs])
      const late = mergedSummary([progress.sendLatenessUs])
      bar.update(progress.done, {
        open: progress.open,
        failed: progress.failed,
        missed: progress.missedUnits,
        lagP50: ms(lag?.p50, 0),
        lagP99: ms(lag?.p99, 0),
        lateP99: ms(late?.p99, 1),
        stall: progress.loopDelayMaxMs.toFixed(1),
      })
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
    stopped: (level, reason) => say(`stopped after level ${level.concurrency}: ${reason} (stop rule)`),
    note: (text) => {
      stop()
      process.stderr.write(`note: ${text}\n`)
    },
  }
}

const EMPTY = { open: 0, failed: 0, missed: 0, lagP50: '-', lagP99: '-', lateP99: '-', stall: '-' }

function ms(us: number | undefined, digits: number): string {
  return us === undefined ? '-' : (us / 1000).toFixed(digits)
}
