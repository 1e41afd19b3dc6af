import { describe, expect, it } from 'vitest'
import { isRetried, retryDelayMs } from '../../../src/quality/transcripts/retry-delay.js'

const POLICY = { attempts: 5, firstDelayMs: 500, delayMsMax: 10_000 }
const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 0)

describe('retries', () => {
  it.each([
    [200, false],
    [301, false],
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [501, false],
    [503, true],
    [505, false],
  ])('%i: %s', (status, expected) => expect(isRetried(status)).toBe(expected))

  it.each([
    [1, undefined, 500],
    [2, undefined, 1000],
    [4, undefined, 4000],
    [9, undefined, 10_000],
    [1, '3', 3000],
    [1, '0', 0],
    [1, '600', 10_000],
    [1, 'Thu, 01 Jan 2026 12:00:07 GMT', 7000],
    [1, 'Thu, 01 Jan 2026 11:00:00 GMT', 0],
    [2, 'soon', 1000],
  ])('try %i, Retry-After %s: %i ms', (attempt, retryAfter, ms) => {
    expect(retryDelayMs(POLICY, { attempt, retryAfter, nowMs: NOW_MS })).toBe(ms)
  })
})
