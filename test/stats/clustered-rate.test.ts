import { describe, expect, test } from 'vitest'
import { clusteredBounds, furtherClustersToSettle } from '../../src/stats/clustered-rate.js'
import type { RateCluster } from '../../src/stats/rate-cluster.js'
import { expectClose } from './close.js'

/** `'1/2 2/2'` reads: 1 of 2 and 2 of 2. */
function clustersOf(text: string): RateCluster[] {
  return text.split(' ').map((part) => {
    const [successes, trials] = part.split('/').map(Number)
    return { trials: trials as number, successes: successes as number }
  })
}

describe('bounds of a clustered rate', () => {
  // The formulas of docs/metrics.md, section 8, in exact fractions (Python fractions), then scipy 1.17.1
  // stats.beta.ppf.
  test.each([
    {
      name: 'clusters that differ less than chance allows have effect 1, not below',
      clusters: '2/10 2/10 2/10',
      expected: { low: 0.09087405970502127, high: 0.35700911456165313, designEffect: 1, effectiveTrials: 30 },
    },
    {
      name: 'when one whole cluster fails, a cluster counts as one trial',
      clusters: '10/10 0/10 0/10',
      expected: { low: 0.0169524275084415, high: 0.8646496378284161, designEffect: 10, effectiveTrials: 3 },
    },
    {
      name: 'clusters of one trial each are independent trials',
      clusters: '1/1 0/1 0/1',
      expected: { low: 0.0169524275084415, high: 0.8646496378284161, designEffect: 1, effectiveTrials: 3 },
    },
    {
      name: 'unequal sizes weigh by trials',
      clusters: '3/30 0/20 1/60 9/45',
      expected: {
        low: 0.020163290727482935,
        high: 0.2156889910553479,
        designEffect: 5.038509269708692,
        effectiveTrials: 30.76306734848213,
      },
    },
    {
      name: 'a cluster without trials changes nothing',
      clusters: '3/30 0/20 0/0 1/60 9/45',
      expected: {
        low: 0.020163290727482935,
        high: 0.2156889910553479,
        designEffect: 5.038509269708692,
        effectiveTrials: 30.76306734848213,
      },
    },
    {
      name: 'a short denied session among long ones makes less than one effective success',
      clusters: '12/600 3/3 0/600 2/599',
      expected: {
        low: 1.5653242989212714e-13,
        high: 0.23590772028554113,
        designEffect: 150.2422342215564,
        effectiveTrials: 11.993964342560698,
      },
    },
    {
      name: 'a single cluster cannot disagree with itself',
      clusters: '4/50',
      expected: { low: 0.02778766839293055, high: 0.17379115816419352, designEffect: 1, effectiveTrials: 50 },
    },
    {
      name: 'one cluster with trials beside one without is a single cluster',
      clusters: '4/50 0/0',
      expected: { low: 0.02778766839293055, high: 0.17379115816419352, designEffect: 1, effectiveTrials: 50 },
    },
    {
      name: 'without a success the effect is 1 and the lower bound 0',
      clusters: '0/2 0/1',
      expected: { low: 0, high: 0.6315968501359612, designEffect: 1, effectiveTrials: 3 },
    },
    {
      name: 'with nothing but successes the effect is 1 and the upper bound 1',
      clusters: '3/3 4/4',
      expected: { low: 0.6518363448688391, high: 1, designEffect: 1, effectiveTrials: 7 },
    },
  ])('$name', ({ clusters, expected }) => {
    const bounds = clusteredBounds(clustersOf(clusters))
    expectClose(bounds?.low, expected.low, 1e-10)
    expectClose(bounds?.high, expected.high, 1e-10)
    expectClose(bounds?.designEffect, expected.designEffect)
    expectClose(bounds?.effectiveTrials, expected.effectiveTrials)
  })

  // unit_miss_bound95 of test/vectors/serving/*/expected.json, nine decimals; clusters from expected-sessions.json
  test.each([
    { level: '01', clusters: '0/2 0/1', low: 0, high: 0.63159685, designEffect: 1, effectiveTrials: 3 },
    { level: '02', clusters: '1/2 2/2', low: 0.248604626, high: 0.987258545, designEffect: 1, effectiveTrials: 4 },
    { level: '03', clusters: '0/1', low: 0, high: 0.95, designEffect: 1, effectiveTrials: 1 },
    { level: '04', clusters: '1/4', low: 0.012741455, high: 0.751395374, designEffect: 1, effectiveTrials: 4 },
    { level: '05', clusters: '0/5', low: 0, high: 0.450719728, designEffect: 1, effectiveTrials: 5 },
    { level: '08', clusters: '0/1 0/1', low: 0, high: 0.776393202, designEffect: 1, effectiveTrials: 2 },
  ])('recorded level $level has the bounds that stand beside it', ({ level: _, clusters, ...expected }) => {
    const bounds = clusteredBounds(clustersOf(clusters))
    const rounded = Object.entries(bounds ?? {}).map(([key, value]) => [key, Math.round(value * 1e9) / 1e9])
    expect(Object.fromEntries(rounded)).toEqual(expected)
  })

  test('no trials, no bounds', () => {
    expect(clusteredBounds([])).toBeUndefined()
    expect(clusteredBounds(clustersOf('0/0 0/0'))).toBeUndefined()
  })

  test.each(['2/1', '-1/3', '0.5/3', '0/NaN'])('a cluster of %s throws', (text) => {
    expect(() => clusteredBounds(clustersOf(text))).toThrow('assertion failed')
  })
})

describe('further clusters until a bound settles', () => {
  // Counted up one by one in Python with exact fractions and scipy 1.17.1 stats.beta.ppf.
  test.each([
    { name: 'one clean trial needs 298 more to show 1%', clusters: '0/1', limit: 0.01, expected: 298 },
    { name: '298 clean trials lack one', clusters: '0/298', limit: 0.01, expected: 1 },
    { name: '300 clean trials have settled', clusters: '0/300', limit: 0.01, expected: 0 },
    { name: 'further clusters have the mean number of trials', clusters: '0/75 0/75', limit: 0.01, expected: 2 },
    { name: 'small clusters take many', clusters: '0/3 0/3', limit: 0.01, expected: 98 },
    { name: 'a rate below the limit waits for the upper bound', clusters: '0/100 1/100', limit: 0.01, expected: 10 },
    {
      name: 'a rate above the limit waits for the lower bound',
      clusters: '3/30 0/20 1/60 9/45',
      limit: 0.06,
      expected: 39,
    },
    { name: 'the design effect stretches the wait', clusters: '3/30 0/20 1/60 9/45', limit: 0.1, expected: 122 },
    { name: 'three of four missed has settled against 1%', clusters: '1/2 2/2', limit: 0.01, expected: 0 },
    { name: 'one further cluster can be enough', clusters: '3/30 3/30', limit: 0.05, expected: 1 },
    { name: 'all successes wait for the lower bound', clusters: '10/10', limit: 0.9, expected: 2 },
    { name: 'a rate just below the limit takes very many', clusters: '9999/1000000', limit: 0.01, expected: 26_785 },
    { name: 'a rate equal to the limit never settles', clusters: '1/100', limit: 0.01, expected: null },
    { name: 'a rate of 0 never settles against a limit of 0', clusters: '0/50', limit: 0, expected: null },
    { name: 'any success settles against a limit of 0', clusters: '1/50', limit: 0, expected: 0 },
    { name: 'everything settles against a limit of 1', clusters: '5/5', limit: 1, expected: 0 },
    { name: 'no trials never settle', clusters: '0/0', limit: 0.01, expected: null },
  ])('$name', ({ clusters, limit, expected }) => {
    expect(furtherClustersToSettle({ clusters: clustersOf(clusters), limit })).toBe(expected)
  })

  test('a rate next to the limit gives up at a number nobody could run', () => {
    expect(furtherClustersToSettle({ clusters: clustersOf('1/2'), limit: 0.5000001 })).toBeNull()
  })

  test('a limit that is no rate throws', () => {
    expect(() => furtherClustersToSettle({ clusters: clustersOf('0/5'), limit: 1.5 })).toThrow('between 0 and 1')
  })
})
