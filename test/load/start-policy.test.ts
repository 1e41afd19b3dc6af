import { describe, expect, test } from 'vitest'
import { poissonArrivalsUs } from '../../src/load/start-policy.js'

describe('poisson', () => {
  const OPTIONS = { sessions: 10_000, concurrency: 4, meanSessionUs: 10_000_000, seed: 'arrivals' }

  test('gives the same arrivals for the same seed, and others for another', () => {
    expect(poissonArrivalsUs(OPTIONS)).toEqual(poissonArrivalsUs(OPTIONS))
    expect(poissonArrivalsUs({ ...OPTIONS, seed: 'others' })).not.toEqual(poissonArrivalsUs(OPTIONS))
  })

  test('begins at once and keeps the order', () => {
    const arrivals = poissonArrivalsUs(OPTIONS)
    expect(arrivals).toHaveLength(OPTIONS.sessions)
    expect(arrivals[0]).toBe(0)
    expect(arrivals.every((at, index) => Number.isInteger(at) && at >= (arrivals[index - 1] ?? 0))).toBe(true)
  })

  test.each(['a', 'b', 'c'])('keeps N sessions open in the mean (seed %s)', (seed) => {
    const arrivals = poissonArrivalsUs({ ...OPTIONS, seed })
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0))
    const meanUs = (arrivals.at(-1) ?? 0) / gaps.length
    // The mean of 10,000 exponential gaps has a standard error of 1%.
    expect(Math.abs(meanUs / 2_500_000 - 1)).toBeLessThan(0.04)
    // Exponential, not even: a share of 1/e is longer than the mean, and the deviation equals the mean.
    expect(gaps.filter((gap) => gap > 2_500_000).length / gaps.length).toBeCloseTo(Math.exp(-1), 1)
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - meanUs) ** 2, 0) / gaps.length)
    expect(Math.abs(deviation / meanUs - 1)).toBeLessThan(0.06)
  })

  test.each([0, 1])('plans %i sessions without a gap', (sessions) => {
    expect(poissonArrivalsUs({ ...OPTIONS, sessions })).toEqual(sessions === 0 ? [] : [0])
  })
})
