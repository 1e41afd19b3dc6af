/**
 * The highest level that meets its serving targets and still converses as the lowest one does. The honest third answer is
 * that there are too few samples to say. Pure.
 * Source: docs/metrics.md, "Quality against load".
 */
import type { MetricVerdict } from '../quality/pairing/level-comparison.js'
import type { Capacity } from './capacity.js'

export interface QualityOutcome {
  readonly concurrency: number
  /** Over all runs of the level; null for a level without scores. */
  readonly verdict: MetricVerdict | null
}

export interface QualityCapacity {
  readonly status: /** The level above is worse, or misses its serving targets. */
    | 'exact'
    /** Every level up to the serving capacity holds, and nothing above was measured. */
    | 'at_least'
    /** No level meets its serving targets. */
    | 'none'
    /** Shown up to `sessions`; whether more holds is open for want of samples. */
    | 'not_enough_samples'
    /** The serving capacity is undecided, or the lowest level was not scored. */
    | 'undecided'
  readonly sessions: number | null
  /** The first level that is worse; null where none is. */
  readonly worse_level: number | null
  /** The first level that could not be decided; null where none was. */
  readonly undecided_level: number | null
}

/** @param levels ascending; the first one is the lowest valid level: the baseline, which holds by definition, or without scores */
export function qualityCapacity(serving: Capacity, levels: readonly QualityOutcome[]): QualityCapacity {
  const { sessions: limit } = serving
  if (limit === null) {
    const status = serving.status === 'none' ? 'none' : 'undecided'
    return { status, sessions: null, worse_level: null, undecided_level: null }
  }
  const within = levels.filter(({ concurrency }) => concurrency <= limit)
  const stopIndex = within.findIndex(({ verdict }) => verdict !== 'within')
  const stopper = within[stopIndex]
  const sessions = (stopIndex < 0 ? within.at(-1) : within[stopIndex - 1])?.concurrency ?? null
  if (stopper === undefined) {
    const status = sessions === null ? 'undecided' : serving.status === 'exact' ? 'exact' : 'at_least'
    return { status, sessions, worse_level: null, undecided_level: null }
  }
  if (stopper.verdict === 'worse') {
    return { status: 'exact', sessions, worse_level: stopper.concurrency, undecided_level: null }
  }
  // A higher level that is worse bounds the answer from above even where the one between is open.
  const worse = within.slice(stopIndex).find(({ verdict }) => verdict === 'worse')
  return {
    status: sessions === null ? 'undecided' : 'not_enough_samples',
    sessions,
    worse_level: worse?.concurrency ?? null,
    undecided_level: stopper.concurrency,
  }
}

/** Several runs of one level: the worst answer counts. */
export function worstVerdict(verdicts: readonly (MetricVerdict | null)[]): MetricVerdict | null {
  if (verdicts.includes('worse')) return 'worse'
  if (verdicts.includes('not_enough_samples')) return 'not_enough_samples'
  return verdicts.length === 0 || verdicts.includes(null) ? null : 'within'
}
