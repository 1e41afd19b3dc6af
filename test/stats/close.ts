import { expect } from 'vitest'

/** Expects `actual` within `relative` of `expected`; 0 and undefined must be met exactly. */
export function expectClose(actual: number | undefined, expected: number | undefined, relative = 1e-12): void {
  if (actual === undefined || expected === undefined || expected === 0) {
    expect(actual).toBe(expected)
    return
  }
  const deviation = Math.abs(actual / expected - 1)
  expect(deviation, `${actual} against ${expected}`).toBeLessThanOrEqual(relative)
}
