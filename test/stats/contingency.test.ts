import { describe, expect, test } from 'vitest'
import { chiSquareSurvival, fisherExactTwoSided, overDispersion } from '../../src/stats/contingency.js'
import { expectClose } from './close.js'

describe("Fisher's exact test agrees with another implementation", () => {
  // scipy 1.17.1 stats.fisher_exact([[a, b], [c, d]]), two-sided
  test.each([
    { a: 3, b: 1741, c: 25, d: 1719, expected: 2.5650182522825396e-5 },
    { a: 1, b: 9, c: 11, d: 3, expected: 0.0027594561852200836 },
    { a: 0, b: 5, c: 5, d: 0, expected: 0.007936507936507938 },
    { a: 2, b: 3, c: 2, d: 3, expected: 1 },
    { a: 8, b: 2, c: 1, d: 5, expected: 0.034965034965034975 },
    { a: 0, b: 10, c: 0, d: 12, expected: 1 },
    { a: 0, b: 0, c: 3, d: 4, expected: 1 },
    // The likeliest table is only 0.5% likelier than this one, and is not a tie.
    { a: 3, b: 8, c: 8, d: 11, expected: 0.46614560851442405 },
    { a: 1, b: 99, c: 5, d: 95, expected: 0.2116478526957317 },
    { a: 12, b: 988, c: 40, d: 1460, expected: 0.014250977706122797 },
    { a: 50_000, b: 950_000, c: 51_000, d: 949_000, expected: 0.0012554641192332571 },
  ])('$a $b / $c $d gives $expected', ({ expected, ...table }) => {
    expectClose(fisherExactTwoSided(table), expected, 1e-8)
  })

  test('a table and its mirror image are equally likely', () => {
    // By hand: 2 of C(8, 4) = 70 tables put all of 4 into one of two rows of 4.
    expectClose(fisherExactTwoSided({ a: 4, b: 0, c: 0, d: 4 }), 2 / 70)
    expectClose(fisherExactTwoSided({ a: 0, b: 4, c: 4, d: 0 }), 2 / 70)
  })

  test('a difference beyond all probability is 0, not NaN', () => {
    expect(fisherExactTwoSided({ a: 0, b: 5000, c: 5000, d: 0 })).toBe(0)
  })

  test.each([-1, 0.5, Number.NaN])('a count of %s throws', (a) => {
    expect(() => fisherExactTwoSided({ a, b: 1, c: 1, d: 1 })).toThrow('assertion failed')
  })
})

describe('the chi-square survival function agrees with another implementation', () => {
  // scipy 1.17.1 stats.chi2.sf(statistic, degreesOfFreedom)
  test.each([
    { statistic: 3.84, degreesOfFreedom: 1, expected: 0.05004352124870519 },
    { statistic: 0, degreesOfFreedom: 3, expected: 1 },
    { statistic: 10, degreesOfFreedom: 4, expected: 0.04042768199451279 },
    { statistic: 0.5, degreesOfFreedom: 7, expected: 0.9994464813904249 },
    { statistic: 120, degreesOfFreedom: 3, expected: 7.716790355634162e-26 },
    { statistic: 250.5, degreesOfFreedom: 200, expected: 0.008849533573900602 },
    { statistic: 30, degreesOfFreedom: 30, expected: 0.4656537089440098 },
  ])('$statistic at $degreesOfFreedom degrees of freedom', ({ expected, ...input }) => {
    expectClose(chiSquareSurvival(input), expected, 1e-11)
  })

  test.each([
    { statistic: -1, degreesOfFreedom: 1 },
    { statistic: Number.NaN, degreesOfFreedom: 1 },
    { statistic: 1, degreesOfFreedom: 0 },
  ])('$statistic at $degreesOfFreedom degrees of freedom throws', (input) => {
    expect(() => chiSquareSurvival(input)).toThrow('assertion failed')
  })
})

describe('over-dispersion of runs', () => {
  const runsOf = (pairs: readonly (readonly number[])[]) =>
    pairs.map(([successes, trials]) => ({ successes: successes as number, trials: trials as number }))

  // Fisher as above; scipy 1.17.1 stats.chi2_contingency(table, correction=False).pvalue for three runs and more
  test.each([
    {
      name: 'the published 3 and 25 of 1,744 at one level are flagged',
      runs: [
        [3, 1744],
        [25, 1744],
      ],
      expected: { test: 'fisher', isFlagged: true, pValue: 2.5650182522825396e-5 },
    },
    {
      name: 'a run in between does not hide them',
      runs: [
        [3, 1744],
        [25, 1744],
        [10, 1744],
      ],
      expected: { test: 'chi-square', isFlagged: true, pValue: 4.333053302816462e-5 },
    },
    {
      name: 'p = 0.003 over three runs of unequal length is flagged',
      runs: [
        [0, 300],
        [9, 300],
        [6, 600],
      ],
      expected: { test: 'chi-square', isFlagged: true, pValue: 0.0031130513300217486 },
    },
    {
      name: 'p = 0.014 is not below 0.01',
      runs: [
        [12, 1000],
        [40, 1500],
      ],
      expected: { test: 'fisher', isFlagged: false, pValue: 0.014250977706122797 },
    },
    {
      name: 'runs that agree are not flagged',
      runs: [
        [10, 1000],
        [11, 1000],
        [4, 500],
        [20, 1500],
      ],
      expected: { test: 'chi-square', isFlagged: false, pValue: 0.7515268126727168 },
    },
    {
      name: 'a run without trials does not count as one of two',
      runs: [
        [1, 100],
        [0, 0],
        [5, 100],
      ],
      expected: { test: 'fisher', isFlagged: false, pValue: 0.2116478526957317 },
    },
    {
      name: 'two runs without a success agree',
      runs: [
        [0, 300],
        [0, 10],
      ],
      expected: { test: 'fisher', isFlagged: false, pValue: 1 },
    },
    {
      name: 'three runs without a success agree',
      runs: [
        [0, 300],
        [0, 10],
        [0, 20],
      ],
      expected: { test: 'chi-square', isFlagged: false, pValue: 1 },
    },
    {
      name: 'three runs of nothing but successes agree',
      runs: [
        [5, 5],
        [10, 10],
        [20, 20],
      ],
      expected: { test: 'chi-square', isFlagged: false, pValue: 1 },
    },
  ])('$name', ({ runs, expected: { pValue, ...expected } }) => {
    const result = overDispersion(runsOf(runs))
    expect(result).toMatchObject(expected)
    expectClose(result?.pValue, pValue, 1e-10)
  })

  test('fewer than two runs with trials have nothing to disagree about', () => {
    expect(overDispersion([])).toBeUndefined()
    expect(overDispersion(runsOf([[3, 10]]))).toBeUndefined()
    expect(
      overDispersion(
        runsOf([
          [3, 10],
          [0, 0],
        ]),
      ),
    ).toBeUndefined()
  })
})
