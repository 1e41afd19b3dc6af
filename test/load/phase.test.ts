import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { phaseUs, startOnGrid } from '../../src/load/phase.js'

const PACKET_US = 80_000
const grid = (concurrency: number, phases: 'spread' | 'aligned' = 'spread', epochUs = 0) => ({
  ...{ phases, epochUs, concurrency },
  packetUs: PACKET_US,
})

describe('spread phases', () => {
  test.each([
    { concurrency: 1, expected: [0] },
    { concurrency: 2, expected: [0, 40_000] },
    { concurrency: 3, expected: [0, 26_666, 53_333] },
    { concurrency: 8, expected: [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000] },
  ])('put $concurrency slots evenly into one packet interval', ({ concurrency, expected }) => {
    expect(expected.map((_, slot) => phaseUs(grid(concurrency), slot))).toEqual(expected)
  })

  test('never reach the next interval, and are whole microseconds, all different', () => {
    for (const concurrency of [7, 97, 1000]) {
      const phases = Array.from({ length: concurrency }, (_, slot) => phaseUs(grid(concurrency), slot))
      expect(phases.every((phase) => Number.isInteger(phase) && phase >= 0 && phase < PACKET_US)).toBe(true)
      expect(new Set(phases).size).toBe(concurrency)
    }
  })

  test('go round where more sessions are open than the level has slots', () => {
    expect(phaseUs(grid(4), 5)).toBe(phaseUs(grid(4), 1))
  })
})

test('aligned phases are all the same', () => {
  expect([0, 1, 6].map((slot) => phaseUs(grid(7, 'aligned'), slot))).toEqual([0, 0, 0])
})

test('a start is the first instant of its phase that is not too early', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('spread' as const, 'aligned' as const),
      fc.integer({ min: 1, max: 500 }),
      fc.nat(600),
      fc.nat(1e12),
      fc.integer({ min: -1e6, max: 1e9 }),
      (phases, concurrency, slot, epochUs, afterUs) => {
        const own = grid(concurrency, phases, epochUs)
        const startUs = startOnGrid(own, slot, epochUs + afterUs)
        expect(startUs).toBeGreaterThanOrEqual(epochUs + afterUs)
        expect(startUs - PACKET_US).toBeLessThan(epochUs + afterUs)
        expect(Math.abs((startUs - epochUs - phaseUs(own, slot)) % PACKET_US)).toBe(0)
      },
    ),
  )
})
