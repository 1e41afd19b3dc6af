/**
 * `serving.json`: the one machine-readable result, built from analysed runs alone. It holds no wall-clock time and no
 * path of the machine, so the same runs give the same bytes wherever and in whatever order they are read.
 */
import { z } from 'zod'
import type { LevelRow } from '../metrics/level-row.js'
import { type RepeatSummary, repeatSummaries, type WorkMeasure, workDrops } from '../metrics/repeats.js'
import type { Gate } from '../profile/sweep-file.js'
import type { AnalysedRun } from './analyse-run.io.js'
import { HEADROOM_SHARE_MAX } from './calibration/calibration.js'
import { type Capacity, capacityOf, levelOutcomes } from './capacity.js'
import { type GateResult, judgeGate } from './gate.js'
import { hostWarnings, type LoadGenerator, loadGenerator } from './load-generator.js'
import { type LevelQuality, type ProfileQuality, qualityResults, type ScoredCapture } from './quality-result.js'
import { qualityLines } from './quality-text.js'
import type { LevelEvidence } from './server-metrics/level-evidence.js'
import { saturationLines } from './server-metrics/saturation.js'
import { percent, verdictLines } from './verdict-text.js'

export const SERVING_SCHEMA_NAME = 'floorload.serving/1'
/** Of docs/metrics.md; changes whenever a figure would come out differently for the same traces. */
export const METRIC_DEFINITIONS = 'floorload-metrics-1'

export interface FailedSession {
  readonly session: string
  readonly denied: boolean
  /** First reasons, most telling first; `reasons_total` counts all. */
  readonly reasons: readonly string[]
  readonly reasons_total: number
  readonly trace: string
}

export interface ServingLevel extends LevelRow {
  readonly run: string
  readonly repeat: number
  readonly start_policy: string | null
  /** Where in one packet interval the packets of different sessions went out. */
  readonly phases: string | null
  /** Processes that sent. */
  readonly senders: number | null
  readonly recording_complete: boolean
  readonly work_drops: readonly WorkMeasure[]
  /** How much of what the load generator's host can drive this level took; null where that is not known. */
  readonly headroom: { readonly calibrated_sessions: number; readonly share: number } | null
  /** Worst event-loop delay of a sender; null where it was not recorded. */
  readonly client_stall_ms: { readonly p50: number; readonly p99: number; readonly max: number } | null
  /** The load generator's own record; null where it kept none. */
  readonly load_generator: LoadGenerator | null
  readonly failed_sessions: readonly FailedSession[]
  readonly inputs_sha256: string
  /** Turn-taking scores of the same capture; null where none were asked for. */
  readonly quality: LevelQuality | null
  /** What the server said of itself meanwhile; null where it was not asked. */
  readonly server_metrics: LevelEvidence | null
}

export interface ProfileResult {
  readonly profile: string
  readonly targets: { readonly unit_miss_rate_max: number; readonly rtf_p90_below: number }
  readonly capacity: Capacity
  readonly repeats: readonly RepeatSummary[]
  readonly quality: ProfileQuality | null
  /** What a person reads first: the capacity, then how sure it is, then what to look at. */
  readonly verdict: readonly string[]
}

export interface ServingResult {
  readonly schema: typeof SERVING_SCHEMA_NAME
  readonly tool: { readonly name: 'floorload'; readonly version: string }
  readonly definitions: typeof METRIC_DEFINITIONS
  readonly profiles: readonly ProfileResult[]
  readonly levels: readonly ServingLevel[]
  readonly gate: GateResult | null
  readonly warnings: readonly string[]
}

const REASONS_KEPT = 5

export interface QualityInput {
  /** By the run's directory. */
  readonly scores: ReadonlyMap<string, ScoredCapture>
  /** Why a run has no scores, by its directory. */
  readonly failures?: ReadonlyMap<string, string>
  readonly margins: Readonly<Record<string, number>>
  readonly seed: number
}

/** Builds the result. Runs of several profiles stand in one table, each profile with its own capacity. */
export function servingResult(options: {
  readonly runs: readonly AnalysedRun[]
  readonly toolVersion: string
  readonly gate?: Gate | undefined
  readonly quality?: QualityInput | undefined
}): ServingResult {
  const runs = [...options.runs].sort(compareRuns)
  const names = [...new Set(runs.map(({ profile }) => profile.name))]
  const parts = names.map((name) =>
    profilePart(
      runs.filter(({ profile }) => profile.name === name),
      options.quality,
    ),
  )
  const levels = parts.flatMap((part) => part.levels)
  const profiles = parts.map((part) => part.profile)
  const gated = options.gate === undefined || names.length > 1 ? undefined : options.gate
  return {
    schema: SERVING_SCHEMA_NAME,
    tool: { name: 'floorload', version: options.toolVersion },
    definitions: METRIC_DEFINITIONS,
    profiles,
    levels,
    gate: gated === undefined ? null : judgeGate(levels, gated, profiles[0]?.quality?.capacity ?? null),
    warnings: [...warningsOf(runs), ...scoringFailures(runs, options.quality)],
  }
}

/** @param runs of one profile; at least one */
function profilePart(
  runs: readonly AnalysedRun[],
  quality: QualityInput | undefined,
): { readonly profile: ProfileResult; readonly levels: readonly ServingLevel[] } {
  const rows = runs.map(({ row }) => row)
  const capacity = capacityOf(levelOutcomes(rows))
  const repeats = repeatSummaries(rows)
  const targets = runs[0]?.targets ?? { unit_miss_rate_max: 0.01, rtf_p90_below: 1 }
  const scored = runs.map(({ run, row }) => ({
    run: run.name,
    concurrency: row.concurrency,
    repeat: run.repeat,
    isValid: row.valid,
    scores: quality?.scores.get(run.directory),
  }))
  const { levels: qualities, profile: profileQuality } = qualityResults({
    runs: scored,
    serving: capacity,
    margins: quality?.margins ?? {},
    seed: quality?.seed ?? 0,
  })
  const levels = runs.map((analysed, index) => ({
    ...servingLevel(analysed, lowestOf(runs, analysed)),
    quality: qualities[index] ?? null,
  }))
  return {
    profile: {
      profile: runs[0]?.profile.name ?? '',
      targets,
      capacity,
      repeats,
      quality: profileQuality,
      verdict: [
        ...verdictLines({ capacity, rows, repeats, targets }),
        ...(profileQuality === null ? [] : qualityLines(profileQuality, levels)),
        ...saturationLines(runs.map(({ row, evidence }) => ({ concurrency: row.concurrency, evidence }))),
      ],
    },
    levels,
  }
}

function servingLevel(analysed: AnalysedRun, lowest: LevelRow): Omit<ServingLevel, 'quality'> {
  const { run, row, sessions, inputsSha256 } = analysed
  return {
    run: run.name,
    repeat: run.repeat,
    ...row,
    start_policy: run.policy ?? null,
    phases: run.phases ?? null,
    senders: run.senders ?? null,
    headroom: headroomOf(run.concurrency ?? row.concurrency, run.calibratedSessions),
    recording_complete: run.isComplete,
    work_drops: workDrops(row, lowest),
    client_stall_ms: clientStall(run.monitoring?.event_loop_delay_ms),
    load_generator: run.monitoring === undefined ? null : loadGenerator(run.monitoring),
    failed_sessions: sessions
      .filter(({ hasSucceeded }) => !hasSucceeded)
      .map(({ name, isDenied, reasons }) => ({
        session: name,
        denied: isDenied,
        reasons: reasons.slice(0, REASONS_KEPT),
        reasons_total: reasons.length,
        trace: `${run.layout === 'field' ? 'samples' : 'sessions'}/${name}/continuous.jsonl`,
      })),
    inputs_sha256: inputsSha256,
    server_metrics: analysed.evidence,
  }
}

function clientStall(delays: LoadGenerator['event_loop_delay_ms'] | undefined): ServingLevel['client_stall_ms'] {
  return delays == null ? null : { p50: delays.p50, p99: delays.p99, max: delays.max }
}

function lowestOf(runs: readonly AnalysedRun[], like: AnalysedRun): LevelRow {
  const own = runs.filter(({ profile, row }) => profile.name === like.profile.name && row.valid)
  return own.reduce((low, { row }) => (row.concurrency < low.concurrency ? row : low), own[0]?.row ?? like.row)
}

function compareRuns(a: AnalysedRun, b: AnalysedRun): number {
  return (
    compareText(a.profile.name, b.profile.name) ||
    a.row.concurrency - b.row.concurrency ||
    a.run.repeat - b.run.repeat ||
    compareText(a.run.name, b.run.name) ||
    compareText(a.inputsSha256, b.inputsSha256)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function scoringFailures(runs: readonly AnalysedRun[], quality: QualityInput | undefined): string[] {
  return runs.flatMap(({ run }) => {
    const reason = quality?.failures?.get(run.directory)
    return reason === undefined ? [] : [`${run.name}: its quality was not scored: ${reason}`]
  })
}

function headroomOf(concurrency: number, calibrated: number | undefined): ServingLevel['headroom'] {
  if (calibrated === undefined || calibrated === 0) return null
  return { calibrated_sessions: calibrated, share: Math.round((1000 * concurrency) / calibrated) / 1000 }
}

/** What makes rows of one table incomparable, or a row weaker than it looks. */
function warningsOf(runs: readonly AnalysedRun[]): string[] {
  const warnings: string[] = []
  for (const name of new Set(runs.map(({ profile }) => profile.name))) {
    const own = runs.filter(({ profile }) => profile.name === name)
    const differs = <T>(select: (run: AnalysedRun) => T) =>
      new Set(own.map((run) => JSON.stringify(select(run)))).size > 1
    if (differs(({ targets }) => targets)) warnings.push(`${name}: the levels were judged by different targets`)
    if (differs(({ row }) => row.reserve_s)) warnings.push(`${name}: the levels have different playback reserves`)
    if (differs(({ run }) => run.policy ?? null)) {
      warnings.push(`${name}: the levels were started under different policies and do not compare`)
    }
    if (differs(({ run }) => run.phases ?? null)) {
      warnings.push(`${name}: the levels were sent with different phases and do not compare`)
    }
  }
  for (const { row, run } of runs) {
    if (row.sessions_attempted > 0 && row.peak_complete_streams < row.concurrency) {
      warnings.push(
        `${run.name}: at most ${row.peak_complete_streams} sessions were inside their input at once; ${row.concurrency} were asked for`,
      )
    }
    if (row.mode === 'stream' && row.sessions_succeeded > 0 && row.replies_with_audio === 0) {
      warnings.push(`${run.name}: no session was answered with audio`)
    }
    const headroom = headroomOf(row.concurrency, run.calibratedSessions)
    if (headroom !== null && headroom.share > HEADROOM_SHARE_MAX) {
      warnings.push(
        `${run.name}: ${row.concurrency} sessions are ${percent(headroom.share)} of the ${headroom.calibrated_sessions} that the load generator's host can drive; use more cores or another host before you blame the server`,
      )
    }
    warnings.push(...hostWarnings(run.monitoring?.host).map((text) => `${run.name}: ${text}`))
  }
  const seen = new Map<string, string>()
  for (const { run, inputsSha256 } of runs) {
    const other = seen.get(inputsSha256)
    if (other !== undefined) warnings.push(`${run.name} holds the same recording as ${other}`)
    seen.set(inputsSha256, run.name)
    if (!run.isComplete) warnings.push(`${run.name}: the recording was not finished`)
    if (run.invalidItems > 0) warnings.push(`${run.name}: ${run.invalidItems} dataset items could not be used`)
  }
  return warnings
}

/** What a reader of `serving.json` needs of a row; everything else passes through. */
const levelRowSchema = z.looseObject({
  profile: z.string(),
  mode: z.enum(['native', 'turn_based', 'stream']),
  concurrency: z.number(),
  valid: z.boolean(),
  meets_targets: z.boolean(),
  missed_targets: z.array(z.string()),
  strict_gate_pass: z.boolean().nullable(),
  confident_verdict: z.enum(['qualified', 'failed', 'inconclusive']).nullable(),
  unit_miss_rate: z.number().nullable(),
})

/** Checks a `serving.json` that somebody hands us. */
export const servingFileSchema = z.looseObject({
  schema: z.literal(SERVING_SCHEMA_NAME),
  levels: z.array(levelRowSchema),
  gate: z.looseObject({ gate: z.unknown() }).nullable(),
})
