import { describe, expect, it } from 'vitest'
import { type LevelState, progressLine } from '../../src/cli/progress-line.js'

const STATE: LevelState = {
  name: 'level 8',
  open: 8,
  done: 6,
  failed: 0,
  total: 24,
  elapsedS: 12,
  expectedS: null,
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
    { width: 80, line: 'level 8 6/24, 8 open, lag 431/703 ms, 36 s left, late 1.2, stall 4.4' },
    { width: 60, line: 'level 8 6/24, 8 open, lag 431/703, 36s, late 1, stall 4' },
    { width: 50, line: 'level 8 6/24, 8 open, lag 431/703, 36s, late 1' },
    { width: 40, line: 'level 8 6/24, 8 open, lag 431/703, 36s' },
    { width: 10, line: 'level 8 6' },
  ])('at $width columns', ({ width, line }) => {
    expect(progressLine(STATE, width)).toBe(line)
  })

  it('never wraps, whatever the width and the numbers', () => {
    const long = { ...STATE, failed: 12345, missedUnits: 98765, total: 100000, done: 54321, open: 9999 }
    for (let width = 1; width <= 200; width += 1)
      expect(progressLine(long, width).length).toBeLessThan(Math.max(2, width))
  })

  it('leaves out what goes wrong last', () => {
    const bad = { ...STATE, failed: 3, missedUnits: 7 }
    expect(progressLine(bad, 60)).toBe('level 8 6/24, 3 failed, 8 open, lag 431/703, 7 miss, 36s')
    expect(progressLine(bad, 40)).toBe('level 8 6/24, 3 failed, 8 open, 7 miss')
    expect(progressLine(bad, 32)).toBe('level 8 6/24, 3 failed, 7 miss')
  })

  it('is painted where it goes wrong, and as wide as without paint', () => {
    const bad = { ...STATE, failed: 3, missedUnits: 7 }
    const painted = progressLine(bad, 160, true)
    expect(painted).toContain('\u001b[31m3 failed\u001b[39m')
    expect(painted).toContain('\u001b[33m7 missed\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape codes
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(progressLine(bad, 160))
    expect(progressLine(STATE, 160, true)).toBe(progressLine(STATE, 160))
  })

  it.each([
    { name: 'by the plan', elapsedS: 12, expectedS: 40, done: 0, left: '28 s left' },
    { name: 'by the pace, where the plan is over', elapsedS: 60, expectedS: 40, done: 12, left: '60 s left' },
    { name: 'unknown, where nothing has ended either', elapsedS: 60, expectedS: 40, done: 0, left: '? left' },
    { name: 'in minutes, where it is long', elapsedS: 0, expectedS: 600, done: 0, left: '10 min left' },
    { name: 'nothing, at the end', elapsedS: 60, expectedS: null, done: 24, left: '0 s left' },
  ])('the time left is $name', ({ elapsedS, expectedS, done, left }) => {
    expect(progressLine({ ...STATE, elapsedS, expectedS, done }, 160)).toContain(left)
  })
})
