import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deriveSeed, seededRandom } from '../../src/stats/random.js'

test('numbers of any seed are at least 0 and below 1, and whole numbers below their limit', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (seed, limit) => {
      const random = seededRandom(seed)
      const number = random.next()
      expect(number >= 0 && number < 1).toBe(true)
      const whole = random.integer(limit)
      expect(Number.isSafeInteger(whole) && whole >= 0 && whole < limit).toBe(true)
    }),
  )
})

test('a shuffle keeps every item and leaves its input alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.integer()), (seed, items) => {
      const before = [...items]
      const shuffled = seededRandom(seed).shuffle(items)
      expect(items).toEqual(before)
      expect(shuffled).not.toBe(items)
      expect(shuffled.toSorted((a, b) => a - b)).toEqual(before.toSorted((a, b) => a - b))
    }),
  )
})

test('different pairs of seed and label give different seeds', () => {
  const label = fc.stringMatching(/^[a-z/]{1,4}$/).filter((text) => !text.includes('/'))
  const pair = fc.tuple(fc.stringMatching(/^[a-z/]{0,4}$/), label)
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      expect(deriveSeed(...one) === deriveSeed(...other)).toBe(one[0] === other[0] && one[1] === other[1])
    }),
  )
})
