/**
 * The seam between the server and its protocols: what a session is to whatever carries its frames, and everything that a
 * session is given. A protocol is a function from the one to the other (`session-registry.ts`).
 */
import type { Clock } from '../base/clock.js'
import type { Profile } from '../profile/profile.js'
import type { Accelerator } from './accelerator.js'
import type { Reply } from './conversation.js'
import type { ListenerFactory } from './hearing.js'
import type { LoopbackOptions } from './options.js'

/** One connection on the server's side: text in, text out through its transport, time from its clock. */
export interface LoopbackSession {
  /** The socket is open. */
  open(): void
  receive(text: string): void
  receiveBinary(): void
  /** The transport is gone. Nothing can be sent any more. May be called at any time, and more than once. */
  disconnected(): void
  /** The server goes down: an orderly end that the client did not ask for. */
  shutDown(): void
}

/** What a session needs of whatever carries its frames. */
export interface SessionTransport {
  send(text: string): void
  close(code: number, reason: string): void
}

export interface LoopbackSessionParts {
  /** `sess_1`, `sess_2`, … in order of connecting. */
  readonly id: string
  readonly profile: Profile
  readonly options: LoopbackOptions
  readonly clock: Clock
  readonly accelerator: Accelerator
  readonly transport: SessionTransport
  readonly listeners: ListenerFactory
  readonly replies: readonly Reply[]
  /** Order in which this session gives the replies, as indices; starts over at its end. Drawn from the seed. */
  readonly replyOrder: readonly number[]
  /** Sessions that are open now, beside this one. */
  othersOpen(): number
  /** Asks once for the model's memory; false means that there is none. */
  admit(): boolean
  /** The URL's query, without the question mark. */
  readonly query: string
  /** The server is full, and the session must say so itself; only for protocols that refuse on an open socket. */
  readonly isOverCapacity: boolean
  /** Called once, when the session has let go of everything. */
  onEnd(): void
}

/** The reply that a session gives as its `repliesGiven`-th; undefined where there is none to give. */
export function replyAt(
  { replies, replyOrder }: Pick<LoopbackSessionParts, 'replies' | 'replyOrder'>,
  repliesGiven: number,
): Reply | undefined {
  return replies[replyOrder[repliesGiven % Math.max(1, replyOrder.length)] ?? 0]
}
