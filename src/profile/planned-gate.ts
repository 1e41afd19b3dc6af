/** A gate made ready for one sweep: judged by its profile, its levels named one by one. Pure. */
import { UserError } from '../base/errors.js'
import { type GateExpression, printGateExpression } from './gate-expression.js'
import { levelProblem, withLevelsNamed } from './gate-levels.js'
import { metricName, metricOf } from './gate-metrics.js'
import { checksOf, type Gate } from './gate-schema.js'
import { modeOf, type Profile } from './profile.js'

export interface GatedSweep {
  readonly profile: Profile
  /** Concurrencies that are going to be run. */
  readonly levels: readonly number[]
  readonly isQualityScored: boolean
}

/**
 * @returns the gate with the levels of every check by number
 * @throws UserError SWEEP_FIELD for a check that such a sweep can never answer
 */
export function plannedGate<G extends Gate | undefined>(gate: G, sweep: GatedSweep): G {
  if (gate?.checks === undefined) return gate
  const checks = checksOf(gate).map((expression) => {
    const problem = problemOf(expression, sweep)
    if (problem !== undefined) {
      throw new UserError({
        code: 'SWEEP_FIELD',
        message: `the gate ${printGateExpression(expression)} cannot be judged: ${problem}`,
        fix: 'correct it, or leave it out',
      })
    }
    return printGateExpression(withLevelsNamed(expression, sweep.levels))
  })
  return { ...gate, checks }
}

function problemOf(expression: GateExpression, { profile, levels, isQualityScored }: GatedSweep): string | undefined {
  const { metric } = expression
  const mode = modeOf(profile)
  if (!metricOf(metric).modes.includes(mode)) {
    return `${profile.name} has no ${metricName(metric)}: its protocol has ${MISSING[mode]}`
  }
  if (!isQualityScored && (metric.kind === 'quality' || metric.name === 'quality_capacity')) {
    return 'this sweep does not score quality (--quality)'
  }
  return levelProblem(expression, levels)
}

const MISSING = {
  native: 'units in place of reply deadlines',
  turn_based: 'no native units',
  stream: 'neither unit receipts nor turns',
} as const
