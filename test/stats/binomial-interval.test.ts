import { describe, expect, test } from 'vitest'
import { clopperPearsonOneSided95, wilsonInterval } from '../../src/stats/binomial-interval.js'
import { expectClose } from './close.js'

describe('the 95% Wilson interval agrees with another implementation', () => {
  // statsmodels 0.15.0 proportion_confint(successes, trials, 0.05, 'wilson')
  test.each([
    { successes: 0, trials: 1, low: 0, high: 0.7934506856227627 },
    { successes: 1, trials: 2, low: 0.09453120573423068, high: 0.9054687942657693 },
    { successes: 7, trials: 7, low: 0.6456695649333125, high: 1 },
    { successes: 3, trials: 1744, low: 0.0005851862573477669, high: 0.005045449616991986 },
    { successes: 25, trials: 1744, low: 0.009728355378512346, high: 0.02107618844837577 },
    { successes: 299, trials: 300, low: 0.9813633063054688, high: 0.9994113422781488 },
  ])('$successes of $trials', ({ successes, trials, low, high }) => {
    const interval = wilsonInterval({ successes, trials })
    expectClose(interval?.low, low)
    expectClose(interval?.high, high)
  })

  test('it ends at exactly 0 and exactly 1 whatever the number of trials', () => {
    for (let trials = 1; trials <= 400; trials++) {
      expect(wilsonInterval({ successes: 0, trials })?.low).toBe(0)
      expect(wilsonInterval({ successes: trials, trials })?.high).toBe(1)
    }
  })
})

// unit_miss_wilson95 and unit_miss_bound95 of test/vectors/serving/*/expected.json, nine decimals
describe('the intervals of the recorded levels', () => {
  test.each([
    { level: '01', successes: 0, trials: 3, wilson: [0, 0.561497032], bounds: [0, 0.63159685] },
    { level: '02', successes: 3, trials: 4, wilson: [0.300641843, 0.954412739], bounds: [0.248604626, 0.987258545] },
    { level: '03', successes: 0, trials: 1, wilson: [0, 0.793450686], bounds: [0, 0.95] },
    { level: '04', successes: 1, trials: 4, wilson: [0.045587261, 0.699358157], bounds: [0.012741455, 0.751395374] },
    { level: '05', successes: 0, trials: 5, wilson: [0, 0.434482465], bounds: [0, 0.450719728] },
    { level: '08', successes: 0, trials: 2, wilson: [0, 0.657619772], bounds: [0, 0.776393202] },
  ])('level $level: $successes of $trials', ({ successes, trials, wilson, bounds }) => {
    const rounded = (interval: { low: number; high: number } | undefined) =>
      interval && [interval.low, interval.high].map((end) => Math.round(end * 1e9) / 1e9)
    expect(rounded(wilsonInterval({ successes, trials }))).toEqual(wilson)
    expect(rounded(clopperPearsonOneSided95({ successes, trials }))).toEqual(bounds)
  })
})

describe('the one-sided Clopper-Pearson bounds agree with another implementation', () => {
  // statsmodels 0.15.0 proportion_confint(successes, trials, 0.1, 'beta') for whole numbers, scipy 1.17.1
  // stats.beta.ppf for fractions
  test.each([
    { successes: 3, trials: 1744, low: 0.0004690188088744444, high: 0.004439848089631819 },
    { successes: 25, trials: 1744, low: 0.009985821819770703, high: 0.019963687881266734 },
    { successes: 299, trials: 300, low: 0.9842854451084161, high: 0.9998290369678865 },
    { successes: 7, trials: 7, low: 0.6518363448688391, high: 1 },
    { successes: 2.5, trials: 10.25, low: 0.05866772738237587, high: 0.5476702792138852 },
    { successes: 0.25, trials: 3.5, low: 1.0858665890044898e-6, high: 0.6435957835051204 },
    { successes: 0, trials: 98.6, low: 0, high: 0.029925765750791585 },
    { successes: 7.2, trials: 7.2, low: 0.6596315041811388, high: 1 },
  ])('$successes of $trials', ({ successes, trials, low, high }) => {
    const bounds = clopperPearsonOneSided95({ successes, trials })
    expectClose(bounds?.low, low, 1e-10)
    expectClose(bounds?.high, high, 1e-10)
  })

  test('299 trials without a success are the least that show a rate of at most 1%', () => {
    // 0.99^298 is above 0.05 and 0.99^299 below
    expect(clopperPearsonOneSided95({ successes: 0, trials: 298 })?.high).toBeGreaterThan(0.01)
    expect(clopperPearsonOneSided95({ successes: 0, trials: 299 })?.high).toBeLessThanOrEqual(0.01)
  })
})

test('no trials, no interval', () => {
  expect(wilsonInterval({ successes: 0, trials: 0 })).toBeUndefined()
  expect(clopperPearsonOneSided95({ successes: 0, trials: 0 })).toBeUndefined()
})

test.each([
  { successes: -1, trials: 4 },
  { successes: 5, trials: 4 },
  { successes: Number.NaN, trials: 4 },
  { successes: 0, trials: Number.POSITIVE_INFINITY },
])('$successes successes in $trials trials throw', (counts) => {
  expect(() => wilsonInterval(counts)).toThrow('assertion failed')
  expect(() => clopperPearsonOneSided95(counts)).toThrow('assertion failed')
})
