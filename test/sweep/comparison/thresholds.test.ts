import { expect, test } from 'vitest'
import { DEFAULT_THRESHOLDS, parseThresholds, thresholdFor } from '../../../src/sweep/comparison/thresholds.js'

test('without any they are the defaults', () => {
  expect(parseThresholds([])).toEqual({ serving: DEFAULT_THRESHOLDS, quality: {} })
})

test.each([
  { given: 'unit_miss_rate=1%', name: 'unit_miss_rate', absolute: 0.01, relative: 0 },
  { given: 'underrun_rate=0.1', name: 'underrun_rate', absolute: 0.1, relative: 0 },
  { given: 'unit_lag=50ms', name: 'unit_lag', absolute: 0.05, relative: 0 },
  { given: ' first_audio = 10% , 0.03s ', name: 'first_audio', absolute: 0.03, relative: 0.1 },
  { given: 'rtf=0.1,5%', name: 'rtf', absolute: 0.1, relative: 0.05 },
  { given: 'buffer_needed=0s', name: 'buffer_needed', absolute: 0, relative: 0 },
] as const)('$given', ({ given, name, absolute, relative }) => {
  expect(parseThresholds([given]).serving[name]).toEqual({ absolute, relative })
})

test('quality metrics have margins', () => {
  expect(parseThresholds(['quality.response_latency_s=250ms', 'quality.pause_intrusion_rate=20%']).quality).toEqual({
    response_latency_s: 0.25,
    pause_intrusion_rate: 0.2,
  })
})

test.each([
  ['unit_lag', 'it needs the form NAME=VALUE'],
  ['=5', '"" is no metric with a threshold'],
  ['unit_lag=', 'it needs the form NAME=VALUE'],
  ['unit_lag=50', 'it is a time and needs a unit'],
  ['unit_lag=5%,6%', 'two amounts of one kind'],
  ['unit_lag=-5ms', '"-5ms" is no amount'],
  ['unit_miss_rate=5ms', 'it is a share'],
  ['unit_miss_rate=5', 'must be below 100%'],
  ['rtf=5ms', 'it is a plain number'],
  ['lag=5ms', '"lag" is no metric'],
  ['quality.mood=5%', '"quality.mood" is no metric'],
  ['quality.stop_latency_s=5%', 'it is a time'],
  ['toString=5%', '"toString" is no metric'],
])('%s is refused', (given, message) => {
  expect(() => parseThresholds([given])).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
  )
})

test('the larger of both parts applies', () => {
  expect(thresholdFor({ absolute: 0.02, relative: 0.05 }, 0.1)).toBe(0.02)
  expect(thresholdFor({ absolute: 0.02, relative: 0.05 }, 1)).toBe(0.05)
})
