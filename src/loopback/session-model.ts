/** The line between the session protocol and the model behind it. */
import type { Deployment } from './deployment.js'
import type { EventSender } from './event-sender.js'
import type { CutUnit, InputBuffer } from './input-buffer.js'
import type { Refusal } from './refusal.js'
import type { ResponseEnd } from './response-writer.js'
import type { LoopbackSessionParts } from './session.js'
import type { SessionConfig } from './session-update.js'

/** What the session asks of its model. Nothing but `stop` and `endResponse` is asked for before `configure`. */
export interface SessionModel {
  /** The client's configuration, granted: for the first time, or changed. @returns what makes the session fail */
  configure(config: SessionConfig): string | undefined
  /** Audio as it came, before its units are cut. */
  hear(pcm: Int16Array): void
  takeUnit(unit: CutUnit): void
  /** @returns the unit that the image belongs to */
  takeImage(image: string, tMs: number): number | Refusal
  /** The client ends an utterance. @param problemOfInput why there can be no input now */
  commit(problemOfInput: () => Refusal | undefined): Refusal | undefined
  cancelResponse(): Refusal | undefined
  truncate(cut: { readonly itemId: string; readonly audioEndMs: number }): Refusal | undefined
  /** All units have been taken. */
  inputEnded(): void
  /** Everything that was taken has been dealt with. */
  readonly isIdle: boolean
  /** The input is about to be reported as drained. */
  beforeDrained(): void
  /** Ends the response in progress, if there is one. */
  endResponse(end: ResponseEnd): void
  /** Forgets everything in progress; the model says nothing any more. May be called more than once. */
  stop(): void
}

/** What the model has of its session. */
export interface SessionHost {
  readonly parts: LoopbackSessionParts
  readonly deployment: Deployment
  readonly events: EventSender
  readonly input: InputBuffer
  readonly hasInputEnded: boolean
  /** A unit's receipt has been sent. */
  unitDone(): void
  /** Something may have become idle. */
  drainIfDone(): void
  /** Ends the session with a fatal error. */
  fail(code: string, message: string): void
}

export const OUT_OF_MEMORY_MESSAGE = 'the accelerator is out of memory'
