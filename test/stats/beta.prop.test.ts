import fc from 'fast-check'
import { expect, test } from 'vitest'
import { betaQuantile, regularizedIncompleteBeta } from '../../src/stats/beta.js'
import { log1pMinus, logBeta, logGamma } from '../../src/stats/log-gamma.js'
import { expectClose } from './close.js'

/** Evenly over orders of magnitude, so that tiny and huge shapes meet. */
const shape = (leastPower: number, mostPower: number) =>
  fc.double({ min: leastPower, max: mostPower, noNaN: true }).map((power) => 10 ** power)
const probability = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true })

test('the distribution function undoes the quantile', () => {
  fc.assert(
    fc.property(shape(-1, 6), shape(-1, 6), probability, (a, b, p) => {
      const x = betaQuantile({ p, a, b })
      // Nearer to 1 than that, doubles are too far apart to carry the probability.
      fc.pre(x < 1 - 1e-6)
      expectClose(regularizedIncompleteBeta({ x, a, b }), p, 1e-7)
    }),
  )
})

test('quantiles of any shapes lie between 0 and 1 and rise with the probability', () => {
  fc.assert(
    fc.property(shape(-3, 6), shape(-3, 6), probability, probability, (a, b, p, q) => {
      const lower = betaQuantile({ p: Math.min(p, q), a, b })
      const upper = betaQuantile({ p: Math.max(p, q), a, b })
      expect(lower).toBeGreaterThanOrEqual(0)
      expect(lower).toBeLessThanOrEqual(upper * (1 + 1e-10))
      expect(upper).toBeLessThanOrEqual(1)
    }),
  )
})

test('I_x(a, b) and I_(1 - x)(b, a) add up to 1', () => {
  fc.assert(
    fc.property(shape(-3, 4), shape(-3, 4), fc.integer({ min: 1, max: 1023 }), (a, b, numerator) => {
      const x = numerator / 1024
      const sum = regularizedIncompleteBeta({ x, a, b }) + regularizedIncompleteBeta({ x: 1 - x, a: b, b: a })
      expectClose(sum, 1, 1e-11)
    }),
  )
})

test('with whole shapes, I_x is the binomial tail summed term by term', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 25 }), probability, (a, b, x) => {
      const n = a + b - 1
      let tail = 0
      for (let k = a; k <= n; k++) {
        let term = 1
        for (let i = 1; i <= k; i++) term *= ((n - k + i) / i) * x
        tail += term * (1 - x) ** (n - k)
      }
      expectClose(regularizedIncompleteBeta({ x, a, b }), tail, 1e-11)
    }),
  )
})

test('log-gamma of a whole number is the log-factorial, and log-beta its combination', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 15 }), (n, m) => {
      let logFactorial = 0
      for (let k = 2; k < n; k++) logFactorial += Math.log(k)
      expect(Math.abs(logGamma(n) - logFactorial)).toBeLessThanOrEqual(1e-12 * Math.max(1, logFactorial))
      // 1 / B(n, m) = m C(n + m - 1, m)
      let inverse = m
      for (let k = 1; k <= m; k++) inverse *= (n - 1 + k) / k
      expect(Math.abs(logBeta({ a: n, b: m }) + Math.log(inverse))).toBeLessThanOrEqual(
        1e-12 * Math.max(1, Math.log(inverse)),
      )
    }),
  )
})

test('log(1 + x) - x keeps its digits next to 0 and has no step where the method changes', () => {
  // -x²/2 + x³/3 is exact to 1e-13 relative at 1e-6.5.
  expectClose(log1pMinus(3e-7), -(3e-7 ** 2) / 2 + 3e-7 ** 3 / 3, 1e-12)
  for (const edge of [0.5, -0.5]) expectClose(log1pMinus(edge * (1 + 1e-15)), log1pMinus(edge), 1e-13)
})
