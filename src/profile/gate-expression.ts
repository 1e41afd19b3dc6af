/**
 * The little language of gates: `unit_miss_rate@8 < 1%`, `confident(unit_miss_rate@8 < 1%)`, `capacity >= 4`. Grammar and
 * meaning stand in docs/formats.md, "Gate expressions". Pure; knows names, not values.
 */

import { type GateUnit, type MetricReference, metricName, metricOf, referenceOf } from './gate-metrics.js'
import { GateSyntaxError, type GateToken, gateTokens } from './gate-tokens.js'

export type GateOperator = '<' | '<=' | '>' | '>=' | '=='

/** Which levels a check speaks of. */
export type LevelChoice =
  | { readonly kind: 'all' }
  | { readonly kind: 'up_to'; readonly to: number }
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'list'; readonly levels: readonly number[] }

export interface GateExpression {
  readonly metric: MetricReference
  /** Undefined for metrics of the whole profile. */
  readonly levels: LevelChoice | undefined
  readonly operator: GateOperator
  /** The value as it is written: exact, and free of what binary fractions make of 0.7%. */
  readonly amount: { readonly digits: string; readonly suffix: '' | '%' | 'ms' | 's' }
  /** Asks that it is shown with 95% confidence, not only measured. */
  readonly isConfident: boolean
}

/**
 * @throws GateSyntaxError naming the column, what is there and what could be
 */
export function parseGateExpression(text: string): GateExpression {
  const parser = new Parser(gateTokens(text))
  return parser.whole()
}

/** The one way to write an expression; parsing it gives the expression back. */
export function printGateExpression({ metric, levels, operator, amount, isConfident }: GateExpression): string {
  const at = levels === undefined ? '' : `@${printLevels(levels)}`
  const text = `${metricName(metric)}${at} ${operator} ${amount.digits}${amount.suffix}`
  return isConfident ? `confident(${text})` : text
}

/** The value in the unit that results have: a share from 0 to 1, seconds, or a plain number. */
export function boundOf({ amount: { digits, suffix } }: GateExpression): number {
  return Number(`${digits}e${EXPONENTS[suffix]}`)
}

const EXPONENTS = { '': 0, '%': -2, ms: -3, s: 0 } as const
const OPERATORS: readonly string[] = ['<', '<=', '>', '>=', '==']
const LEVEL_MAX = 100_000

function printLevels(levels: LevelChoice): string {
  switch (levels.kind) {
    case 'all':
      return 'all'
    case 'up_to':
      return `<=${levels.to}`
    case 'range':
      return `${levels.from}..${levels.to}`
    default:
      return levels.levels.join(',')
  }
}

class Parser {
  readonly #tokens: readonly GateToken[]
  #index = 0

  constructor(tokens: readonly GateToken[]) {
    this.#tokens = tokens
  }

  whole(): GateExpression {
    const first = this.#peek()
    const isConfident = first.text === 'confident'
    if (isConfident) {
      this.#next()
      this.#expect('(')
    }
    const comparison = this.#comparison()
    if (isConfident) {
      this.#expect(')')
      checkConfident(comparison, first.column)
    }
    const rest = this.#peek()
    if (rest.kind !== 'end') {
      const isTrailing = rest.text === 'confident'
      throw new GateSyntaxError(
        rest.column,
        isTrailing ? 'confident goes around the comparison: confident(…)' : `${shown(rest)} is too much`,
      )
    }
    return { ...comparison, isConfident }
  }

  #comparison(): Omit<GateExpression, 'isConfident'> {
    const start = this.#peek()
    const metric = referenceOf(this.#path())
    if (typeof metric === 'string') throw new GateSyntaxError(start.column, metric)
    const at = this.#peek()
    const hasLevel = at.text === '@'
    if (hasLevel && metric.kind === 'profile') {
      throw new GateSyntaxError(at.column, `${metric.name} is one figure for all levels and takes no @`)
    }
    if (!hasLevel && metric.kind !== 'profile') {
      throw new GateSyntaxError(
        at.column,
        `${metricName(metric)} needs a level: @8, @1,2,4, @1..8, @<=8 or @all, not ${shown(at)}`,
      )
    }
    const levels = hasLevel ? this.#levels() : undefined
    const operator = this.#next()
    if (!OPERATORS.includes(operator.text)) {
      throw new GateSyntaxError(operator.column, `expected <, <=, >, >= or ==, not ${shown(operator)}`)
    }
    const amount = this.#amount(metricOf(metric).unit, metricName(metric))
    return { metric, levels, operator: operator.text as GateOperator, amount }
  }

  #path(): string[] {
    const path: string[] = []
    do {
      const word = this.#next()
      if (word.kind !== 'word')
        throw new GateSyntaxError(word.column, `expected the name of a metric, not ${shown(word)}`)
      path.push(word.text)
    } while (this.#take('.'))
    return path
  }

  #levels(): LevelChoice {
    this.#expect('@')
    if (this.#take('all')) return { kind: 'all' }
    if (this.#take('<=')) return { kind: 'up_to', to: this.#level() }
    const { column } = this.#peek()
    const first = this.#level()
    if (this.#take('..')) {
      const to = this.#level()
      if (to < first) throw new GateSyntaxError(column, `the range ${first}..${to} runs backwards`)
      return { kind: 'range', from: first, to }
    }
    const levels = [first]
    while (this.#take(',')) {
      const next = this.#peek()
      const level = this.#level()
      if (levels.includes(level)) throw new GateSyntaxError(next.column, `level ${level} is named twice`)
      levels.push(level)
    }
    return { kind: 'list', levels }
  }

  #level(): number {
    const token = this.#next()
    const level = Number(token.text)
    if (token.kind !== 'number' || !Number.isInteger(level) || level < 1 || level > LEVEL_MAX) {
      throw new GateSyntaxError(
        token.column,
        `a level is a whole number from 1 to ${LEVEL_MAX}, or all, not ${shown(token)}`,
      )
    }
    return level
  }

  #amount(unit: GateUnit, name: string): GateExpression['amount'] {
    const number = this.#next()
    if (number.kind !== 'number') throw new GateSyntaxError(number.column, `expected a value, not ${shown(number)}`)
    const digits = plainDigits(number.text)
    const suffix = this.#suffix()
    const problem = amountProblem(unit, name, digits, suffix)
    if (problem !== undefined) throw new GateSyntaxError(number.column, problem)
    return { digits, suffix }
  }

  #suffix(): GateExpression['amount']['suffix'] {
    const token = this.#peek()
    if (token.text === '%' || token.text === 'ms' || token.text === 's') {
      this.#next()
      return token.text
    }
    if (token.kind === 'word' && token.text !== 'confident') {
      throw new GateSyntaxError(token.column, `${shown(token)} is no unit; known are %, ms and s`)
    }
    return ''
  }

  #peek(): GateToken {
    return this.#tokens[this.#index] ?? END
  }

  #next(): GateToken {
    const token = this.#peek()
    this.#index += 1
    return token
  }

  #take(text: string): boolean {
    if (this.#peek().text !== text) return false
    this.#index += 1
    return true
  }

  #expect(text: string): void {
    const token = this.#next()
    if (token.text !== text) throw new GateSyntaxError(token.column, `expected ${text}, not ${shown(token)}`)
  }
}

const END: GateToken = { kind: 'end', text: '', column: 1 }

function checkConfident({ metric, operator }: Omit<GateExpression, 'isConfident'>, column: number): void {
  if (metricOf(metric).hasBounds !== true) {
    throw new GateSyntaxError(column, `${metricName(metric)} has no 95% bounds, so confident cannot be asked of it`)
  }
  if (operator === '==') {
    throw new GateSyntaxError(
      column,
      'no measurement shows that two values are equal; use <, <=, > or >= in confident(…)',
    )
  }
}

/** A share without % that is 1 or more, and a time without a unit, are slips as a rule: 1 for 1%, 600 for 600 ms. */
function amountProblem(unit: GateUnit, name: string, digits: string, suffix: string): string | undefined {
  const value = Number(digits)
  switch (unit) {
    case 'share':
      if (suffix === '%') return value > 100 ? `${name} is a share and never above 100%` : undefined
      if (suffix !== '') return `${name} is a share; write it with %`
      return value >= 1 ? `${name} is a share; write ${digits}% or, for all of them, 100%` : undefined
    case 'time':
      return suffix === 'ms' || suffix === 's' ? undefined : `${name} is a time; write ${digits}ms or ${digits}s`
    default:
      return suffix === '' ? undefined : `${name} is a plain number and has no unit ${suffix}`
  }
}

/** Without needless zeros: `08.50` is `8.5`. */
function plainDigits(text: string): string {
  const [whole = '0', fraction = ''] = text.split('.')
  const kept = fraction.replace(/0+$/, '')
  const head = whole.replace(/^0+(?=\d)/, '')
  return kept === '' ? head : `${head}.${kept}`
}

function shown(token: GateToken): string {
  return token.kind === 'end' ? 'the end' : JSON.stringify(token.text)
}
