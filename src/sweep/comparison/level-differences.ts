/**
 * The serving figures of one level on both sides: difference, interval and p-value of each. Sessions are the clusters, paired
 * by their input; runs where the repeats of a side disagree. Verdicts come later, when all comparisons are known. Pure.
 */
import { US_PER_S } from '../../base/clock.js'
import { tidy } from '../../metrics/distribution.js'
import { modeOf } from '../../profile/profile.js'
import { groupPValue, twoGroupsPValue } from '../../stats/group-test.js'
import { percentileInterval95 } from '../../stats/percentile-interval.js'
import { permutationPValue } from '../../stats/permutation-test.js'
import { PooledSamples, type SidePair } from '../../stats/pooled-samples.js'
import { type SeededRandom, seededRandom } from '../../stats/random.js'
import type { RateCluster } from '../../stats/rate-cluster.js'
import { rateDifferenceInterval95 } from '../../stats/rate-difference.js'
import { runAgreement } from '../../stats/run-agreement.js'
import { type TwoSampleDesign, twoSampleDesign } from '../../stats/two-sample-design.js'
import type { ComparedRun, ComparedSession } from './compared-run.js'
import { pairedSessions } from './compared-run.js'
import {
  type LevelTerms,
  QUANTILE_METRICS,
  type QuantileMetric,
  RATE_METRICS,
  type RateMetric,
} from './serving-metrics.js'
import { type Thresholds, thresholdFor } from './thresholds.js'
import { FAMILY_ERROR_RATE, type PendingDifference } from './verdicts.js'
import { type Waves, wavesOf } from './waves.js'

export const RESAMPLES = 2000
export const PERMUTATIONS = 10_000

interface Level {
  readonly sessions: readonly ComparedSession[]
  readonly terms: LevelTerms
  readonly bySession: TwoSampleDesign
  readonly byRun: TwoSampleDesign
  readonly waves: Waves
  readonly thresholds: Thresholds
  /** A generator of its own for each use, so that one more draw in one figure moves no other. */
  readonly randomFor: (use: string) => SeededRandom
}

/** @param options.seed text that is the same for the same level of the same comparison */
export function levelDifferences(options: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
  readonly thresholds: Thresholds
  readonly seed: string
}): PendingDifference[] {
  const first = options.old[0]?.analysed
  if (first === undefined) return []
  const sessions = pairedSessions(options)
  const level: Level = {
    sessions,
    terms: { unitUs: (first.profile.unit_ms ?? 0) * 1000, reserveUs: Math.round(first.row.reserve_s * US_PER_S) },
    bySession: twoSampleDesign(sessions, 'clusters'),
    byRun: twoSampleDesign(sessions, 'runs'),
    waves: wavesOf(sessions, first.row.concurrency),
    thresholds: options.thresholds,
    randomFor: (use) => seededRandom(`${options.seed}/${use}`),
  }
  const mode = modeOf(first.profile)
  return [
    ...RATE_METRICS.filter(({ modes }) => modes.includes(mode)).map((metric) => rateDifference(metric, level)),
    ...QUANTILE_METRICS.filter(({ modes }) => modes.includes(mode)).flatMap((metric) =>
      quantileDifferences(metric, level),
    ),
  ]
}

function rateDifference(metric: RateMetric, level: Level): PendingDifference {
  const { sessions, terms } = level
  const counts = sessions.map(({ facts }) => metric.of(facts, terms))
  const { design, isOverRuns } = designFor(metric.name, counts, level)
  const clusters = isOverRuns
    ? runTotals(level, counts)
    : counts.map((count, index) => ({ ...count, side: sideOf(level, index) }))
  const ofSide = (side: number) => clusters.filter((cluster) => cluster.side === side)
  const totals = totalsBySide(counts, design.sides)
  const [old, fresh] = [totals.old, totals.new].map(({ trials, successes }) =>
    trials === 0 ? null : successes / trials,
  )
  const head = { metric: metric.name, unit: 'share' as const, old_n: totals.old.trials, new_n: totals.new.trials }
  if (old == null || fresh == null) return { ...head, ...NOTHING, old: old ?? null, new: fresh ?? null }
  const interval = rateDifferenceInterval95({ old: ofSide(0), new: ofSide(1) })
  const p = pValues(level, metric.name, {
    observed: fresh - old,
    differenceOf: (sides) => {
      const dealt = totalsBySide(counts, sides)
      return rateOf(dealt.new) - rateOf(dealt.old)
    },
    estimateOf: (members) => {
      const own = totalsBySide(
        members.map((index) => counts[index] as RateCluster),
        Uint8Array.from(members, (index) => sideOf(level, index)),
      )
      return { old: rateOf(own.old), new: rateOf(own.new) }
    },
    isOverRuns,
  })
  return {
    ...head,
    old,
    new: fresh,
    difference: tidy(fresh - old),
    interval95: interval === undefined ? null : [tidy(interval.low), tidy(interval.high)],
    threshold: tidy(thresholdFor(level.thresholds.serving[metric.threshold], old)),
    ...p,
    over_runs: isOverRuns,
    canDiffer: ![0, totals.old.trials + totals.new.trials].includes(totals.old.successes + totals.new.successes),
  }
}

function quantileDifferences(metric: QuantileMetric, level: Level): PendingDifference[] {
  const values = level.sessions.map(({ facts }) => metric.of(facts))
  const pooled = new PooledSamples(values)
  const counts = pooled.counts(level.bySession.sides)
  const perOutput = metric.unit === 'time' ? US_PER_S : 1
  const shown = (value: number) => tidy(value / perOutput)
  return metric.quantiles.map(({ name, q }): PendingDifference => {
    const seen = pooled.quantiles(q, level.bySession.sides)
    const head = { metric: name, unit: metric.unit, old_n: counts.old, new_n: counts.new }
    if (counts.old === 0 || counts.new === 0) {
      return {
        ...head,
        ...NOTHING,
        old: counts.old === 0 ? null : shown(seen.old),
        new: counts.new === 0 ? null : shown(seen.new),
      }
    }
    const beyond = values.map((own, index) => {
      const limit = sideOf(level, index) === 0 ? seen.old : seen.new
      return { trials: own.length, successes: own.filter((value) => value > limit).length }
    })
    const { design, isOverRuns } = designFor(name, beyond, level)
    const drawn = drawnDifferences(pooled, q, design, level.randomFor(`${name}/draw`))
    const interval = percentileInterval95(drawn)
    const p = pValues(level, name, {
      observed: seen.new - seen.old,
      differenceOf: (sides) => pooled.difference(q, sides),
      estimateOf: (members) =>
        new PooledSamples(members.map((index) => values[index] ?? [])).quantiles(
          q,
          Uint8Array.from(members, (index) => sideOf(level, index)),
        ),
      isOverRuns,
    })
    return {
      ...head,
      old: shown(seen.old),
      new: shown(seen.new),
      difference: shown(seen.new - seen.old),
      interval95: interval === undefined ? null : [shown(interval.low), shown(interval.high)],
      threshold: tidy(thresholdFor(level.thresholds.serving[metric.threshold], seen.old / perOutput)),
      ...p,
      over_runs: isOverRuns,
      canDiffer: pooled.range > 0,
    }
  })
}

/**
 * Two tests, and the larger p-value counts. Swapping sessions is exact, if sessions are independent. Estimates by waves need
 * no such thing, but take it that groups of sessions differ like normal variables. Repeats that disagree are judged by
 * their own estimates alone.
 */
function pValues(
  level: Level,
  name: string,
  options: {
    readonly observed: number
    readonly differenceOf: (sides: Uint8Array) => number
    /** The figure on both sides from these sessions alone; NaN where there is nothing to take it from. */
    readonly estimateOf: (members: readonly number[]) => SidePair
    readonly isOverRuns: boolean
  },
): Pick<PendingDifference, 'p' | 'pBySession' | 'canShow'> {
  const { observed, differenceOf, estimateOf, isOverRuns } = options
  const { sessions, waves, bySession } = level
  if (isOverRuns) {
    const perRun = groupsBy(sessions.map(({ side, run }) => `${side} ${run}`)).map(estimateOf)
    const estimates = (of: keyof SidePair) => perRun.map((run) => run[of]).filter((value) => !Number.isNaN(value))
    const [old, fresh] = [estimates('old'), estimates('new')]
    return { p: twoGroupsPValue(old, fresh), pBySession: null, canShow: old.length > 1 && fresh.length > 1 }
  }
  const pBySession = permutationPValue({
    observed,
    differenceOf,
    design: bySession,
    permutations: PERMUTATIONS,
    random: level.randomFor(`${name}/deal`),
  })
  const differences = groupsBy(waves.groupOf)
    .map(estimateOf)
    .map((group) => group.new - group.old)
    .filter((difference) => !Number.isNaN(difference))
  return {
    p: Math.max(pBySession, groupPValue(differences)),
    pBySession,
    canShow: bySession.smallestP <= FAMILY_ERROR_RATE && differences.length > 1,
  }
}

/** Indices of the sessions of each group. */
function groupsBy(keys: readonly (string | number)[]): number[][] {
  const groups = new Map<string | number, number[]>()
  keys.forEach((key, index) => {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [index])
    else group.push(index)
  })
  return [...groups.values()]
}

function rateOf({ trials, successes }: RateCluster): number {
  return trials === 0 ? Number.NaN : successes / trials
}

/** Sessions as they are, or whole runs where those of a side disagree by more than their sessions explain. */
function designFor(
  name: string,
  counts: readonly RateCluster[],
  level: Level,
): { readonly design: TwoSampleDesign; readonly isOverRuns: boolean } {
  const clusters = level.sessions.map(({ side, stratum, run }, index) => ({
    side,
    stratum,
    run,
    trials: counts[index]?.trials ?? 0,
    successes: counts[index]?.successes ?? 0,
  }))
  const isOverRuns = runAgreement(clusters, level.randomFor(`${name}/runs`))?.isBroken === true
  return { design: isOverRuns ? level.byRun : level.bySession, isOverRuns }
}

function drawnDifferences(
  pooled: PooledSamples,
  q: number,
  design: TwoSampleDesign,
  random: SeededRandom,
): Float64Array {
  const weights = new Int32Array(design.sides.length)
  const drawn = new Float64Array(RESAMPLES)
  for (let index = 0; index < RESAMPLES; index++) {
    design.draw(random, weights)
    drawn[index] = pooled.difference(q, design.sides, weights)
  }
  return drawn
}

function totalsBySide(counts: readonly RateCluster[], sides: Uint8Array) {
  const old = { trials: 0, successes: 0 }
  const fresh = { trials: 0, successes: 0 }
  for (let index = 0; index < counts.length; index++) {
    const total = sides[index] === 0 ? old : fresh
    const count = counts[index] as RateCluster
    total.trials += count.trials
    total.successes += count.successes
  }
  return { old, new: fresh }
}

/** Each run as one cluster. */
function runTotals({ sessions }: Level, counts: readonly RateCluster[]) {
  const totals = new Map<string, { side: number; trials: number; successes: number }>()
  sessions.forEach(({ side, run }, index) => {
    const total = totals.get(`${side} ${run}`) ?? { side, trials: 0, successes: 0 }
    total.trials += counts[index]?.trials ?? 0
    total.successes += counts[index]?.successes ?? 0
    totals.set(`${side} ${run}`, total)
  })
  return [...totals.values()]
}

function sideOf({ bySession }: Level, index: number): number {
  return bySession.sides[index] ?? 0
}

const NOTHING = {
  difference: null,
  interval95: null,
  threshold: null,
  p: null,
  over_runs: false,
  pBySession: null,
  canShow: false,
  canDiffer: false,
} as const
