/** The one way a recognizer fails, and texts of others made fit for one line. Pure. */
import { UserError } from '../../base/errors.js'

/** A sample that got no words, or words without times: nothing can be measured on it. */
export function transcriptionError(failure: {
  /** `SUBSET/ID`. */
  readonly sample: string
  /** Follows "SAMPLE: ": who did what. */
  readonly problem: string
  readonly fix?: string
  readonly cause?: unknown
}): UserError {
  const { sample, problem, fix, cause } = failure
  return new UserError({
    code: 'TRANSCRIPTION',
    message: `${sample}: ${problem}`,
    ...(fix === undefined ? {} : { fix }),
    ...(cause === undefined ? {} : { cause }),
  })
}

const LINE_LENGTH_MAX = 300

/** A body or a log as one short line; its beginning. */
export function shortLine(text: string): string {
  const line = printable(text)
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX - 3)}...` : line
}

/** The same of its end, where a program's last words stand. */
export function shortTail(text: string): string {
  const line = printable(text)
  return line.length > LINE_LENGTH_MAX ? `...${line.slice(3 - LINE_LENGTH_MAX)}` : line
}

/** Without escape codes and control characters, which could garble the terminal. */
function printable(text: string): string {
  return text
    .replace(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
