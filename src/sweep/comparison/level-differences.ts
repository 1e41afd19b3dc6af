/**
 * The serving figures of one level on both sides: difference, interval and p-value of each. Sessions are the clusters, paired
 * by their input; runs where the repeats of a side disagree. Verdicts come later, when all comparisons are known. Pure.
 */
import { US_PER_S } from '../../base/clock.js'
import { tidy } from '../../metrics/distribution.js'
import { modeOf } from '../../profile/profile.js'
import { percentileInterval95 } from '../../stats/percentile-interval.js'
import { permutationPValue } from '../../stats/permutation-test.js'
import { PooledSamples } from '../../stats/pooled-samples.js'
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
import type { PendingDifference } from './verdicts.js'

export const RESAMPLES = 2000
export const PERMUTATIONS = 20_000

interface Level {
  readonly sessions: readonly ComparedSession[]
  readonly terms: LevelTerms
  readonly bySession: TwoSampleDesign
  readonly byRun: TwoSampleDesign
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
  const p = permutationPValue({
    observed: fresh - old,
    differenceOf: (sides) => {
      const dealt = totalsBySide(counts, sides)
      return dealt.new.successes / dealt.new.trials - dealt.old.successes / dealt.old.trials
    },
    design,
    permutations: PERMUTATIONS,
    random: level.randomFor(`${metric.name}/deal`),
  })
  return {
    ...head,
    old,
    new: fresh,
    difference: tidy(fresh - old),
    interval95: interval === undefined ? null : [tidy(interval.low), tidy(interval.high)],
    threshold: tidy(thresholdFor(level.thresholds.serving[metric.threshold], old)),
    p,
    over_runs: isOverRuns,
    smallestP: design.smallestP,
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
    const p = permutationPValue({
      observed: seen.new - seen.old,
      differenceOf: (sides) => pooled.difference(q, sides),
      design,
      permutations: PERMUTATIONS,
      random: level.randomFor(`${name}/deal`),
    })
    return {
      ...head,
      old: shown(seen.old),
      new: shown(seen.new),
      difference: shown(seen.new - seen.old),
      interval95: interval === undefined ? null : [shown(interval.low), shown(interval.high)],
      threshold: tidy(thresholdFor(level.thresholds.serving[metric.threshold], seen.old / perOutput)),
      p,
      over_runs: isOverRuns,
      smallestP: design.smallestP,
      canDiffer: pooled.range > 0,
    }
  })
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
  smallestP: 1,
  canDiffer: false,
} as const
