/** The levels that a gate's checks speak of, against those that a sweep runs. Pure. */
import type { GateExpression, LevelChoice } from './gate-expression.js'

/**
 * @param levels concurrencies that are run, or were recorded
 * @returns those that the choice names, in the order of the list or ascending; a list keeps levels that are not run
 */
export function chosenLevels(choice: LevelChoice, levels: readonly number[]): number[] {
  const ascending = [...new Set(levels)].sort((a, b) => a - b)
  switch (choice.kind) {
    case 'all':
      return ascending
    case 'up_to':
      return ascending.filter((level) => level <= choice.to)
    case 'range':
      return ascending.filter((level) => level >= choice.from && level <= choice.to)
    default:
      return [...choice.levels]
  }
}

/** Why a check cannot be judged by a sweep of these levels, in words; undefined where it can. */
export function levelProblem({ levels: choice }: GateExpression, levels: readonly number[]): string | undefined {
  if (choice === undefined) return undefined
  const run = chosenLevels({ kind: 'all' }, levels)
  const chosen = chosenLevels(choice, run)
  if (chosen.length === 0) return `no level of this sweep is meant; it runs ${run.join(', ')}`
  const absent = chosen.filter((level) => !run.includes(level))
  if (absent.length === 0) return undefined
  return `level ${absent.join(', ')} is not in this sweep; it runs ${run.join(', ')}`
}

/**
 * The same check with its levels by number: a level that is planned and then not recorded (the sweep was stopped) can so
 * never drop out of `@all` unnoticed.
 */
export function withLevelsNamed(expression: GateExpression, levels: readonly number[]): GateExpression {
  if (expression.levels === undefined) return expression
  return { ...expression, levels: { kind: 'list', levels: chosenLevels(expression.levels, levels) } }
}
