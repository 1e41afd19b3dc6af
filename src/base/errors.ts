/**
 * The three kinds of trouble, kept apart: what the user can fix (`UserError`, here), what the server did (an outcome,
 * which is data and never thrown), and what we broke (any other thrown value, which ends the process with exit code 70).
 */

/** Exit codes of the command line; docs/cli.md explains each. */
export const EXIT = {
  /** Measured, and the gate passed where there is one. */
  ok: 0,
  /** Measured and valid; a gate missed. */
  gateMissed: 1,
  /** Wrong usage or configuration; nothing was sent. */
  usage: 2,
  /** Not measured (the load generator fell behind, or the data is unusable), or inconclusive where confidence was asked for. */
  notMeasured: 3,
  /** The server cannot be reached, or refused everything. */
  unreachable: 4,
  /** A defect of floorload itself. */
  bug: 70,
  /** Interrupted; finished levels are kept. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/**
 * Stable error codes: tests and callers match on these, never on wording. docs/errors.md lists them, and a test holds
 * the list and this table together.
 */
export const ERROR_CODES = {
  USAGE: EXIT.usage,
  PROFILE_UNKNOWN: EXIT.usage,
  PROFILE_FIELD: EXIT.usage,
  PROFILE_MISMATCH: EXIT.usage,
  SWEEP_FIELD: EXIT.usage,
  FILE_UNREADABLE: EXIT.usage,
  AUDIO_INVALID: EXIT.usage,
  AUDIO_NONE: EXIT.usage,
  DATASET_INVALID: EXIT.usage,
  SELECTION: EXIT.usage,
  URL_INVALID: EXIT.usage,
  OUTPUT_EXISTS: EXIT.usage,
  OUTPUT_UNWRITABLE: EXIT.usage,
  DISK_FULL: EXIT.usage,
  PREFLIGHT: EXIT.usage,
  RESUME_MISMATCH: EXIT.usage,
  RUN_UNREADABLE: EXIT.notMeasured,
  RESULT_UNREADABLE: EXIT.notMeasured,
  SERVER_UNREACHABLE: EXIT.unreachable,
  SERVER_REFUSED: EXIT.unreachable,
  PORT_IN_USE: EXIT.usage,
  MODEL_HASH: EXIT.usage,
  DETECTION: EXIT.notMeasured,
  TRANSCRIPTION: EXIT.notMeasured,
  TREE_INVALID: EXIT.usage,
  NOT_COMPARABLE: EXIT.usage,
} as const satisfies Record<string, ExitCode>

export type ErrorCode = keyof typeof ERROR_CODES

export interface UserErrorDetails {
  readonly code: ErrorCode
  /** What is wrong, with the value seen. One line. */
  readonly message: string
  /** Where: a file and line, a flag, a URL (already redacted). */
  readonly at?: string
  /** What to do about it. */
  readonly fix?: string
  readonly cause?: unknown
}

/** Something the user can put right. The command line prints it without a stack trace and exits with the code's exit code. */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly code: ErrorCode
  readonly at: string | undefined
  readonly fix: string | undefined

  constructor(details: UserErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.at = details.at
    this.fix = details.fix
  }

  get exitCode(): ExitCode {
    return ERROR_CODES[this.code]
  }
}

/** Crash on what cannot happen: a wrong number is worse than none. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

/** The message of any thrown value, on one line. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  return text.replace(/\s*\n\s*/g, ' ').trim()
}
