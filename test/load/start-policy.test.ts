import { describe, expect, test } from 'vitest'
import { poissonArrivalsUs, spreadOffsetUs } from '../../src/load/start-policy.js'

const PACKET_US = 80_000

describe('spread', () => {
  test.each([
    { size: 1, expected: [0] },
    { size: 2, expected: [0, 40_000] },
    { size: 3, expected: [0, 26_666, 53_333] },
    { size: 8, expected: [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000] },
  ])('puts $size sessions evenly into one packet interval', ({ size, expected }) => {
    expect(expected.map((_, index) => spreadOffsetUs(index, size, PACKET_US))).toEqual(expected)
  })

  test('never reaches the next interval, and gives whole microseconds', () => {
    for (const size of [7, 97, 1000]) {
      const offsets = Array.from({ length: size }, (_, index) => spreadOffsetUs(index, size, PACKET_US))
      expect(offsets.every((offset) => Number.isInteger(offset) && offset >= 0 && offset < PACKET_US)).toBe(true)
      expect(new Set(offsets).size).toBe(size)
    }
  })
})

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
