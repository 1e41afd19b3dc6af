/** What the finder and its detection threads say to each other. One job at a time for each thread, one answer for each job. */
import { type ErrorCode, messageOf, UserError } from '../../base/errors.js'
import type { SpeechSegment } from '../../speech/speech-segments.js'

/** Handed to a thread when it starts. */
export interface ThreadData {
  readonly modelPath: string | undefined
  /** Of the RuntimeGate by which the thread is ended. */
  readonly gateMemory: SharedArrayBuffer
}

/** Windows to find speech in; their memory goes over to the thread. */
export interface ThreadJob {
  readonly windows: readonly Int16Array[]
}

export type ThreadAnswer =
  | { readonly kind: 'segments'; readonly segments: SpeechSegment[][] }
  | { readonly kind: 'failed'; readonly problem: ThreadProblem }

/** An error as a plain object: the class of an error does not survive the way between threads. */
export interface ThreadProblem {
  readonly message: string
  /** None: not the user's to put right. */
  readonly code: ErrorCode | undefined
  readonly at: string | undefined
  readonly fix: string | undefined
}

export function threadProblem(thrown: unknown): ThreadProblem {
  const message = messageOf(thrown)
  if (!(thrown instanceof UserError)) return { message, code: undefined, at: undefined, fix: undefined }
  return { message, code: thrown.code, at: thrown.at, fix: thrown.fix }
}

/** The error again. */
export function errorOfProblem({ message, code, at, fix }: ThreadProblem): Error {
  if (code === undefined) return new Error(`speech detection failed: ${message}`)
  return new UserError({ code, message, ...(at === undefined ? {} : { at }), ...(fix === undefined ? {} : { fix }) })
}
