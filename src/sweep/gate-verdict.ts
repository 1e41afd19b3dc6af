/** The answers of a gate's checks, and what they add up to. Pure. */

export type CheckVerdict =
  | 'met'
  | 'missed'
  /** Measured, and not enough to show it with 95% confidence. */
  | 'inconclusive'
  /** A level that is invalid or was not recorded, or a figure that was not. */
  | 'not_measured'

/** One figure that entered a check. */
export interface CheckedValue {
  /** Null for figures of the whole profile. */
  readonly concurrency: number | null
  readonly repeat: number | null
  readonly subset?: string
  /** Share from 0 to 1, seconds, or a plain number; null is no data, `not_reached` a latency that never came. */
  readonly value: number | 'not_reached' | null
  /** What a confident check went by. */
  readonly bounds95?: { readonly low: number | 'not_reached'; readonly high: number | 'not_reached' } | null
  readonly verdict: CheckVerdict
}

export interface CheckResult {
  /** As a gate expression is written, or `min_capacity …` for that part of the gate. */
  readonly expression: string
  readonly verdict: CheckVerdict
  /** What was found and what was asked for, in words. */
  readonly reason: string
  /** The limit, in the unit of the values. */
  readonly bound: number
  readonly values: readonly CheckedValue[]
}

/** A miss is a miss, whatever else could not be measured; nothing at all is never met. */
export function worstCheck(verdicts: readonly CheckVerdict[]): CheckVerdict {
  for (const verdict of ['missed', 'not_measured', 'inconclusive'] as const) {
    if (verdicts.includes(verdict)) return verdict
  }
  return verdicts.length === 0 ? 'not_measured' : 'met'
}
