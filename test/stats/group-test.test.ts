import { describe, expect, it } from 'vitest'
import { groupPValue, studentTwoSided, twoGroupsPValue } from '../../src/stats/group-test.js'
import { seededRandom } from '../../src/stats/random.js'

describe('Student', () => {
  it.each([
    // The 97.5% points of the usual tables, and the closed form for one degree of freedom.
    { t: 12.7062, df: 1, p: 0.05 },
    { t: 4.30265, df: 2, p: 0.05 },
    { t: -2.3646243, df: 7, p: 0.05 },
    { t: 1, df: 1, p: 0.5 },
    { t: 0, df: 3, p: 1 },
    { t: Number.POSITIVE_INFINITY, df: 1, p: 0 },
  ])('t = $t, $df degrees of freedom: $p', ({ t, df, p }) => {
    expect(studentTwoSided(t, df)).toBeCloseTo(p, 6)
  })
})

describe('the test over groups', () => {
  it('takes more than one group, and a spread to be measured by', () => {
    expect(groupPValue([])).toBe(1)
    expect(groupPValue([5])).toBe(1)
    expect(groupPValue([0, 0])).toBe(1)
    expect(groupPValue([5, 5])).toBe(0)
    expect(groupPValue([1, -1])).toBe(1)
    // t = 2 / (1 / sqrt 3)
    expect(groupPValue([1, 2, 3])).toBeCloseTo(studentTwoSided(Math.sqrt(12), 2), 12)
    expect(twoGroupsPValue([1], [2, 3, 4])).toBe(1)
    expect(twoGroupsPValue([1, 2, 3], [5, 6, 7])).toBeCloseTo(studentTwoSided(4 / Math.sqrt(2 / 3), 2), 12)
  })

  it('keeps its error rate for groups of very unequal precision', () => {
    const random = seededRandom('groups')
    // Sum of twelve: near enough to normal.
    const normal = () => Array.from({ length: 12 }, () => random.next()).reduce((sum, value) => sum + value, -6)
    let rejected = 0
    for (let trial = 0; trial < 2000; trial += 1) {
      if (groupPValue([normal(), 10 * normal(), 3 * normal(), normal()]) <= 0.05) rejected += 1
    }
    expect(rejected).toBeLessThanOrEqual(120)
  })
})
