/**
 * One row of the result: everything measured at one concurrency in one run. Keys are those of the result file
 * (docs/formats.md, "Level row"); times are seconds; null means that there is nothing to report and never stands for 0.
 * Denied and failed sessions are in every denominator.
 */
import { secondsFromUs, US_PER_S } from '../base/clock.js'
import { modeOf } from '../profile/profile.js'
import { defined, distributionOf, sum, tidy } from './distribution.js'
import type { ConfidentVerdict, LevelRow, LevelRowOptions, MissedTarget, OverallVerdict } from './level-columns.js'
import { meanOpen, peakCompleteStreams } from './occupancy.js'
import { LATE_SEND_US } from './pacing.js'
import { isUnderrun } from './playback.js'
import { NO_UNIT_COLUMNS, nativeColumns } from './unit-columns.js'

export type * from './level-columns.js'

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
  const unitColumns = mode === 'native' ? nativeColumns({ ...options, sessions }) : NO_UNIT_COLUMNS
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
    // Without deadlines to judge by, meeting the targets shows admission and no more.
    overall_verdict: overallVerdict(
      valid,
      missed.length > 0,
      mode === 'stream' ? 'inconclusive' : unitColumns.confident_verdict,
    ),
  }
}

/** Native only: the published campaign's gate asks for strictly less than this (docs/metrics.md, section 7). */
const STRICT_GATE_MISS_RATE = 0.01
const ONE = { unitsPerOutput: 1 }
const MICROSECONDS = { unitsPerOutput: US_PER_S }

function overallVerdict(valid: boolean, hasMissed: boolean, confident: ConfidentVerdict | null): OverallVerdict {
  if (!valid) return 'invalid'
  if (hasMissed) return 'misses'
  return confident === 'inconclusive' ? 'inconclusive' : 'meets'
}
