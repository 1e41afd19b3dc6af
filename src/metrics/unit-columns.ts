/** The unit columns of a level row: lags, misses, and how sure they are. Native profiles only. Pure. */
import type { DurationUs } from '../base/clock.js'
import { US_PER_S } from '../base/clock.js'
import { wilsonInterval } from '../stats/binomial-interval.js'
import { clusterBootstrapRate } from '../stats/bootstrap.js'
import { clusteredBounds, furtherClustersToSettle } from '../stats/clustered-rate.js'
import { defined, distributionOf, sum, tidy } from './distribution.js'
import type { ConfidentVerdict, Interval, LevelRow, LevelRowOptions } from './level-columns.js'
import type { SessionFacts } from './session-facts.js'
import type { StallLookup } from './stalls.js'

const BOOTSTRAP_RESAMPLES = 20_000
const BOOTSTRAP_SEED = 0
const MICROSECONDS = { unitsPerOutput: US_PER_S }

export type UnitColumns = Pick<
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

/** Unit receipts of a turn-based server track intake, so no figure is taken from them; other protocols have none. */
export const NO_UNIT_COLUMNS: UnitColumns = {
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

export interface SessionUnits {
  readonly expected: number
  readonly lateOrMissing: number
  readonly missed: number
  readonly uncertain: number
}

export function nativeColumns({ profile, targets, sessions, stalls }: LevelRowOptions): UnitColumns {
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
export function countUnits(session: SessionFacts, unitUs: DurationUs, stalls: StallLookup | undefined): SessionUnits {
  const expected = session.unitsExpected ?? 0
  let inTime = 0
  let uncertain = 0
  for (const unit of session.units) {
    if (unit.lagUs === undefined) continue
    if (unit.lagUs <= unitUs) inTime += 1
    else if (session.hasSucceeded && stalls !== undefined) {
      if (unit.lagUs - unitUs <= stalls.coveringUs(unit.doneAtUs, session.name)) uncertain += 1
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
