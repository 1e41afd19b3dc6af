/**
 * The distributions of one level as an HdrHistogram interval log (format 1.3, histograms V2, compressed, base64): one line
 * for each distribution, told apart by its tag, over the whole level on the clock of its traces. Percentiles of it are within
 * 0.1% of the exact ones that results are made of.
 */
import { build, HistogramLogWriter } from 'hdr-histogram-js'
import { secondsFromUs } from '../../base/clock.js'
import { defined } from '../../metrics/distribution.js'
import type { TabledRun } from './tabled-run.js'

export interface HdrLog {
  readonly text: string
  /** Distributions with a value; the others have no line. */
  readonly histograms: number
}

/** Values are whole microseconds; those below 0 stand as 0 and those above an hour as an hour, and a comment counts them. */
export function hdrLog(run: TabledRun): HdrLog {
  const lines: string[] = []
  const writer = new HistogramLogWriter((line) => {
    lines.push(line)
  })
  // In JSON, so that no name of a folder can end the line.
  const { label, profile, concurrency, repeat } = run
  writer.outputComment(
    `floorload ${JSON.stringify({ profile: profile.name, run: label, concurrency, repeat })}, values in microseconds`,
  )
  writer.outputLogFormatVersion()
  // Written here: the library's own line has a date in it, and the trace's clock began at no known one.
  const { startS, endS } = spanOf(run)
  writer.outputComment('[BaseTime: 0.000 (seconds since epoch)]')
  writer.outputComment(`[StartTime: ${startS.toFixed(3)} (seconds since epoch), on the clock of the traces]`)
  const filled = distributionsUs(run).filter(({ valuesUs }) => valuesUs.length > 0)
  for (const { tag, valuesUs } of filled) {
    const below = valuesUs.filter((us) => Math.round(us) < 0).length
    const above = valuesUs.filter((us) => us > HIGHEST_US).length
    if (below > 0) writer.outputComment(`${tag}: ${below} of ${valuesUs.length} values were below 0 and stand as 0`)
    if (above > 0) writer.outputComment(`${tag}: ${above} of ${valuesUs.length} values stand as one hour, the highest`)
  }
  if (run.stalls !== undefined && run.stalls.delaysUs.length > 0) {
    writer.outputComment(
      `client_stall: wake-ups less than ${run.stalls.thresholdMs} ms late were not recorded one by one`,
    )
  }
  writer.outputLegend()
  for (const { tag, valuesUs } of filled) {
    const histogram = build({
      bitBucketSize: 32,
      autoResize: false,
      lowestDiscernibleValue: 1,
      highestTrackableValue: HIGHEST_US,
      numberOfSignificantValueDigits: 3,
    })
    histogram.tag = tag
    for (const us of valuesUs) histogram.recordValue(Math.min(HIGHEST_US, Math.max(0, Math.round(us))))
    writer.outputIntervalHistogram(histogram, startS, endS, US_PER_INTERVAL_MAX)
  }
  return { text: lines.join(''), histograms: filled.length }
}

/** The same for all logs, so that histograms of several levels can be added up. */
const HIGHEST_US = 3_600_000_000
/** `Interval_Max` of a line is in milliseconds, as other tools have it. */
const US_PER_INTERVAL_MAX = 1000

interface TaggedValues {
  readonly tag: string
  readonly valuesUs: readonly number[]
}

/** The values that the level row takes its distributions from. */
function distributionsUs({ sessions, stalls }: TabledRun): TaggedValues[] {
  const units = sessions.flatMap((session) => session.units)
  const replies = sessions.flatMap((session) => session.replies)
  const lateness = sessions.map(({ pacing }) => pacing.latenessUs)
  const lags = (of: readonly (typeof units)[number][]) => defined(of.map(({ lagUs }) => lagUs))
  return [
    { tag: 'unit_lag', valuesUs: lags(units) },
    { tag: 'listen_unit_lag', valuesUs: lags(units.filter(({ isSpeak }) => !isSpeak)) },
    { tag: 'speak_unit_lag', valuesUs: lags(units.filter(({ isSpeak }) => isSpeak)) },
    { tag: 'first_audio', valuesUs: defined(replies.map(({ firstAudioUs }) => firstAudioUs)) },
    { tag: 'buffer_needed', valuesUs: replies.map(({ bufferNeededUs }) => bufferNeededUs) },
    // Of all packets or of none: those of a part of the sessions would be another distribution.
    { tag: 'send_lateness', valuesUs: lateness.includes(undefined) ? [] : lateness.flatMap((values) => values ?? []) },
    { tag: 'client_stall', valuesUs: stalls?.delaysUs ?? [] },
  ]
}

/** From the first session that opened to the end of the last, on the trace's clock: logs of one sweep can be joined. */
function spanOf({ originUs = 0, sessions }: TabledRun) {
  const closed = sessions.flatMap(({ closeAtUs }) => closeAtUs ?? [])
  const endUs = closed.reduce((most, us) => Math.max(most, us), originUs)
  return { startS: secondsFromUs(originUs), endS: secondsFromUs(endUs) }
}
