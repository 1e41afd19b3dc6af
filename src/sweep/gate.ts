/** A gate turns measured levels into a yes or no for a pipeline (docs/cli.md, "Exit codes"). Pure. */
import { EXIT, type ExitCode } from '../base/errors.js'
import { checksOf } from '../profile/gate-schema.js'
import type { Gate } from '../profile/sweep-file.js'
import { judgeMinCapacity } from './gate-capacity.js'
import { judgeCheck } from './gate-check.js'
import type { GateLevel } from './gate-readings.js'
import { type CheckResult, type CheckVerdict, worstCheck } from './gate-verdict.js'
import type { QualityCapacity } from './quality-capacity.js'

export type { CheckedValue, CheckResult, CheckVerdict } from './gate-verdict.js'

export interface GateResult {
  readonly gate: Gate
  /** `undecided`: the data cannot say, because a level is invalid, missing, or inconclusive. */
  readonly verdict: 'pass' | 'fail' | 'undecided'
  readonly reason: string
  /** One for `min_capacity`, then one for each expression. */
  readonly checks: readonly CheckResult[]
}

/** @param levels of one profile */
export function judgeGate(
  levels: readonly GateLevel[],
  gate: Gate,
  qualityCapacity: QualityCapacity | null = null,
): GateResult {
  const { min_capacity: wanted } = gate
  const context = { levels, runs: gate.runs, qualityCapacity }
  const checks = [
    ...(wanted === undefined ? [] : [minCapacityCheck(levels, wanted, gate)]),
    ...checksOf(gate).map((expression) => judgeCheck(expression, context)),
  ]
  const verdict = worstCheck(checks.map((check) => check.verdict))
  return { gate, verdict: OVERALL[verdict], reason: overallReason(checks, verdict, gate), checks }
}

/** Exit code of a gate's verdict. */
export function exitCodeOfGate(result: Pick<GateResult, 'verdict'>): ExitCode {
  if (result.verdict === 'pass') return EXIT.ok
  return result.verdict === 'fail' ? EXIT.gateMissed : EXIT.notMeasured
}

const OVERALL: Record<CheckVerdict, GateResult['verdict']> = {
  met: 'pass',
  missed: 'fail',
  inconclusive: 'undecided',
  not_measured: 'undecided',
}

function minCapacityCheck(levels: readonly GateLevel[], wanted: number, gate: Gate): CheckResult {
  const how = [
    gate.rule === 'strict' ? 'strict' : '',
    gate.confident ? 'confident' : '',
    gate.runs > 1 ? `${gate.runs} runs` : '',
  ].filter((text) => text !== '')
  return {
    expression: `min_capacity ${wanted}${how.length === 0 ? '' : ` (${how.join(', ')})`}`,
    ...judgeMinCapacity(levels, wanted, gate),
    bound: wanted,
    values: [],
  }
}

/** A lone check speaks for itself; of several, those that decided are named. */
function overallReason(checks: readonly CheckResult[], verdict: CheckVerdict, gate: Gate): string {
  const [only] = checks
  if (checks.length === 1 && only !== undefined) {
    return gate.min_capacity === undefined ? `${only.expression}: ${only.reason}` : only.reason
  }
  if (verdict === 'met') return `all ${checks.length} checks are met`
  const deciding = checks.filter((check) => OVERALL[check.verdict] === OVERALL[verdict])
  const names = deciding.map(({ expression }) => expression).join('; ')
  return `${deciding.length} of ${checks.length} checks ${verdict === 'missed' ? 'missed' : 'cannot be decided'}: ${names}`
}
