import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatSecondsOfUs, secondsFromUs, usFromSeconds } from '../../src/base/clock.js'

/** Up to 71 years of uptime: beyond that, seconds as a binary fraction no longer tell microseconds apart. */
const us = fc.integer({ min: 0, max: 2 ** 51 })

describe('seconds with six decimals', () => {
  test.each([
    { us: 0, text: '0' },
    { us: 1, text: '0.000001' },
    { us: 10, text: '0.00001' },
    { us: 1_000_000, text: '1' },
    { us: 1_500_000, text: '1.5' },
    { us: 593_390_123_457, text: '593390.123457' },
    { us: 593_390_000_001, text: '593390.000001' },
  ])('$us µs read $text', ({ us: value, text }) => {
    expect(formatSecondsOfUs(value)).toBe(text)
  })

  it('lose nothing on the way into a file and back', () => {
    fc.assert(
      fc.property(us, (value) => {
        const text = formatSecondsOfUs(value)
        expect(usFromSeconds(Number(text))).toBe(value)
        expect(text).toMatch(/^\d+(\.\d{0,5}[1-9])?$/)
      }),
      { numRuns: 1000 },
    )
  })

  it('are the same as what JSON makes of the number', () => {
    fc.assert(fc.property(us, (value) => usFromSeconds(JSON.parse(JSON.stringify(secondsFromUs(value)))) === value))
  })
})
