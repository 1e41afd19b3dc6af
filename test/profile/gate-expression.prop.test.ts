import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GateExpression, parseGateExpression, printGateExpression } from '../../src/profile/gate-expression.js'
import {
  COLUMN_METRICS,
  DISTRIBUTION_METRICS,
  type MetricReference,
  metricOf,
  PROFILE_METRICS,
  QUALITY_METRICS,
  RATE_METRICS,
  STATISTICS,
} from '../../src/profile/gate-metrics.js'
import { GateSyntaxError } from '../../src/profile/gate-tokens.js'

const keysOf = <T extends object>(table: T) => fc.constantFrom(...(Object.keys(table) as (keyof T & string)[]))

const metrics: fc.Arbitrary<MetricReference> = fc.oneof(
  keysOf(COLUMN_METRICS).map((name) => ({ kind: 'column', name }) as const),
  keysOf(RATE_METRICS).map((name) => ({ kind: 'rate', name }) as const),
  keysOf(PROFILE_METRICS).map((name) => ({ kind: 'profile', name }) as const),
  keysOf(DISTRIBUTION_METRICS).chain((name) =>
    fc.constantFrom(...STATISTICS[name]).map((statistic) => ({ kind: 'distribution', name, statistic }) as const),
  ),
  fc
    .tuple(keysOf(QUALITY_METRICS), fc.boolean(), fc.option(fc.constantFrom('candor_turn-taking', 'a', 'p90', 'all')))
    .map(([name, isP90, subset]) => ({
      kind: 'quality' as const,
      name,
      subset: subset ?? undefined,
      isP90: isP90 && QUALITY_METRICS[name].unit === 'time',
    })),
)

const level = fc.integer({ min: 1, max: 100_000 })
const levels: fc.Arbitrary<NonNullable<GateExpression['levels']>> = fc.oneof(
  fc.constant({ kind: 'all' } as const),
  level.map((to) => ({ kind: 'up_to', to }) as const),
  fc.tuple(level, level).map(([a, b]) => ({ kind: 'range', from: Math.min(a, b), to: Math.max(a, b) }) as const),
  fc.uniqueArray(level, { minLength: 1, maxLength: 5 }).map((list) => ({ kind: 'list', levels: list }) as const),
)

const SUFFIXES = { share: '%', time: 'ms', count: '', factor: '' } as const

const expressions: fc.Arbitrary<GateExpression> = fc
  .record({
    metric: metrics,
    levels,
    operator: fc.constantFrom('<', '<=', '>', '>=', '==' as const),
    hundredths: fc.integer({ min: 0, max: 10_000 }),
    isConfident: fc.boolean(),
  })
  .map(({ metric, levels: chosen, operator, hundredths, isConfident }) => {
    const { unit, hasBounds } = metricOf(metric)
    return {
      metric,
      levels: metric.kind === 'profile' ? undefined : chosen,
      operator,
      amount: { digits: String(hundredths / 100), suffix: SUFFIXES[unit] },
      isConfident: isConfident && hasBounds === true && operator !== '==',
    } as GateExpression
  })

describe('gate expressions', () => {
  it('are what they were after printing and parsing', () => {
    fc.assert(
      fc.property(expressions, (expression) => {
        expect(parseGateExpression(printGateExpression(expression))).toEqual(expression)
      }),
    )
  })

  it('blanks between the pieces change nothing', () => {
    fc.assert(
      fc.property(expressions, (expression) => {
        const spaced = printGateExpression(expression).replace(/(<=|>=|==|\.\.|[<>@(),%]|ms$)/g, ' $1\t')
        expect(parseGateExpression(spaced)).toEqual(expression)
      }),
    )
  })

  it('any other text is refused with a place inside it', () => {
    const pieces = fc.constantFrom(
      'unit_lag',
      '.',
      'p99',
      '@',
      '8',
      '<',
      '=',
      '1',
      '%',
      'ms',
      ' ',
      'all',
      '(',
      'confident',
    )
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const expression = parseGateExpression(text)
          expect(parseGateExpression(printGateExpression(expression))).toEqual(expression)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GateSyntaxError)
          const { column } = thrown as GateSyntaxError
          expect(column).toBeGreaterThanOrEqual(1)
          expect(column).toBeLessThanOrEqual(text.length + 1)
        }
      }),
    )
  })
})
