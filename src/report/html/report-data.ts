/** From results and the sessions behind them to what the page's charts are drawn from. Measures nothing anew. Pure. */
import type { UnifiedMetric } from '../../quality/unified/unified-result.js'
import type { AnalysedRun } from '../../sweep/analyse-run.io.js'
import type { ProfileResult, ServingLevel, ServingResult } from '../../sweep/serving-result.js'
import { levelName } from '../level-table.js'
import { metricOf, presentMetrics } from '../quality-table.js'
import { seriesRows } from '../server-table.js'
import { levelTime } from './level-time.js'
import type { LevelData, PageData, ProfileData, QualityChart, ServerChart } from './page-data.js'
import { PERCENTILE_GRID, percentileCurve, playsByBuffer, tenthsFromUs } from './percentile-curve.js'
import { timelineData } from './timeline-data.js'

/** A row of the result with the run that it was computed from; undefined where only the result is at hand. */
export interface ShownLevel {
  readonly row: ServingLevel
  readonly run: AnalysedRun | undefined
}

export interface ShownProfile {
  readonly result: ProfileResult
  readonly levels: readonly ShownLevel[]
}

/** Rows and runs stand in one order only by chance: they are matched by what the recording holds. */
export function shownProfiles(result: ServingResult, runs: readonly AnalysedRun[]): ShownProfile[] {
  return result.profiles.map((profile) => ({
    result: profile,
    levels: result.levels
      .filter((row) => row.profile === profile.profile)
      .map((row) => ({
        row,
        run: runs.find(({ run, inputsSha256 }) => run.name === row.run && inputsSha256 === row.inputs_sha256),
      })),
  }))
}

export function pageData(profiles: readonly ShownProfile[]): PageData {
  return { grid: PERCENTILE_GRID, profiles: profiles.map(profileData) }
}

/** The level worth a look: the first that misses, else the capacity, else the highest. */
export function firstShown({ result, levels }: ShownProfile): number {
  const { first_missing_level: missing, sessions } = result.capacity
  const index = levels.findIndex(({ row }) => row.concurrency === (missing ?? sessions))
  return index < 0 ? Math.max(0, levels.length - 1) : index
}

function profileData(profile: ShownProfile): ProfileData {
  const { result, levels } = profile
  const first = levels[0]
  return {
    name: result.profile,
    mode: first?.row.mode ?? 'native',
    unitMs: first?.row.mode === 'native' ? (first.run?.profile.unit_ms ?? null) : null,
    missTargetPpm: ppm(result.targets.unit_miss_rate_max),
    rtfTarget: result.targets.rtf_p90_below,
    first: firstShown(profile),
    levels: levels.map(levelData),
    quality: qualityCharts(levels.map(({ row }) => row)),
    server: serverCharts(levels.map(({ row }) => row)),
  }
}

function levelData({ row, run }: ShownLevel): LevelData {
  const sessions = run?.sessions ?? []
  const replies = sessions.flatMap((session) => session.replies)
  const needed = replies.map(({ bufferNeededUs }) => bufferNeededUs)
  const rate = row.unit_miss_rate
  const bound = row.unit_miss_bound95
  return {
    label: levelName(row),
    concurrency: row.concurrency,
    state: row.valid ? (row.meets_targets ? 'meets' : 'misses') : 'invalid',
    missPpm: rate === null ? null : [ppm(rate), ppm(bound?.low ?? rate), ppm(bound?.high ?? rate)],
    rtfMilli: row.rtf === null ? null : Math.round(row.rtf.p90 * 1000),
    failedPpm: row.sessions_attempted === 0 ? 0 : ppm(row.sessions_failed / row.sessions_attempted),
    lag: row.mode === 'native' ? lagCurves(run) : null,
    firstAudio: percentileCurve(replies.flatMap(({ firstAudioUs }) => firstAudioUs ?? [])),
    buffer: percentileCurve(needed),
    plays: playsByBuffer(needed),
    time: levelTime(sessions, run?.run.monitoring),
    session: run?.worst === undefined ? null : timelineData(run.worst, run.run.monitoring),
  }
}

function lagCurves(run: AnalysedRun | undefined): LevelData['lag'] {
  const units = (run?.sessions ?? []).flatMap((session) => session.units)
  const lags = (select: (isSpeak: boolean) => boolean) =>
    percentileCurve(units.filter(({ isSpeak }) => select(isSpeak)).flatMap(({ lagUs }) => lagUs ?? []))
  const all = lags(() => true)
  return all === null ? null : { all, speak: lags((isSpeak) => isSpeak), listen: lags((isSpeak) => !isSpeak) }
}

function qualityCharts(rows: readonly ServingLevel[]): QualityChart[] {
  return presentMetrics(rows).map(({ title, subset, metric }) => {
    const found = rows.map((row) => ({ row, metric: metricOf(row, subset, metric) }))
    const isShare = !found.some(({ metric: own }) => own !== undefined && 'p90' in own)
    const size = (value: unknown) =>
      typeof value !== 'number' ? null : isShare ? ppm(value) : tenthsFromUs(value * 1e6)
    return {
      title,
      isShare,
      points: found.flatMap(({ row, metric: own }) => pointOf(row, own, size)),
    }
  })
}

/** The first dozen, those that tell of fullness first: a page is no dashboard. */
const SERVER_CHARTS_MAX = 12

function serverCharts(rows: readonly ServingLevel[]): ServerChart[] {
  return seriesRows(rows)
    .slice(0, SERVER_CHARTS_MAX)
    .map(({ series, levels }) => ({
      title: series,
      points: levels.flatMap((summary, index) => {
        const row = rows[index]
        if (summary === undefined || row === undefined) return []
        const { mean: value, min: low, max: high } = summary
        return [{ label: levelName(row), concurrency: row.concurrency, isInvalid: !row.valid, value, low, high }]
      }),
    }))
}

function pointOf(
  row: ServingLevel,
  metric: UnifiedMetric | undefined,
  size: (value: unknown) => number | null,
): QualityChart['points'] {
  const value = metric === undefined ? null : size(metric.value)
  if (metric === undefined || value === null) return []
  const [low, high] = metric.interval ?? [null, null]
  const { concurrency, valid } = row
  return [
    { label: levelName(row), concurrency, isInvalid: !valid, value, low: size(low), high: size(high), n: metric.n },
  ]
}

function ppm(share: number): number {
  return Math.round(share * 1e6)
}
