import { describe, expect, it } from 'vitest'
import { boundOf, parseGateExpression, printGateExpression } from '../../src/profile/gate-expression.js'

const problemOf = (text: string): string => {
  try {
    parseGateExpression(text)
    return 'none'
  } catch (thrown) {
    const { column, message } = thrown as { column: number; message: string }
    return `${column}: ${message}`
  }
}

describe('a gate expression', () => {
  it.each([
    { text: 'unit_miss_rate@8 < 1%', printed: 'unit_miss_rate@8 < 1%', bound: 0.01 },
    { text: 'first_audio.p90@4<=600ms', printed: 'first_audio.p90@4 <= 600ms', bound: 0.6 },
    { text: ' unit_lag . p99 @ all < 1 s ', printed: 'unit_lag.p99@all < 1s', bound: 1 },
    { text: 'capacity >= 4', printed: 'capacity >= 4', bound: 4 },
    { text: 'sessions_failed@8 == 0', printed: 'sessions_failed@8 == 0', bound: 0 },
    { text: 'unit_miss_rate@1..8 < 0.70%', printed: 'unit_miss_rate@1..8 < 0.7%', bound: 0.007 },
    { text: 'unit_miss_rate@<=8 < 0.01', printed: 'unit_miss_rate@<=8 < 0.01', bound: 0.01 },
    { text: 'rtf.p90@1,2,4 < 08.50', printed: 'rtf.p90@1,2,4 < 8.5', bound: 8.5 },
    { text: 'confident(unit_miss_rate@8 < 1%)', printed: 'confident(unit_miss_rate@8 < 1%)', bound: 0.01 },
    {
      text: 'quality.synthetic_pause-handling.pause_intrusion_rate@4 <= 5%',
      printed: 'quality.synthetic_pause-handling.pause_intrusion_rate@4 <= 5%',
      bound: 0.05,
    },
    { text: 'quality.stop_latency_s.p90@4 < 1.5s', printed: 'quality.stop_latency_s.p90@4 < 1.5s', bound: 1.5 },
    { text: 'quality_capacity >= 2', printed: 'quality_capacity >= 2', bound: 2 },
  ])('$text is $printed', ({ text, printed, bound }) => {
    const expression = parseGateExpression(text)
    expect(printGateExpression(expression)).toBe(printed)
    // Exact: 0.7 / 100 would be another number than 0.007.
    expect(boundOf(expression)).toBe(bound)
  })

  it.each([
    { text: '', problem: '1: expected the name of a metric, not the end' },
    { text: 'unit_mis_rate@8 < 1%', problem: '1: unknown metric unit_mis_rate; did you mean unit_miss_rate?' },
    { text: 'unit_lag_s.p99@8 < 1s', problem: '1: unknown metric unit_lag_s; did you mean unit_lag?' },
    { text: 'toString@8 < 1', problem: '1: unknown metric toString; known are capacity' },
    { text: 'unit_lag@8 < 1s', problem: '1: unit_lag is a distribution: ask for unit_lag.p50' },
    { text: 'unit_lag.p42@8 < 1s', problem: '1: unit_lag is a distribution' },
    { text: 'client_stall.p90@8 < 1s', problem: '1: client_stall is a distribution: ask for client_stall.p50' },
    { text: 'denied.p90@8 == 0', problem: '1: denied is a single figure and has no .p90' },
    { text: 'quality@8 < 1%', problem: '1: quality takes the forms' },
    { text: 'quality.pause_rate@8 < 1%', problem: '1: unknown quality metric pause_rate; known are pause' },
    { text: 'quality.carry_in_rate.p90@8 < 1%', problem: '1: carry_in_rate is no latency' },
    { text: 'unit_miss_rate < 1%', problem: '16: unit_miss_rate needs a level: @8' },
    { text: 'capacity@4 >= 4', problem: '9: capacity is one figure for all levels and takes no @' },
    { text: 'unit_miss_rate@0 < 1%', problem: '16: a level is a whole number from 1 to 100000' },
    { text: 'unit_miss_rate@1.5 < 1%', problem: '16: a level is a whole number' },
    { text: 'unit_miss_rate@8..4 < 1%', problem: '16: the range 8..4 runs backwards' },
    { text: 'unit_miss_rate@4,4 < 1%', problem: '18: level 4 is named twice' },
    { text: 'unit_miss_rate@8 = 1%', problem: '18: a single = compares nothing; write ==' },
    { text: 'unit_miss_rate@8 != 1%', problem: '18: there is no !' },
    { text: 'unit_miss_rate@8 1%', problem: '18: expected <, <=, >, >= or ==, not "1"' },
    { text: 'unit_miss_rate@8 < -1%', problem: '20: there are no negative values' },
    { text: 'unit_miss_rate@8 <', problem: '19: expected a value, not the end' },
    { text: 'unit_miss_rate@8 < 1', problem: '20: unit_miss_rate is a share; write 1% or, for all of them, 100%' },
    { text: 'unit_miss_rate@8 < 101%', problem: '20: unit_miss_rate is a share and never above 100%' },
    { text: 'unit_miss_rate@8 < 1s', problem: '20: unit_miss_rate is a share; write it with %' },
    { text: 'unit_lag.p99@8 < 600', problem: '18: unit_lag.p99 is a time; write 600ms or 600s' },
    { text: 'unit_lag.p99@8 < 1min', problem: '19: "min" is no unit; known are %, ms and s' },
    { text: 'capacity >= 4%', problem: '13: capacity is a plain number and has no unit %' },
    { text: 'capacity >= 4 and capacity < 9', problem: '15: "and" is no unit' },
    { text: 'unit_miss_rate@8 < 1% confident', problem: '23: confident goes around the comparison' },
    { text: 'unit_miss_rate@8 < 1% 2', problem: '23: "2" is too much' },
    { text: 'confident unit_miss_rate@8 < 1%', problem: '11: expected (, not "unit_miss_rate"' },
    { text: 'confident(unit_miss_rate@8 < 1%', problem: '32: expected ), not the end' },
    { text: 'confident(unit_lag.p99@8 < 1s)', problem: '1: unit_lag.p99 has no 95% bounds' },
    { text: 'confident(unit_miss_rate@8 == 1%)', problem: '1: no measurement shows that two values are equal' },
    { text: 'unit_miss_rate@8 < 1% ☃', problem: '23: "☃" is not expected here' },
    { text: 'x'.repeat(301), problem: '1: 301 characters are too many' },
  ])('is refused with its place: $text', ({ text, problem }) => {
    expect(problemOf(text).slice(0, problem.length)).toBe(problem)
  })
})
