/** How a finding is written down, and how findings become a verdict. */
import { type CheckId, orderOfCheck } from './check-catalog.js'
import type { Verdict, VerdictStatus, Violation } from './verdict.js'

/** A finding of one check, at the line of a record where there is one. */
export function violation(check: CheckId, message: string, at?: { readonly line: number }): Violation {
  return at === undefined ? { check, message } : { check, message, line: at.line }
}

export interface Findings {
  readonly violations: Iterable<Violation>
  readonly notes?: Iterable<Violation>
  /** The status where nothing is violated. */
  readonly statusIfClean?: Exclude<VerdictStatus, 'fail'>
}

/** Sorts the findings and draws the conclusion: any violation fails the session, a note never does. */
export function verdictOf({ violations, notes = [], statusIfClean = 'pass' }: Findings): Verdict {
  const sorted = inTraceOrder(violations)
  return { status: sorted.length > 0 ? 'fail' : statusIfClean, violations: sorted, notes: inTraceOrder(notes) }
}

/** By line, then by check; what has no line, because something is missing, comes last. */
function inTraceOrder(findings: Iterable<Violation>): Violation[] {
  const lineOf = (finding: Violation) => finding.line ?? Number.MAX_SAFE_INTEGER
  return [...findings].sort((a, b) => lineOf(a) - lineOf(b) || orderOfCheck(a.check) - orderOfCheck(b.check))
}
