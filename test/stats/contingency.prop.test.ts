import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chiSquareSurvival, fisherExactTwoSided } from '../../src/stats/contingency.js'
import { expectClose } from './close.js'

const count = fc.integer({ min: 0, max: 14 })

/** n choose k, exact. */
function choose(n: number, k: number): bigint {
  let result = 1n
  for (let i = 1; i <= k; i++) result = (result * BigInt(n - k + i)) / BigInt(i)
  return result
}

test("Fisher's test is the exact count of tables at most as likely", () => {
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const ways = (k: number) => choose(a + b, k) * choose(c + d, a + c - k)
      let atMost = 0n
      for (let k = Math.max(0, a - d); k <= Math.min(a + b, a + c); k++) if (ways(k) <= ways(a)) atMost += ways(k)
      expectClose(fisherExactTwoSided({ a, b, c, d }), Number(atMost) / Number(choose(a + b + c + d, a + c)), 1e-12)
    }),
  )
})

test('swapping rows or columns does not change the test', () => {
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const pValue = fisherExactTwoSided({ a, b, c, d })
      expectClose(fisherExactTwoSided({ a: c, b: d, c: a, d: b }), pValue)
      expectClose(fisherExactTwoSided({ a: b, b: a, c: d, d: c }), pValue)
    }),
  )
})

test('at an even number of degrees of freedom the chi-square tail is a finite Poisson sum', () => {
  const statistics = fc.double({ min: 0, max: 400, noNaN: true })
  fc.assert(
    fc.property(statistics, fc.integer({ min: 1, max: 100 }), (statistic, half) => {
      let term = Math.exp(-statistic / 2)
      let sum = 0
      for (let k = 0; k < half; k++) {
        sum += term
        term *= statistic / 2 / (k + 1)
      }
      const tail = chiSquareSurvival({ statistic, degreesOfFreedom: 2 * half })
      expect(Math.abs(tail / sum - 1)).toBeLessThanOrEqual(1e-11)
    }),
  )
})
