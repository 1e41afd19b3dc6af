/**
 * Is a difference the same in every group, when there are few groups and nobody knows how what is inside one hangs together?
 * Each group gives one estimate, and Student's t judges them. Valid for groups of unequal precision, and conservative, at any
 * level up to 8% (two-sided).
 * Sources: Ibragimov and Müller (2010), "t-statistic based correlation and heterogeneity robust inference"; (2016),
 * "Inference with few heterogeneous clusters", for two samples; Bakirov and Székely (2005).
 */
import { assert } from '../base/errors.js'
import { regularizedIncompleteBeta } from './beta.js'

/**
 * Two-sided p-value that the differences of all groups are 0.
 * @param differences one for each group; 1 is returned for fewer than two
 */
export function groupPValue(differences: readonly number[]): number {
  if (differences.length < 2) return 1
  const { mean, variance } = momentsOf(differences)
  return tPValue(mean, Math.sqrt(variance / differences.length), differences.length - 1)
}

/**
 * Two-sided p-value that both samples of group estimates have one mean; degrees of freedom of the smaller sample.
 * @returns 1 where a sample has fewer than two groups
 */
export function twoGroupsPValue(old: readonly number[], fresh: readonly number[]): number {
  const groups = Math.min(old.length, fresh.length)
  if (groups < 2) return 1
  const [a, b] = [momentsOf(old), momentsOf(fresh)]
  return tPValue(b.mean - a.mean, Math.sqrt(a.variance / old.length + b.variance / fresh.length), groups - 1)
}

/**
 * The chance that Student's t is at least as far from 0 as `t`.
 * @param degreesOfFreedom above 0
 */
export function studentTwoSided(t: number, degreesOfFreedom: number): number {
  assert(degreesOfFreedom > 0, `degrees of freedom are ${degreesOfFreedom}`)
  if (!Number.isFinite(t)) return 0
  return regularizedIncompleteBeta({
    x: degreesOfFreedom / (degreesOfFreedom + t * t),
    a: degreesOfFreedom / 2,
    b: 0.5,
  })
}

function tPValue(difference: number, error: number, degreesOfFreedom: number): number {
  if (difference === 0) return 1
  return studentTwoSided(difference / error, degreesOfFreedom)
}

function momentsOf(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, variance }
}
