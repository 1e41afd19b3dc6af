/**
 * What the scripts of all protocols share: a state with a name, admission, the cause that a session will have ended with,
 * and how the end of the connection reads. A protocol adds its states and its reactions.
 */
import type { InstantUs } from '../base/clock.js'
import { isObject, type WireEvent } from '../capture/trace-record.js'
import {
  COMPLETED,
  describeClose,
  type EndCause,
  type ScriptEffect,
  type ScriptInput,
  type SessionScript,
  withClose,
  wordOf,
} from './script.js'

/** The last state of every script: the session is over, the connection is being closed. */
export const PARTING = 'awaiting the close of the connection'

const LEFT: EndCause = { kind: 'left', message: 'interrupted by the user', isClientError: true }

export type Effects = readonly ScriptEffect[]

export abstract class ClientScript<State extends string> implements SessionScript {
  protected state: State | typeof PARTING
  /** What will have ended the session once the connection is gone; the first cause stands. */
  protected cause: EndCause | undefined
  /** What a connection that is cut lacks, in words; empty where the protocol has no farewell event. */
  protected readonly missingFarewell: string = ''
  #isAdmitted = false

  protected constructor(initial: State) {
    this.state = initial
  }

  get stateName(): string {
    return this.state
  }

  get isAdmitted(): boolean {
    return this.#isAdmitted
  }

  /** Everything, unless a protocol knows better. */
  hears(_type: string): boolean {
    return true
  }

  step(input: ScriptInput): Effects {
    switch (input.kind) {
      case 'opened':
        return this.onOpened()
      case 'event':
        return this.onEvent(input.event, input.atUs)
      case 'input_sent':
        return this.onInputSent()
      case 'waited':
        return this.onWaited()
      case 'closed':
        return [{ kind: 'stop_input' }, { kind: 'end', cause: this.causeOfClose(input.code, input.reason) }]
      case 'leave':
        return this.leave(LEFT)
      default:
        return input satisfies never
    }
  }

  protected onOpened(): Effects {
    return []
  }

  protected abstract onEvent(event: WireEvent, atUs: InstantUs): Effects

  protected abstract onInputSent(): Effects

  protected onWaited(): Effects {
    return []
  }

  /** An error or the user asks for an end: in good order, where the protocol has one. */
  protected abstract leave(cause: EndCause): Effects

  /** The server has let the session in. */
  protected admit(next: State): Effects {
    this.state = next
    this.#isAdmitted = true
    return [{ kind: 'start_input' }]
  }

  /** Nothing more to say: close the connection. */
  protected part(cause?: EndCause): Effects {
    if (this.state === PARTING) return []
    this.cause ??= cause
    this.state = PARTING
    return [{ kind: 'stop_input' }, { kind: 'close' }]
  }

  /** The server ended the session itself, before the client had asked for it. */
  protected closedByServer(event: WireEvent): EndCause {
    const reason = wordOf(event.reason, 'no reason')
    return {
      kind: 'server_closed',
      message: `the server closed the session (${reason}) in the state "${this.state}"`,
      isClientError: false,
    }
  }

  /** What an `error` event means: a refusal, where its code says so and the session is not in yet, or a server error. */
  protected causeOfError(event: WireEvent, refusalCode?: string): EndCause {
    // Before a handshake an error may be flat: its text and code stand beside the type.
    const error = isObject(event.error) ? event.error : event
    const text = `${wordOf(error.code ?? error.type, 'error')}: ${wordOf(error.message ?? error.error, 'no message')}`
    if (refusalCode !== undefined && error.code === refusalCode && !this.isAdmitted) {
      return { kind: 'denied', message: `denied by the server (${text})`, isClientError: false }
    }
    const fatal = isObject(event.sglang) && event.sglang.fatal === true ? 'fatal ' : ''
    return { kind: 'server_error', message: `${fatal}server error ${text}`, isClientError: false }
  }

  /** A connection that ends before the session is over is a client-side error of its own, whatever came before it. */
  protected causeOfClose(code: number, reason: string): EndCause {
    if (this.state === PARTING) return withClose(this.cause ?? COMPLETED, code, reason)
    const after = this.cause === undefined ? '' : ` after ${this.cause.message}`
    return {
      kind: this.cause?.kind ?? 'disconnected',
      message: `the connection ended (${describeClose(code, reason)})${this.missingFarewell} in the state "${this.state}"${after}`,
      isClientError: true,
    }
  }
}
