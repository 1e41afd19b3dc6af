/**
 * Quantiles on the axis of HDR histograms, where 90%, 99% and 99.9% are equally far apart: place = log10(1 / (1 - q)).
 * n values show nothing beyond the quantile 1 - 1/n, so a curve ends there, with the maximum. Pure.
 */
import { quantile, sortSamples } from '../../stats/quantile.js'
import type { Curve, Plays } from './page-data.js'

/** Thousandths: every twentieth of a decade from 0% to 99.99%, with 50, 75 and 95% added, which people ask for. */
export const PERCENTILE_GRID: readonly number[] = [
  ...new Set([...Array.from({ length: 81 }, (_, index) => index * 50), ...[0.5, 0.75, 0.95].map(placeOf)]),
].sort((a, b) => a - b)

/**
 * @param valuesUs microseconds, any order
 * @returns null for no values; quantiles by the rule of the level table (docs/metrics.md, section 7)
 */
export function percentileCurve(valuesUs: readonly number[]): Curve | null {
  const sorted = sortSamples(valuesUs)
  const n = sorted.length
  if (n === 0) return null
  const below = PERCENTILE_GRID.map(quantileAt).filter((q) => q < 1 - 1 / n)
  const at = below.map((q) => tenthsFromUs(quantile({ sorted, q }) ?? 0))
  return { n, at: [...at, tenthsFromUs(sorted.at(-1) ?? 0)] }
}

const PLAYS_STEP_MS = 10
const PLAYS_MAX_MS = 3000
/** Below this a difference of times is rounding (docs/metrics.md, section 5). */
const TOLERANCE_US = 1e-3

/** How many replies play without a gap after each start-up buffer; the same rule as `underrun_replies`. */
export function playsByBuffer(neededUs: readonly number[]): Plays | null {
  if (neededUs.length === 0) return null
  const sorted = sortSamples(neededUs)
  const counts: number[] = []
  let played = 0
  for (let bufferMs = 0; bufferMs <= PLAYS_MAX_MS; bufferMs += PLAYS_STEP_MS) {
    while (played < sorted.length && (sorted[played] ?? 0) <= bufferMs * 1000 + TOLERANCE_US) played += 1
    counts.push(played)
  }
  return { n: sorted.length, stepMs: PLAYS_STEP_MS, counts: withoutEqualTail(counts) }
}

export function tenthsFromUs(us: number): number {
  return Math.round(us / 100)
}

function placeOf(q: number): number {
  return Math.round(1000 * Math.log10(1 / (1 - q)))
}

function quantileAt(place: number): number {
  return 1 - 10 ** (-place / 1000)
}

/** The last count stands for all that follow. */
function withoutEqualTail(counts: readonly number[]): number[] {
  const last = counts.at(-1)
  return counts.slice(0, counts.indexOf(last ?? 0) + 1)
}
