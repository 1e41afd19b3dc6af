/**
 * The beta distribution function and its inverse. All work is done in the logit `u = log(x / (1 - x))`: there both
 * tails keep their digits, the slope of the distribution function is its own prefactor, and its logarithm is concave,
 * so that Newton's method cannot run away.
 */

import { assert } from '../base/errors.js'
import { log1pMinus, logBeta, STIRLING_FROM, stirlingError } from './log-gamma.js'

/** `x` and `1 - x` with their logarithms, none derived from a rounded other. */
interface Point {
  readonly x: number
  readonly y: number
  readonly logX: number
  readonly logY: number
}

interface Shape {
  readonly a: number
  readonly b: number
}

/**
 * `I_x(a, b)`: the probability that a beta variable with shapes `a` and `b` is at most `x`, accurate to about 1e-10 for
 * shapes from 1e-3 to 1e6.
 * @param options.x 0 to 1
 * @param options.a above 0, finite
 * @param options.b above 0, finite
 * Source: DLMF 8.17.2.
 */
export function regularizedIncompleteBeta(options: { x: number; a: number; b: number }): number {
  const { x, a, b } = options
  assertShape({ a, b })
  assert(x >= 0 && x <= 1, `x is ${x}; it must lie between 0 and 1`)
  if (x === 0 || x === 1) return x
  return evaluate({ x, y: 1 - x, logX: Math.log(x), logY: Math.log1p(-x) }, { a, b }).lowerTail
}

/**
 * The `x` with `I_x(a, b) = p`, accurate to 1e-10 relative for shapes from 1e-3 to 1e6. 0 or 1 where `x` or `1 - x`
 * is too small for a double, as with tiny shapes.
 * @param options.p 0 to 1
 * @param options.a above 0, finite
 * @param options.b above 0, finite
 */
export function betaQuantile(options: { p: number; a: number; b: number }): number {
  const { p, a, b } = options
  assertShape({ a, b })
  assert(p >= 0 && p <= 1, `p is ${p}; it must lie between 0 and 1`)
  if (p === 0 || p === 1) return p
  // The upper tail is the lower one of the mirrored distribution; 1 - p is exact there.
  return p <= 0.5 ? pointAt(logitOfLowerTail(p, { a, b })).x : pointAt(logitOfLowerTail(1 - p, { a: b, b: a })).y
}

/** Newton's method on `log I_x`, from the mean, inside a shrinking bracket. */
function logitOfLowerTail(p: number, shape: Shape): number {
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  let logit = Math.log(shape.a / shape.b)
  for (let round = 0; round < 200; round++) {
    const { lowerTail, slope } = evaluate(pointAt(logit), shape)
    if (lowerTail < p) low = logit
    else high = logit
    const newton = logit + (Math.log(p / lowerTail) * lowerTail) / slope
    // Outside the bracket, or not a number: rounding noise at the root, or a tail that underflowed.
    const next = newton >= low && newton <= high ? newton : middleOf(low, high)
    const isClose = Math.abs(next - logit) <= 1e-11 * Math.max(1, Math.abs(next))
    logit = next
    if (isClose) return logit
  }
  throw new Error(`assertion failed: beta quantile of ${p} for shapes ${shape.a}, ${shape.b} did not converge`)
}

/** Halves a bracket, or moves away from its only finite end. */
function middleOf(low: number, high: number): number {
  if (low === Number.NEGATIVE_INFINITY) return high - 1 - Math.abs(high)
  if (high === Number.POSITIVE_INFINITY) return low + 1 + Math.abs(low)
  return low + (high - low) / 2
}

/** `I_x(a, b)` and its derivative by the logit, `x^a (1 - x)^b / B(a, b)`. */
function evaluate(point: Point, shape: Shape): { lowerTail: number; slope: number } {
  const { a, b } = shape
  const slope = Math.exp(logSlope(point, shape))
  // The fraction converges fast below the mean; above it, the mirrored one does.
  if (point.x < (a + 1) / (a + b + 2)) return { lowerTail: (slope / a) * continuedFraction(point.x, shape), slope }
  return { lowerTail: 1 - (slope / b) * continuedFraction(point.y, { a: b, b: a }), slope }
}

function logSlope({ x, y, logX, logY }: Point, { a, b }: Shape): number {
  if (a < STIRLING_FROM || b < STIRLING_FROM) return a * logX + b * logY - logBeta({ a, b })
  // Both shapes are large: `a log x + b log y - log B` would be a small difference of large numbers. Measured from
  // the mean a / n, the first-order terms cancel on paper. Source: Loader (2000), the saddle-point form of the
  // binomial.
  const n = a + b
  const excess = x <= 0.5 ? x - a / n : b / n - y
  const xTerm = a * logRatioMinusExcess((excess * n) / a, logX - Math.log(a / n))
  const yTerm = b * logRatioMinusExcess((-excess * n) / b, logY - Math.log(b / n))
  return (
    xTerm +
    yTerm +
    0.5 * Math.log((a * (b / n)) / (2 * Math.PI)) +
    stirlingError(n) -
    stirlingError(a) -
    stirlingError(b)
  )
}

/** `log(1 + e) - e`, where the caller also knows `log(1 + e)` for an `e` so near -1 that it was rounded away. */
function logRatioMinusExcess(e: number, logRatio: number): number {
  return Math.abs(e) <= 0.5 ? log1pMinus(e) : logRatio - e
}

/** The continued fraction of DLMF 8.17.22 by Lentz's method, as modified by Thompson and Barnett (1986). */
function continuedFraction(x: number, { a, b }: Shape): number {
  const roundsMax = 1000 + 20 * Math.sqrt(Math.max(a, b))
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= roundsMax; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    const factor = d * c
    fraction *= factor
    if (Math.abs(factor - 1) <= 4e-16) return fraction
  }
  throw new Error(`assertion failed: beta continued fraction at ${x} for shapes ${a}, ${b} did not converge`)
}

function awayFromZero(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value
}

function pointAt(logit: number): Point {
  const smaller = Math.exp(-Math.abs(logit)) / (1 + Math.exp(-Math.abs(logit)))
  const larger = 1 / (1 + Math.exp(-Math.abs(logit)))
  const logLarger = -Math.log1p(Math.exp(-Math.abs(logit)))
  const logSmaller = logLarger - Math.abs(logit)
  return logit < 0
    ? { x: smaller, y: larger, logX: logSmaller, logY: logLarger }
    : { x: larger, y: smaller, logX: logLarger, logY: logSmaller }
}

function assertShape({ a, b }: Shape): void {
  assert(
    a > 0 && Number.isFinite(a) && b > 0 && Number.isFinite(b),
    `beta shapes are ${a} and ${b}; both must be above 0`,
  )
}
