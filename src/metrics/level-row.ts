/**
 * One row of the result: everything measured at one concurrency in one run. Keys are those of the result file
 * (docs/formats.md, "Level row"); times are seconds; null means that there is nothing to report and never stands for 0.
 * Denied and failed sessions are in every denominator.
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import { secondsFromUs, US_PER_S } from '../base/clock.js'
import type { Mode, Profile, Targets } from '../profile/profile.js'
import { modeOf } from '../profile/profile.js'
import { wilsonInterval } from '../stats/binomial-interval.js'
import { clusterBootstrapRate } from '../stats/bootstrap.js'
import { clusteredBounds, furtherClustersToSettle } from '../stats/clustered-rate.js'
import { type Distribution, distributionOf, tidy } from './distribution.js'
import { LATE_SEND_US } from './pacing.js'
import { isUnderrun } from './playback.js'
import type { SessionFacts } from './session-facts.js'
import type { StallIndex } from './stalls.js'

export type MissedTarget = 'sessions_failed' | 'denied' | 'pacing_violations' | 'unit_miss_rate' | 'rtf_p90'
export type ConfidentVerdict = 'qualified' | 'failed' | 'inconclusive'
/** In order of precedence (docs/metrics.md, section 8). */
export type OverallVerdict = 'invalid' | 'misses' | 'inconclusive' | 'meets'

export interface Interval {
  readonly low: number
  readonly high: number
}

export interface LevelRow {
  readonly profile: string
  readonly mode: Mode
  readonly concurrency: number
  readonly reserve_s: number
  readonly sessions_attempted: number
  readonly sessions_succeeded: number
  readonly sessions_failed: number
  readonly denied: number
  readonly admission_retries: number
  readonly pacing_violations: number
  readonly mean_open: number | null
  readonly peak_complete_streams: number
  readonly units_expected: number | null
  readonly units_missed: number | null
  readonly unit_miss_rate: number | null
  readonly units_late_or_missing: number | null
  readonly sessions_with_miss: number | null
  /** Misses that a stall of the client itself could explain; null where no stalls were recorded. */
  readonly uncertain_misses: number | null
  /** Whether the unit miss target would be met without the uncertain misses; null where that changes nothing. */
  readonly meets_without_uncertain: boolean | null
  readonly unit_lag_s: Distribution | null
  readonly speak_unit_lag_s: Distribution | null
  readonly listen_unit_lag_s: Distribution | null
  readonly replies_with_audio: number
  readonly first_audio_s: Distribution | null
  readonly buffer_needed_s: Distribution | null
  readonly underrun_replies: number
  readonly underrun_count: number
  readonly underrun_s: number
  readonly rtf: Distribution | null
  readonly send_lateness_s: Distribution | null
  readonly late_send_rate: number | null
  readonly units_completed: number | null
  readonly input_accepted_s: number | null
  readonly reply_s: number
  readonly units_completed_per_session: number | null
  readonly input_accepted_s_per_session: number | null
  readonly reply_s_per_session: number | null
  readonly valid: boolean
  readonly meets_targets: boolean
  readonly missed_targets: readonly MissedTarget[]
  readonly strict_gate_pass: boolean | null
  readonly unit_miss_bound95: (Interval & { readonly design_effect: number; readonly effective_units: number }) | null
  readonly confident_verdict: ConfidentVerdict | null
  /** Further sessions at this rate that would settle an inconclusive verdict; null where none would, or none is needed. */
  readonly further_sessions_to_settle: number | null
  readonly overall_verdict: OverallVerdict
  readonly unit_miss_wilson95: Interval | null
  readonly unit_miss_bootstrap95: (Interval & { readonly resamples: number; readonly seed: number }) | null
}

export interface LevelRowOptions {
  readonly profile: Profile
  readonly targets: Targets
  /** Sessions requested at once. */
  readonly concurrency: number
  /** Facts of every session of the run, any order. */
  readonly sessions: readonly SessionFacts[]
  readonly reserveUs: DurationUs
  /** Undefined where the recorder kept no record of its own stalls. */
  readonly stalls: StallIndex | undefined
  /** False when the recorder was stopped before its last session: the level was not measured. */
  readonly isComplete?: boolean
}

const BOOTSTRAP_RESAMPLES = 20_000
const BOOTSTRAP_SEED = 0

/** Computes the row. The order of the sessions changes nothing. */
export function levelRow(options: LevelRowOptions): LevelRow {
  const { profile, targets, concurrency, reserveUs } = options
  // Sorted by name, so that draws of the seeded bootstrap do not depend on the order of reading.
  const sessions = [...options.sessions].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const mode = modeOf(profile)
  const attempted = sessions.length
  const succeeded = sessions.filter(({ hasSucceeded }) => hasSucceeded).length
  const denied = sessions.filter(({ isDenied }) => isDenied).length
  const pacingViolations = sessions.filter(({ pacing }) => pacing.problems.length > 0).length
  const peak = peakCompleteStreams(sessions)
  const unitColumns = mode === 'native' ? nativeColumns({ ...options, sessions }) : TURN_BASED_UNIT_COLUMNS
  const replies = sessions.flatMap((session) => session.replies)
  const rtf = mode === 'turn_based' ? distributionOf(defined(replies.map((r) => r.realTimeFactor)), ONE) : null
  const lateness = sessions.every(({ pacing }) => pacing.latenessUs !== undefined)
    ? sessions.flatMap(({ pacing }) => pacing.latenessUs ?? [])
    : undefined
  const missed: MissedTarget[] = []
  if (succeeded < attempted) missed.push('sessions_failed')
  if (denied > 0) missed.push('denied')
  if (pacingViolations > 0) missed.push('pacing_violations')
  if (attempted > 0 && mode === 'native') {
    const rate = unitColumns.unit_miss_rate
    if (rate === null || rate > targets.unit_miss_rate_max) missed.push('unit_miss_rate')
  }
  // No data is not below the target.
  if (attempted > 0 && mode === 'turn_based' && !(rtf !== null && rtf.p90 < targets.rtf_p90_below)) {
    missed.push('rtf_p90')
  }
  const valid = attempted > 0 && pacingViolations === 0 && options.isComplete !== false
  const perSession = (value: number | null) => (value === null || attempted === 0 ? null : tidy(value / attempted))
  const acceptedS = sessions.some(({ acceptedMs }) => acceptedMs === null)
    ? null
    : tidy(sum(sessions.map(({ acceptedMs }) => acceptedMs ?? 0)) / 1000)
  const replyS = tidy(sum(sessions.map((session) => session.replyS)))
  const needed = replies.map((reply) => reply.bufferNeededUs)
  const pauses = replies.flatMap((reply) => reply.pausesUs)
  return {
    profile: profile.name,
    mode,
    concurrency,
    reserve_s: secondsFromUs(reserveUs),
    sessions_attempted: attempted,
    sessions_succeeded: succeeded,
    sessions_failed: attempted - succeeded,
    denied,
    admission_retries: sum(sessions.map((session) => session.admissionRetries)),
    pacing_violations: pacingViolations,
    mean_open: meanOpen(sessions),
    peak_complete_streams: peak,
    ...unitColumns,
    replies_with_audio: replies.length,
    first_audio_s: distributionOf(defined(replies.map((reply) => reply.firstAudioUs)), MICROSECONDS),
    buffer_needed_s: distributionOf(needed, MICROSECONDS),
    underrun_replies: needed.filter((us) => isUnderrun(us, reserveUs)).length,
    underrun_count: pauses.length,
    underrun_s: tidy(secondsFromUs(sum(pauses))),
    rtf,
    send_lateness_s: lateness === undefined ? null : distributionOf(lateness, { ...MICROSECONDS, withP999: true }),
    late_send_rate:
      lateness === undefined || lateness.length === 0
        ? null
        : lateness.filter((us) => us > LATE_SEND_US).length / lateness.length,
    input_accepted_s: acceptedS,
    reply_s: replyS,
    units_completed_per_session: perSession(unitColumns.units_completed),
    input_accepted_s_per_session: perSession(acceptedS),
    reply_s_per_session: perSession(replyS),
    valid,
    meets_targets: valid && missed.length === 0,
    missed_targets: missed,
    strict_gate_pass:
      mode === 'native'
        ? valid &&
          succeeded === attempted &&
          denied === 0 &&
          unitColumns.unit_miss_rate !== null &&
          unitColumns.unit_miss_rate < STRICT_GATE_MISS_RATE &&
          peak >= concurrency
        : null,
    overall_verdict: overallVerdict(valid, missed.length > 0, unitColumns.confident_verdict),
  }
}

/** Native only: the published campaign's gate asks for strictly less than this (docs/metrics.md, section 7). */
const STRICT_GATE_MISS_RATE = 0.01
const ONE = { unitsPerOutput: 1 }
const MICROSECONDS = { unitsPerOutput: US_PER_S }

type UnitColumns = Pick<
  LevelRow,
  | 'units_expected'
  | 'units_missed'
  | 'unit_miss_rate'
  | 'units_late_or_missing'
  | 'sessions_with_miss'
  | 'uncertain_misses'
  | 'meets_without_uncertain'
  | 'unit_lag_s'
  | 'speak_unit_lag_s'
  | 'listen_unit_lag_s'
  | 'units_completed'
  | 'unit_miss_bound95'
  | 'confident_verdict'
  | 'further_sessions_to_settle'
  | 'unit_miss_wilson95'
  | 'unit_miss_bootstrap95'
>

/** Unit receipts of a turn-based server track intake, so no figure is taken from them. */
const TURN_BASED_UNIT_COLUMNS: UnitColumns = {
  units_expected: null,
  units_missed: null,
  unit_miss_rate: null,
  units_late_or_missing: null,
  sessions_with_miss: null,
  uncertain_misses: null,
  meets_without_uncertain: null,
  unit_lag_s: null,
  speak_unit_lag_s: null,
  listen_unit_lag_s: null,
  units_completed: null,
  unit_miss_bound95: null,
  confident_verdict: null,
  further_sessions_to_settle: null,
  unit_miss_wilson95: null,
  unit_miss_bootstrap95: null,
}

interface SessionUnits {
  readonly expected: number
  readonly lateOrMissing: number
  readonly missed: number
  readonly uncertain: number
}

function nativeColumns({ profile, targets, sessions, stalls }: LevelRowOptions): UnitColumns {
  const unitUs = (profile.unit_ms ?? 0) * 1000
  const counts = sessions.map((session) => countUnits(session, unitUs, stalls))
  const expected = sum(counts.map((count) => count.expected))
  const missed = sum(counts.map((count) => count.missed))
  const uncertain = sum(counts.map((count) => count.uncertain))
  const rate = expected === 0 ? null : missed / expected
  const isOverTarget = rate !== null && rate > targets.unit_miss_rate_max
  const clusters = counts.map((count) => ({ trials: count.expected, successes: count.missed }))
  const bounds = clusteredBounds(clusters)
  const confident = confidentVerdict(bounds, targets.unit_miss_rate_max)
  const wilson = wilsonInterval({ successes: missed, trials: expected })
  const bootstrap = clusterBootstrapRate({ clusters, resamples: BOOTSTRAP_RESAMPLES, seed: BOOTSTRAP_SEED })
  const units = sessions.flatMap((session) => session.units)
  const lags = (select: (isSpeak: boolean) => boolean) =>
    distributionOf(defined(units.filter((unit) => select(unit.isSpeak)).map((unit) => unit.lagUs)), MICROSECONDS)
  return {
    units_expected: expected,
    units_missed: missed,
    unit_miss_rate: rate,
    units_late_or_missing: sum(counts.map((count) => count.lateOrMissing)),
    sessions_with_miss: counts.filter((count) => count.missed > 0).length,
    uncertain_misses: stalls === undefined ? null : uncertain,
    meets_without_uncertain:
      isOverTarget && uncertain > 0 ? (missed - uncertain) / expected <= targets.unit_miss_rate_max : null,
    unit_lag_s: lags(() => true),
    speak_unit_lag_s: lags((isSpeak) => isSpeak),
    listen_unit_lag_s: lags((isSpeak) => !isSpeak),
    units_completed: units.length,
    unit_miss_bound95:
      bounds === undefined
        ? null
        : {
            low: tidy(bounds.low),
            high: tidy(bounds.high),
            design_effect: tidy(bounds.designEffect),
            effective_units: tidy(bounds.effectiveTrials),
          },
    confident_verdict: confident,
    further_sessions_to_settle:
      confident === 'inconclusive' ? furtherClustersToSettle({ clusters, limit: targets.unit_miss_rate_max }) : null,
    unit_miss_wilson95: wilson === undefined ? null : { low: tidy(wilson.low), high: tidy(wilson.high) },
    unit_miss_bootstrap95:
      bootstrap === undefined
        ? null
        : {
            low: tidy(bootstrap.low),
            high: tidy(bootstrap.high),
            resamples: BOOTSTRAP_RESAMPLES,
            seed: BOOTSTRAP_SEED,
          },
  }
}

/**
 * A unit is missed when its lag is strictly greater than one unit length, when it never finished, and whenever its
 * session failed.
 */
function countUnits(session: SessionFacts, unitUs: DurationUs, stalls: StallIndex | undefined): SessionUnits {
  const expected = session.unitsExpected ?? 0
  let inTime = 0
  let uncertain = 0
  for (const unit of session.units) {
    if (unit.lagUs === undefined) continue
    if (unit.lagUs <= unitUs) inTime += 1
    else if (session.hasSucceeded && stalls !== undefined) {
      if (unit.lagUs - unitUs <= stalls.coveringUs(unit.doneAtUs)) uncertain += 1
    }
  }
  const lateOrMissing = expected - inTime
  return { expected, lateOrMissing, missed: session.hasSucceeded ? lateOrMissing : expected, uncertain }
}

function confidentVerdict(bounds: Interval | undefined, limit: number): ConfidentVerdict {
  if (bounds === undefined) return 'inconclusive'
  if (bounds.high <= limit) return 'qualified'
  return bounds.low > limit ? 'failed' : 'inconclusive'
}

function overallVerdict(valid: boolean, hasMissed: boolean, confident: ConfidentVerdict | null): OverallVerdict {
  if (!valid) return 'invalid'
  if (hasMissed) return 'misses'
  return confident === 'inconclusive' ? 'inconclusive' : 'meets'
}

/** Time average of the number of open sessions, from the first open to the last close of the level. */
function meanOpen(sessions: readonly SessionFacts[]): number | null {
  let firstUs = Number.POSITIVE_INFINITY
  let lastUs = Number.NEGATIVE_INFINITY
  let openUs = 0
  for (const { openAtUs, closeAtUs } of sessions) {
    if (openAtUs === undefined || closeAtUs === undefined) continue
    firstUs = Math.min(firstUs, openAtUs)
    lastUs = Math.max(lastUs, closeAtUs)
    openUs += closeAtUs - openAtUs
  }
  return lastUs > firstUs ? tidy(openUs / (lastUs - firstUs)) : null
}

/** Largest number of sessions inside their own closed interval [t0, t0 + T] at one instant. */
function peakCompleteStreams(sessions: readonly SessionFacts[]): number {
  const edges: { atUs: InstantUs; step: 1 | -1 }[] = []
  for (const { t0Us, inputUs, hasSentAllInput } of sessions) {
    if (t0Us === undefined || !hasSentAllInput) continue
    edges.push({ atUs: t0Us, step: 1 }, { atUs: t0Us + inputUs, step: -1 })
  }
  // Both ends belong to the interval: at one instant, starts come before ends.
  edges.sort((a, b) => a.atUs - b.atUs || b.step - a.step)
  let open = 0
  let peak = 0
  for (const edge of edges) {
    open += edge.step
    peak = Math.max(peak, open)
  }
  return peak
}

function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
