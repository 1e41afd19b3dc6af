/** Figures and limits of gate checks in words. Pure. */
import { type GateExpression, printGateExpression } from '../profile/gate-expression.js'
import { type GateUnit, metricOf } from '../profile/gate-metrics.js'
import type { Range } from './gate-readings.js'

/** Six digits: enough that a figure just beside its limit does not look like the limit. */
const DIGITS = 6

export function shownFigure(value: number, unit: GateUnit): string {
  if (value === Number.POSITIVE_INFINITY) return 'never'
  switch (unit) {
    case 'share':
      return `${rounded(value * 100)}%`
    case 'time':
      return value < 1 ? `${rounded(value * 1000)} ms` : `${rounded(value)} s`
    default:
      return rounded(value)
  }
}

export function shownRange({ low, high }: Range, unit: GateUnit): string {
  return `${shownFigure(low, unit)} to ${shownFigure(high, unit)}`
}

/** `< 1%`, as it was asked for. */
export function shownLimit(expression: GateExpression): string {
  const { operator, amount } = expression
  const space = amount.suffix === 'ms' || amount.suffix === 's' ? ' ' : ''
  return `${operator} ${amount.digits}${space}${amount.suffix}`
}

export function unitOf(expression: GateExpression): GateUnit {
  return metricOf(expression.metric).unit
}

export function nameOf(expression: GateExpression): string {
  return printGateExpression(expression)
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(DIGITS)))
}
