import { describe, expect, test } from 'vitest'
import { quantile, sortSamples } from '../../src/stats/quantile.js'
import { expectClose } from './close.js'

describe('a quantile interpolates between order statistics at position q (n - 1)', () => {
  const oneTo20 = Array.from({ length: 20 }, (_, index) => index + 1)
  // numpy 2.4.6 quantile(values, q, method='linear')
  test.each([
    { name: 'the p95 of 1 to 20 is neither 19 nor 20', values: oneTo20, q: 0.95, expected: 19.05 },
    { name: 'unsorted input is sorted first', values: [3, 1, 2], q: 0.9, expected: 2.8 },
    { name: 'numbers sort as numbers, negative ones first', values: [1.5, -2, 10, 4.25], q: 0.25, expected: 0.625 },
    { name: 'a long gap is divided in proportion', values: [1, 2, 4, 8, 16], q: 0.6, expected: 5.6 },
    { name: 'one sample is every quantile', values: [5], q: 0.3, expected: 5 },
    {
      name: 'the p99.9 of four samples stays below the maximum',
      values: [0.1, 0.2, 0.3, 0.7],
      q: 0.999,
      expected: 0.6988,
    },
    { name: 'q = 0 is the minimum', values: [7, 3, 9], q: 0, expected: 3 },
    { name: 'q = 1 is the maximum', values: [7, 3, 9], q: 1, expected: 9 },
    { name: 'nothing has no quantile', values: [], q: 0.5, expected: undefined },
  ])('$name', ({ values, q, expected }) => {
    expectClose(quantile({ sorted: sortSamples(values), q }), expected, 1e-14)
  })

  // test/vectors/serving/02-native-late-unit-and-denied/expected.json, unit_lag_s
  test.each([
    { q: 0.5, expected: 0.8 },
    { q: 0.9, expected: 1.12 },
    { q: 0.99, expected: 1.192 },
  ])('the unit lags of a recorded level give $expected at $q', ({ q, expected }) => {
    expectClose(quantile({ sorted: sortSamples([1.2, 0.4]), q }), expected, 1e-14)
  })
})

test('sorting copies and leaves its input alone', () => {
  const values = [10, 9, 100]
  expect(sortSamples(values)).toEqual([9, 10, 100])
  expect(values).toEqual([10, 9, 100])
})

test('any iterable of numbers can be sorted', () => {
  expect(sortSamples(new Set([2, 1]))).toEqual([1, 2])
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])('a sample of %s is a bug and throws', (value) => {
  expect(() => sortSamples([1, value])).toThrow('not a finite number')
})

test.each([-0.01, 1.01, 95, Number.NaN])('a quantile of %s throws', (q) => {
  expect(() => quantile({ sorted: sortSamples([1]), q })).toThrow('between 0 and 1')
})
