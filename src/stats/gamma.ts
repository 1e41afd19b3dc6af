/** The gamma distribution function, as far as the chi-square test needs it. */

import { assert } from '../base/errors.js'
import { logGamma } from './log-gamma.js'

/**
 * `Q(a, x)`: the probability that a gamma variable with shape `a` and scale 1 is above `x`. Accurate to about 1e-12
 * relative for shapes up to 1,000.
 * @param options.a above 0, finite
 * @param options.x 0 or more, finite
 * Source: DLMF 8.2.4; the series 8.11.4 below the mean, the even part of the continued fraction 8.9.2 above it.
 */
export function regularizedUpperGamma(options: { a: number; x: number }): number {
  const { a, x } = options
  assert(a > 0 && Number.isFinite(a), `gamma shape is ${a}; it must be above 0`)
  assert(x >= 0 && Number.isFinite(x), `x is ${x}; it must be 0 or more`)
  if (x === 0) return 1
  const prefactor = Math.exp(a * Math.log(x) - x - logGamma(a))
  return x < a + 1 ? 1 - prefactor * lowerSeries(a, x) : prefactor * upperFraction(a, x)
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= x / (a + k)
    sum += term
  }
  return sum
}

/** Lentz's method, as modified by Thompson and Barnett (1986). No denominator is 0 for `x` above `a + 1`. */
function upperFraction(a: number, x: number): number {
  const roundsMax = 1000 + 20 * Math.sqrt(a)
  let denominator = x + 1 - a
  let d = 1 / denominator
  let c = Number.POSITIVE_INFINITY
  let fraction = d
  for (let k = 1; k <= roundsMax; k++) {
    const numerator = k * (a - k)
    denominator += 2
    d = 1 / (denominator + numerator * d)
    c = denominator + numerator / c
    const factor = c * d
    fraction *= factor
    if (Math.abs(factor - 1) <= 4e-16) return fraction
  }
  throw new Error(`assertion failed: gamma continued fraction at ${x} for shape ${a} did not converge`)
}
