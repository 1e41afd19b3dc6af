/**
 * The verdict on one recorded session: every numbered check of docs/protocols.md that its trace breaks. A verdict is
 * collected whole, never stopped at the first violation. Pure: it reads a parsed trace and a profile, nothing else.
 */
import type { TraceLine } from '../capture/trace-record.js'
import type { Profile } from '../profile/profile.js'

export interface Violation {
  /** Number of the check: `C1`, `N23`, `T5`, `L14`, `O7`, `V4`. */
  readonly check: string
  /** What was found, for a person. */
  readonly message: string
  /** Trace line it was found at, 1-based; absent where something is missing altogether. */
  readonly line?: number
}

export type VerdictStatus =
  | 'pass'
  | 'fail'
  /** A continuous profile whose input and output never overlapped: no violation, but nothing was exercised either. */
  | 'not_exercised'

export interface Verdict {
  readonly status: VerdictStatus
  /** In trace order, then in order of the checks. Empty exactly when the status is not `fail`. */
  readonly violations: readonly Violation[]
  /** Findings that are reported and do not fail the session (checks T10, O7 and O10). */
  readonly notes: readonly Violation[]
}

export interface VerdictInput {
  readonly profile: Profile
  readonly lines: readonly TraceLine[]
  /** How many refused upgrades the run allowed before giving up (check C6). */
  readonly admissionRetryLimit: number
}

/** Judges one recorded session. Accepts any lines at all and never throws on what a server sent. */
export type JudgeSession = (input: VerdictInput) => Verdict

/** The field's retry limit for refused upgrades, where a run does not state its own. */
export const DEFAULT_ADMISSION_RETRIES = 3
