import { describe, expect, it } from 'vitest'
import { type LevelState, progressLine } from '../../src/cli/progress-line.js'

const STATE: LevelState = {
  name: 'level 8',
  open: 8,
  done: 6,
  failed: 0,
  total: 24,
  elapsedS: 12,
  missedUnits: 0,
  lagMs: { p50: 431.2, p99: 702.9 },
  lateP99Ms: 1.234,
  stallMs: 4.4,
}

describe('the progress line', () => {
  it.each([
    {
      width: 160,
      line: 'level 8 ████░░░░░░░░░░░░ 6/24, 8 open, lag p50/p99 431/703 ms, 36 s left, late p99 1.2 ms, stall 4.4 ms',
    },
    { width: 80, line: 'level 8 6/24, 8 open, lag p50/p99 431/703 ms, 36 s left, late p99 1.2 ms' },
    { width: 40, line: 'level 8 6/24, 8 open' },
    { width: 10, line: 'level 8 6' },
  ])('at $width columns', ({ width, line }) => {
    expect(progressLine(STATE, width)).toBe(line)
  })

  it('never wraps, whatever the width and the numbers', () => {
    const long = { ...STATE, failed: 12345, missedUnits: 98765, total: 100000, done: 54321, open: 9999 }
    for (let width = 1; width <= 200; width += 1)
      expect(progressLine(long, width).length).toBeLessThan(Math.max(2, width))
  })

  it('names what goes wrong before anything else', () => {
    expect(progressLine({ ...STATE, failed: 3, missedUnits: 7 }, 60)).toBe(
      'level 8 6/24, 3 failed, 8 open, lag p50/p99 431/703 ms',
    )
  })

  it('guesses no end before the first session has ended', () => {
    const begun = { ...STATE, done: 0, lagMs: null, lateP99Ms: null }
    expect(progressLine(begun, 80)).toBe('level 8 0/24, 8 open, ? left, stall 4.4 ms')
    expect(progressLine({ ...STATE, done: 1, elapsedS: 60 }, 80)).toContain('23 min left')
  })
})
