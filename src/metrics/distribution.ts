/** Distributions as they stand in results: seconds, with the number of values they were taken from. */
import { quantile, type SortedSamples, sortSamples } from '../stats/quantile.js'

export interface Distribution {
  readonly n: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly p999?: number
  readonly max: number
}

/**
 * Percentiles by linear interpolation between order statistics, position q(n − 1) (Hyndman and Fan type 7;
 * docs/metrics.md, section 7).
 * @param unitsPerOutput divides every value: 1e6 turns microseconds into seconds
 * @returns null for no values, which is not the same as zero
 */
export function distributionOf(
  values: Iterable<number>,
  { unitsPerOutput, withP999 = false }: { unitsPerOutput: number; withP999?: boolean },
): Distribution | null {
  const sorted = sortSamples(values)
  if (sorted.length === 0) return null
  const at = (q: number) => tidy((quantile({ sorted, q }) ?? Number.NaN) / unitsPerOutput)
  return {
    n: sorted.length,
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    ...(withP999 ? { p999: at(0.999) } : {}),
    max: tidy(maximumOf(sorted) / unitsPerOutput),
  }
}

/** Nine decimals: below what any clock here resolves, and free of the noise of binary division. */
export function tidy(value: number): number {
  return Number(value.toFixed(9))
}

function maximumOf(sorted: SortedSamples): number {
  return sorted.at(-1) ?? Number.NaN
}

export function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
