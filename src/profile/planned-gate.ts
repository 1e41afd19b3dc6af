/** A gate made ready for one sweep: judged by its profile, its levels named one by one. Pure. */
import { UserError } from '../base/errors.js'
import { printGateExpression } from './gate-expression.js'
import { levelProblem, withLevelsNamed } from './gate-levels.js'
import { metricName, metricOf } from './gate-metrics.js'
import { checksOf, type Gate } from './gate-schema.js'
import { modeOf, type Profile } from './profile.js'

/**
 * @param levels concurrencies that are going to be run
 * @returns the gate with the levels of every check by number
 * @throws UserError SWEEP_FIELD for a check that these levels, or a profile of this kind, can never answer
 */
export function plannedGate<G extends Gate | undefined>(gate: G, profile: Profile, levels: readonly number[]): G {
  if (gate?.checks === undefined) return gate
  const checks = checksOf(gate).map((expression) => {
    const { metric } = expression
    const problem = metricOf(metric).modes.includes(modeOf(profile))
      ? levelProblem(expression, levels)
      : `${profile.name} has no ${metricName(metric)}: its protocol has ${MISSING[modeOf(profile)]}`
    if (problem !== undefined) {
      throw new UserError({
        code: 'SWEEP_FIELD',
        message: `the gate ${printGateExpression(expression)} cannot be judged: ${problem}`,
        fix: 'correct it, or leave it out',
      })
    }
    return printGateExpression(withLevelsNamed(expression, levels))
  })
  return { ...gate, checks }
}

const MISSING = {
  native: 'units in place of reply deadlines',
  turn_based: 'no native units',
  stream: 'neither unit receipts nor turns',
} as const
