/**
 * A script is what a client does next, given what has happened: a pure state machine per protocol. It reads no clock and
 * opens no socket; the session runner feeds it inputs and carries out its effects. docs/protocols.md, "Flow".
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { WireEvent } from '../capture/trace-record.js'

export type ScriptInput =
  /** The connection is open. */
  | { readonly kind: 'opened' }
  /** A frame of the server, parsed, and when it was read. */
  | { readonly kind: 'event'; readonly event: WireEvent; readonly atUs: InstantUs }
  /** Every packet has been handed over and the end of the input has come. */
  | { readonly kind: 'input_sent' }
  /** A wait that the script asked for is over. */
  | { readonly kind: 'waited'; readonly name: string }
  /** The connection is gone. */
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  /** The user interrupts: leave in good order. */
  | { readonly kind: 'leave' }

export type ScriptEffect =
  /** Send this event, as JSON. */
  | { readonly kind: 'send'; readonly event: WireEvent }
  /** The session is admitted: packets may go out on the schedule. */
  | { readonly kind: 'start_input' }
  | { readonly kind: 'stop_input' }
  /** Feed `waited` back after this time; a wait of the same name takes the place of the earlier one. */
  | { readonly kind: 'wait'; readonly name: string; readonly durationUs: DurationUs }
  /** Close the connection after the time that is left for late frames. */
  | { readonly kind: 'close' }
  /** The session is over; nothing more will happen. */
  | { readonly kind: 'end'; readonly cause: EndCause }

export interface EndCause {
  readonly kind: 'completed' | 'denied' | 'server_error' | 'server_closed' | 'disconnected' | 'left'
  /** For a person; for causes that are the client's to report it becomes the trace's error line. */
  readonly message: string
  /** Whether the end must stand in the trace as a client-side error (docs/protocols.md, "Trace"). */
  readonly isClientError: boolean
}

export const COMPLETED: EndCause = { kind: 'completed', message: 'completed', isClientError: false }

const NORMAL_CLOSE = 1000

const WORD_LENGTH_MAX = 300

/** A value that a server sent where a text belongs, for a message; anything else than a text or number is shown as JSON. */
export function wordOf(value: unknown, fallback: string): string {
  if (value === undefined || value === null) return fallback
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? fallback)
  return text.replace(/\s+/g, ' ').slice(0, WORD_LENGTH_MAX)
}

/** How a connection's end reads in a cause. */
export function describeClose(code: number, reason: string): string {
  return `code ${code}${reason === '' ? '' : `, ${reason}`}`
}

/** A cause with the close of the connection added where that was not the normal one. */
export function withClose(cause: EndCause, code: number, reason: string): EndCause {
  if (code === NORMAL_CLOSE) return cause
  return { ...cause, message: `${cause.message}; the connection closed with ${describeClose(code, reason)}` }
}

export interface SessionScript {
  /** Name of the state, for time-outs and logs: "awaiting session.updated". */
  readonly stateName: string
  /** Whether the server has let the session in. */
  readonly isAdmitted: boolean
  /** Whether an event of this type can change anything here. What is not heard need not be parsed while packets are sent. */
  hears(type: string): boolean
  step(input: ScriptInput): readonly ScriptEffect[]
}

/** The wire form of an input, made once and shared by all sessions that send it. */
export interface WirePackets {
  /** One JSON text frame per packet, UTF-8. */
  readonly frames: readonly Buffer[]
  /** The same frames as text, for the trace. */
  readonly texts: readonly string[]
  readonly eventIds: readonly string[]
  readonly samplesPerPacket: number
  readonly lastPacketSamples: number
}
