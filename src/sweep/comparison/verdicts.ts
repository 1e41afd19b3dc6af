/**
 * From figures to verdicts. `worse` needs three things: the difference is larger than its threshold, its 95% interval lies on
 * that side of 0, and its p-value stands after Holm's adjustment over all comparisons made. Pure.
 */

import { tidy } from '../../metrics/distribution.js'
import type { MetricVerdict } from '../../quality/pairing/level-comparison.js'
import type { ComparisonVerdict, MetricDifference, QualityDifference } from './comparison-result.js'

/** The chance of calling anything better or worse between two servers that do not differ. */
export const FAMILY_ERROR_RATE = 0.05

export type PendingDifference = Omit<MetricDifference, 'p_adjusted' | 'verdict' | 'note'> & {
  /** By swapping sessions alone, as if those that were open together had nothing to do with one another. */
  readonly pBySession: number | null
  /** False where there are too few sessions, waves or runs for any p-value to be small. */
  readonly canShow: boolean
  /** False where all that both sides saw is alike, so that no dealing of the sides could differ: such as no failure at all. */
  readonly canDiffer: boolean
}

export type PendingQuality = Omit<QualityDifference, 'p_adjusted' | 'verdict' | 'note'> & {
  /** What the paired comparison says by itself, before it is one of many; null where there is no margin. */
  readonly alone: MetricVerdict | null
}

/** @param pAdjusted undefined where there was nothing to test */
export function metricVerdict(pending: PendingDifference, pAdjusted: number | undefined): MetricDifference {
  const { pBySession, canShow, canDiffer, p, ...figures } = pending
  const { difference, interval95, threshold, old, new: fresh } = figures
  const done = (verdict: ComparisonVerdict, note: string | null): MetricDifference => ({
    ...figures,
    p: p === null ? null : rounded(p),
    p_adjusted: pAdjusted === undefined ? null : rounded(pAdjusted),
    verdict,
    note,
  })
  if (difference === null || threshold === null || pAdjusted === undefined) {
    return done('not comparable', missingSide(old, fresh))
  }
  const side = difference > 0 ? 'worse' : 'better'
  const isLarge = Math.abs(difference) > threshold
  const isBeyondZero = interval95 !== null && (difference > 0 ? interval95[0] > 0 : interval95[1] < 0)
  const isSignificant = pAdjusted <= FAMILY_ERROR_RATE
  if (isLarge && isBeyondZero && isSignificant) return done(side, null)
  return done('no difference shown', openNote({ isLarge, isBeyondZero, isSignificant, side, pending }))
}

export function qualityVerdict(pending: PendingQuality, pAdjusted: number | undefined): QualityDifference {
  const { alone, p, ...figures } = pending
  const done = (verdict: ComparisonVerdict, note: string | null): QualityDifference => ({
    ...figures,
    p: p === null ? null : rounded(p),
    p_adjusted: pAdjusted === undefined ? null : rounded(pAdjusted),
    verdict,
    note,
  })
  const { worsening, worsening_bounds95: bounds, margin } = figures
  if (pAdjusted === undefined || worsening === null)
    return done('not comparable', 'no sample has an outcome on both sides')
  const isSignificant = pAdjusted <= FAMILY_ERROR_RATE
  if (alone === 'worse' && isSignificant) return done('worse', null)
  const isBetter =
    margin !== null && numberOf(worsening) < -margin && bounds !== null && numberOf(bounds[1]) < 0 && isSignificant
  if (isBetter) return done('better', null)
  if (alone === 'within') return done('no difference shown', 'shown to be worse by no more than its margin')
  return done('no difference shown', alone === 'worse' ? 'worse by itself, not as one of so many comparisons' : null)
}

/** What stands between the figures and a verdict, where it is not that there is nothing to see. */
function openNote(options: {
  readonly isLarge: boolean
  readonly isBeyondZero: boolean
  readonly isSignificant: boolean
  readonly side: 'worse' | 'better'
  readonly pending: PendingDifference
}): string | null {
  const { isLarge, isBeyondZero, isSignificant, side, pending } = options
  if (isBeyondZero && !isLarge) return isSignificant ? `${side}, by less than the threshold` : null
  if (!isLarge) return null
  if (!pending.canShow) {
    return pending.over_runs
      ? 'repeats of one side disagree, and the other has only one'
      : 'too few sessions to show any difference'
  }
  if (pending.over_runs) return 'repeats of one side disagree: compared over runs'
  if (!isBeyondZero) return null
  if ((pending.p ?? 1) <= FAMILY_ERROR_RATE) return `${side} by itself, not as one of so many comparisons`
  return (pending.pBySession ?? 1) <= FAMILY_ERROR_RATE
    ? 'sessions that were open together share it: more of them, or repeats, would tell'
    : 'it hangs on a few sessions: as large a difference often comes by chance'
}

function missingSide(old: number | null, fresh: number | null): string {
  if (old === null && fresh === null) return 'neither side has a value'
  return old === null ? 'OLD has no value' : 'NEW has no value'
}

function numberOf(worsening: number | 'inf' | '-inf' | null): number {
  if (worsening === 'inf') return Number.POSITIVE_INFINITY
  if (worsening === '-inf') return Number.NEGATIVE_INFINITY
  return worsening ?? Number.NaN
}

function rounded(p: number): number {
  return tidy(Number(p.toPrecision(4)))
}
