/** A gate turns a measured capacity into a yes or no for a pipeline (docs/cli.md, "Exit codes"). Pure. */
import { EXIT, type ExitCode } from '../base/errors.js'
import type { LevelRow } from '../metrics/level-row.js'
import type { Gate } from '../profile/sweep-file.js'
import { type Capacity, capacityOf, levelOutcomes } from './capacity.js'

export interface GateResult {
  readonly gate: Gate
  /** `undecided`: the data cannot say, because a level is invalid, missing, or inconclusive. */
  readonly verdict: 'pass' | 'fail' | 'undecided'
  readonly reason: string
}

export function judgeGate(rows: readonly LevelRow[], gate: Gate): GateResult {
  const decide = (verdict: GateResult['verdict'], reason: string): GateResult => ({ gate, verdict, reason })
  const wanted = gate.min_capacity
  const atLevel = rows.filter(({ concurrency }) => concurrency === wanted)
  const capacity = capacityOf(levelOutcomes(rows))
  if (gate.rule === 'strict') return strictGate(atLevel, gate, decide)
  if (rows.some(({ mode }) => mode === 'stream')) {
    return decide(
      'undecided',
      'this protocol has neither unit receipts nor turns: nothing shows that deadlines were kept',
    )
  }
  const problem = capacityProblem(capacity, wanted)
  if (problem !== undefined) return decide(problem.verdict, problem.reason)
  if (atLevel.length < gate.runs) {
    return decide(
      'undecided',
      atLevel.length === 0
        ? `level ${wanted} was not recorded; the capacity is ${capacity.status === 'at_least' ? 'at least ' : ''}${capacity.sessions}`
        : `level ${wanted} was recorded ${atLevel.length} of ${gate.runs} times`,
    )
  }
  if (gate.confident) {
    const verdicts = atLevel.map((row) => row.confident_verdict)
    if (verdicts.some((verdict) => verdict === 'failed')) {
      return decide('fail', `level ${wanted} misses its unit target with 95% confidence`)
    }
    if (verdicts.some((verdict) => verdict !== 'qualified')) {
      return decide('undecided', `level ${wanted} meets its targets, but not shown with 95% confidence`)
    }
  }
  return decide('pass', `capacity is ${capacity.status === 'at_least' ? 'at least ' : ''}${capacity.sessions}`)
}

/** The campaign gate: every recorded run of the level passes, and there are at least as many as asked for. */
function strictGate(
  rows: readonly LevelRow[],
  gate: Gate,
  decide: (verdict: GateResult['verdict'], reason: string) => GateResult,
): GateResult {
  const level = gate.min_capacity
  if (rows.length === 0) return decide('undecided', `level ${level} was not recorded`)
  if (rows.some(({ valid }) => !valid)) return decide('undecided', `a run of level ${level} is invalid`)
  if (rows.some((row) => row.strict_gate_pass === null)) {
    return decide('undecided', 'the strict gate is defined for native profiles only')
  }
  const passed = rows.filter((row) => row.strict_gate_pass === true).length
  if (passed < rows.length)
    return decide('fail', `${passed} of ${rows.length} runs of level ${level} pass the strict gate`)
  if (rows.length < gate.runs) {
    return decide('undecided', `level ${level} passed ${passed} runs; ${gate.runs} are asked for`)
  }
  return decide('pass', `level ${level} is confirmed by ${passed} run${passed === 1 ? '' : 's'}`)
}

function capacityProblem(
  capacity: Capacity,
  wanted: number,
): { verdict: 'fail' | 'undecided'; reason: string } | undefined {
  if (capacity.sessions !== null && capacity.sessions >= wanted) return undefined
  if (capacity.first_missing_level !== null && capacity.first_missing_level <= wanted) {
    return {
      verdict: 'fail',
      reason: `level ${capacity.first_missing_level} misses its targets; ${wanted} was asked for`,
    }
  }
  // The first miss lies above, yet nothing below it reaches: the wanted level itself was not recorded.
  if (capacity.status === 'exact' || capacity.status === 'none') {
    return { verdict: 'undecided', reason: `no level of at least ${wanted} below the first miss was recorded` }
  }
  const invalid = capacity.invalid_levels[0]
  return {
    verdict: 'undecided',
    reason:
      invalid === undefined
        ? `no level of at least ${wanted} was recorded`
        : `level ${invalid} was not measured (invalid)`,
  }
}

/** Exit code of a gate's verdict. */
export function exitCodeOfGate(result: GateResult): ExitCode {
  if (result.verdict === 'pass') return EXIT.ok
  return result.verdict === 'fail' ? EXIT.gateMissed : EXIT.notMeasured
}
