/** What the measured levels say of the capacity: the rule of `gate.min_capacity`, and the range it may lie in. Pure. */
import type { Gate } from '../profile/sweep-file.js'
import { type Capacity, capacityOf, levelOutcomes } from './capacity.js'
import type { GateLevel, Range } from './gate-readings.js'
import type { CheckVerdict } from './gate-verdict.js'
import type { QualityCapacity } from './quality-capacity.js'

export const NO_DEADLINES = 'this protocol has neither unit receipts nor turns: nothing shows that deadlines were kept'

interface Answer {
  readonly verdict: CheckVerdict
  readonly reason: string
}

/** Whether a capacity of `wanted` sessions is there, by the rule of the gate. */
export function judgeMinCapacity(rows: readonly GateLevel[], wanted: number, gate: Gate): Answer {
  const decide = (verdict: CheckVerdict, reason: string): Answer => ({ verdict, reason })
  const atLevel = rows.filter(({ concurrency }) => concurrency === wanted)
  if (gate.rule === 'strict') return strictRule(atLevel, wanted, gate.runs)
  if (rows.some(({ mode }) => mode === 'stream')) return decide('not_measured', NO_DEADLINES)
  const capacity = capacityOf(levelOutcomes(rows))
  const problem = capacityProblem(capacity, wanted)
  if (problem !== undefined) return problem
  const figure = `${capacity.status === 'at_least' ? 'at least ' : ''}${capacity.sessions}`
  if (atLevel.length < gate.runs) {
    return decide(
      'not_measured',
      atLevel.length === 0
        ? `level ${wanted} was not recorded; the capacity is ${figure}`
        : `level ${wanted} was recorded ${atLevel.length} of ${gate.runs} times`,
    )
  }
  if (gate.confident) {
    const verdicts = atLevel.map((row) => row.confident_verdict)
    if (verdicts.some((verdict) => verdict === 'failed')) {
      return decide('missed', `level ${wanted} misses its unit target with 95% confidence`)
    }
    if (verdicts.some((verdict) => verdict !== 'qualified')) {
      return decide('inconclusive', `level ${wanted} meets its targets, but not shown with 95% confidence`)
    }
  }
  return decide('met', `capacity is ${figure}`)
}

/** The campaign gate: every recorded run of the level passes, and there are at least as many as asked for. */
function strictRule(rows: readonly GateLevel[], level: number, runs: number): Answer {
  const decide = (verdict: CheckVerdict, reason: string): Answer => ({ verdict, reason })
  if (rows.length === 0) return decide('not_measured', `level ${level} was not recorded`)
  if (rows.some(({ valid }) => !valid)) return decide('not_measured', `a run of level ${level} is invalid`)
  if (rows.some((row) => row.strict_gate_pass === null)) {
    return decide('not_measured', 'the strict gate is defined for native profiles only')
  }
  const passed = rows.filter((row) => row.strict_gate_pass === true).length
  if (passed < rows.length) {
    return decide('missed', `${passed} of ${rows.length} runs of level ${level} pass the strict gate`)
  }
  if (rows.length < runs) {
    return decide('not_measured', `level ${level} passed ${passed} runs; ${runs} are asked for`)
  }
  return decide('met', `level ${level} is confirmed by ${passed} run${passed === 1 ? '' : 's'}`)
}

function capacityProblem(capacity: Capacity, wanted: number): Answer | undefined {
  if (capacity.sessions !== null && capacity.sessions >= wanted) return undefined
  if (capacity.first_missing_level !== null && capacity.first_missing_level <= wanted) {
    return {
      verdict: 'missed',
      reason: `level ${capacity.first_missing_level} misses its targets; ${wanted} was asked for`,
    }
  }
  // The first miss lies above, yet nothing below it reaches: the wanted level itself was not recorded.
  if (capacity.status === 'exact' || capacity.status === 'none') {
    return { verdict: 'not_measured', reason: `no level of at least ${wanted} below the first miss was recorded` }
  }
  const invalid = capacity.invalid_levels[0]
  return {
    verdict: 'not_measured',
    reason:
      invalid === undefined
        ? `no level of at least ${wanted} was recorded`
        : `level ${invalid} was not measured (invalid)`,
  }
}

/**
 * The numbers of sessions that the true capacity may be, by the levels on both sides of it: with 2 kept and 8 missed, and
 * nothing recorded between, that is 2 to 7.
 * @returns in words why nothing is known, where that is so
 */
export function capacityRange(levels: readonly GateLevel[]): Range | string {
  const { status, sessions, first_missing_level: missing, invalid_levels: invalid } = capacityOf(levelOutcomes(levels))
  if (status === 'undecided') {
    return invalid[0] === undefined ? 'no level was recorded' : `level ${invalid[0]} was not measured (invalid)`
  }
  return { low: sessions ?? 0, high: below(missing) }
}

/** The same of the capacity at which the server also converses as it does at the lowest level. */
export function qualityCapacityRange(levels: readonly GateLevel[], capacity: QualityCapacity | null): Range | string {
  if (capacity === null) return 'the quality was not scored at any valid level'
  const { status, sessions, worse_level: worse } = capacity
  if (status === 'undecided') return 'the quality capacity is undecided'
  const missing = capacityOf(levelOutcomes(levels)).first_missing_level
  return { low: sessions ?? 0, high: Math.min(below(worse), below(missing)) }
}

function below(level: number | null): number {
  return level === null ? Number.POSITIVE_INFINITY : level - 1
}
