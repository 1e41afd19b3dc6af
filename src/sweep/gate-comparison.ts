/** Comparisons of a limit with a figure that is known only to lie in a range. Pure. */
import type { GateOperator } from '../profile/gate-expression.js'
import type { Range } from './gate-readings.js'

/** Whether a comparison holds all over a range (true), nowhere in it (false), or here and there (undefined). */
export function holdsIn({ low, high }: Range, operator: GateOperator, bound: number): boolean | undefined {
  if (operator === '==') {
    if (low === high) return low === bound
    return bound < low || bound > high ? false : undefined
  }
  const isUpper = operator === '<' || operator === '<='
  const [best, worst] = isUpper ? [low, high] : [high, low]
  if (holds(worst, operator, bound)) return true
  return holds(best, operator, bound) ? undefined : false
}

function holds(value: number, operator: Exclude<GateOperator, '=='>, bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound
    case '<=':
      return value <= bound
    case '>':
      return value > bound
    default:
      return value >= bound
  }
}
