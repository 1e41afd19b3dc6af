/** What a fault is to whoever carries it out. docs/loopback.md, "Faults". */
import type { Clock, InstantUs } from '../base/clock.js'
import type { ProtocolName } from '../profile/profile.js'

/** What goes to the client. */
export type Outgoing =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array }
  /** The server begins a closing handshake. */
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }
  /** The connection is dropped without one. */
  | { readonly kind: 'cut' }
  /** From now on nothing is written and nothing is read; the connection stays. */
  | { readonly kind: 'freeze' }

/** One session's fault. Made for that session alone: it remembers what it has seen and done. */
export interface Fault {
  /** @param attempt the session's attempts to connect, from 1 */
  onUpgrade(attempt: number): { readonly delayMs?: number; readonly deny?: true }
  /** The session sends a frame: what goes out instead of it, in order. */
  outgoing(text: string): readonly Outgoing[]
  /** When `due` is to be called, once; undefined while that is unknown, and for a fault that waits for a frame. */
  dueAtUs(): InstantUs | undefined
  due(): readonly Outgoing[]
  /** False where no closing handshake is ever completed, whoever begins it. */
  readonly completesClose: boolean
}

export interface FaultContext {
  readonly clock: Clock
  readonly protocol: ProtocolName
  /** From 1; it stands in the message of an error that is made up. */
  readonly sessionNumber: number
  /** From the first `session.updated` to the moment of the fault. */
  readonly atMs: number
  /** How long a slow handshake takes. */
  readonly delayMs: number
}

export function textOut(frame: string | Readonly<Record<string, unknown>>): Outgoing {
  return { kind: 'text', text: typeof frame === 'string' ? frame : JSON.stringify(frame) }
}
