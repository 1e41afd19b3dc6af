import { describe, expect, test } from 'vitest'
import { betaQuantile, regularizedIncompleteBeta } from '../../src/stats/beta.js'
import { expectClose } from './close.js'

describe('the beta distribution function agrees with another implementation', () => {
  // scipy 1.17.1 special.betainc(a, b, x)
  test.each([
    { x: 0.3, a: 2, b: 5, expected: 0.5798250000000003 },
    { x: 0.5, a: 0.5, b: 0.5, expected: 0.5 },
    { x: 0.99, a: 2, b: 3, expected: 0.99999603 },
    { x: 0.01, a: 1, b: 299, expected: 0.9504637433623375 },
    { x: 0.4999, a: 1e6, b: 1e6, expected: 0.38864871786231014 },
    { x: 0.001, a: 1000, b: 1e6, expected: 0.5168114550311722 },
    { x: 1e-30, a: 0.01, b: 20, expected: 0.5192460533512284 },
    { x: 0.9, a: 9.5, b: 0.001, expected: 0.0002392801937939511 },
    { x: 0.05, a: 11, b: 12, expected: 2.0577116955728285e-9 },
    { x: 0, a: 3, b: 2, expected: 0 },
    { x: 1, a: 3, b: 2, expected: 1 },
  ])('I_$x($a, $b) is $expected', ({ x, a, b, expected }) => {
    expectClose(regularizedIncompleteBeta({ x, a, b }), expected, 1e-10)
  })
})

describe('the beta quantile agrees with another implementation', () => {
  // scipy 1.17.1 stats.beta.ppf(p, a, b)
  test.each([
    { p: 0.05, a: 3, b: 2, expected: 0.2486046257301818 },
    { p: 0.95, a: 4, b: 1, expected: 0.9872585449014338 },
    { p: 0.95, a: 1, b: 299, expected: 0.009969146792899269 },
    { p: 0.95, a: 0.5, b: 0.5, expected: 0.9938441702975689 },
    { p: 0.05, a: 0.02, b: 7.5, expected: 7.22451999391127e-67 },
    { p: 0.95, a: 2.75, b: 41.3, expected: 0.13098438878028504 },
    { p: 0.05, a: 25, b: 1720, expected: 0.009985821819770703 },
    { p: 0.95, a: 12345.5, b: 1e6, expected: 0.012374920690679856 },
    { p: 0.05, a: 1e6, b: 1e6, expected: 0.4994184565471427 },
    { p: 0.3, a: 0.001, b: 0.001, expected: 1.4142853421410697e-222 },
    { p: 0.999, a: 0.001, b: 10, expected: 0.027468543061552095 },
    { p: 0.5, a: 1e6, b: 0.1, expected: 0.9999999994066087 },
    { p: 1e-12, a: 9.9, b: 10.1, expected: 0.01963773231458628 },
    { p: 0, a: 3, b: 2, expected: 0 },
    { p: 1, a: 3, b: 2, expected: 1 },
  ])('the $p quantile for shapes $a and $b is $expected', ({ p, a, b, expected }) => {
    expectClose(betaQuantile({ p, a, b }), expected, 1e-10)
  })

  test('a quantile below the smallest double is 0, and its mirror image 1', () => {
    expect(betaQuantile({ p: 0.05, a: 0.001, b: 1 })).toBe(0)
    expect(betaQuantile({ p: 0.95, a: 1, b: 0.001 })).toBe(1)
  })
})

test.each([
  { x: -0.1, a: 1, b: 1 },
  { x: 1.1, a: 1, b: 1 },
  { x: Number.NaN, a: 1, b: 1 },
  { x: 0.5, a: 0, b: 1 },
  { x: 0.5, a: 1, b: -1 },
  { x: 0.5, a: Number.POSITIVE_INFINITY, b: 1 },
])('a probability $x or shapes $a, $b out of range throw', ({ x, a, b }) => {
  expect(() => regularizedIncompleteBeta({ x, a, b })).toThrow('assertion failed')
  expect(() => betaQuantile({ p: x, a, b })).toThrow('assertion failed')
})
