/**
 * The gamma function in logarithms, for the beta, gamma and hypergeometric distributions. Differences of large
 * log-gammas lose digits (at 1e6 each is off by 1e-9), so what the distributions need as a difference is offered as
 * one.
 */

import { assert } from '../base/errors.js'

/** Least argument from which seven terms of the Stirling series are exact to double precision. */
export const STIRLING_FROM = 10

const HALF_LOG_TWO_PI = 0.9189385332046727

/** Coefficients B(2k) / (2k (2k - 1)) of the Stirling series, k = 1 to 7. Source: DLMF 5.11.1. */
const STIRLING_TERMS = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156] as const

/**
 * What the Stirling formula leaves out: `log Γ(x) - ((x - ½) log x - x + ½ log 2π)`.
 * @param x at least `STIRLING_FROM`
 */
export function stirlingError(x: number): number {
  assert(x >= STIRLING_FROM, `stirlingError of ${x}`)
  const inverseSquare = 1 / (x * x)
  return STIRLING_TERMS.reduceRight((sum, term) => sum * inverseSquare + term, 0) / x
}

/**
 * `log Γ(x)` with an absolute error near 1e-14 for small x and a relative one near 1e-16 for large x.
 * @param x above 0, finite
 * Source: DLMF 5.11.1, after moving small arguments up by `Γ(x + 1) = x Γ(x)`.
 */
export function logGamma(x: number): number {
  assert(x > 0 && Number.isFinite(x), `logGamma of ${x}`)
  let moved = x
  let product = 1
  for (; moved < STIRLING_FROM; moved++) product *= moved
  return (moved - 0.5) * Math.log(moved) - moved + HALF_LOG_TWO_PI + stirlingError(moved) - Math.log(product)
}

/**
 * `log B(a, b) = log Γ(a) + log Γ(b) - log Γ(a + b)`.
 * @param options both above 0, finite; accurate when at least one is below `STIRLING_FROM` or when digits may be lost
 */
export function logBeta(options: { a: number; b: number }): number {
  const small = Math.min(options.a, options.b)
  const large = Math.max(options.a, options.b)
  const sum = small + large
  if (large < STIRLING_FROM) return logGamma(small) + logGamma(large) - logGamma(sum)
  // log Γ(large) - log Γ(sum) by the Stirling formula, its large terms cancelled on paper.
  const difference =
    small -
    (large - 0.5) * Math.log1p(small / large) -
    small * Math.log(sum) +
    stirlingError(large) -
    stirlingError(sum)
  return logGamma(small) + difference
}

/**
 * `log(1 + x) - x` without the cancellation near 0.
 * @param x above -1
 * Source: `log(1 + x) = 2 artanh(r)` with `r = x / (2 + x)`, its series minus `x`.
 */
export function log1pMinus(x: number): number {
  if (x < -0.5 || x > 0.5) return Math.log1p(x) - x
  const r = x / (2 + x)
  const square = r * r
  let series = 0
  for (let k = 35; k >= 3; k -= 2) series = series * square + 1 / k
  return 2 * r * square * series - r * x
}
