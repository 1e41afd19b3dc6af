/**
 * The client's side of the session protocol, native and turn-based servers alike, as data.
 *
 * | state \ input      | created  | updated      | drained     | closed (event) | error        | fatal error | input_sent | socket gone       | leave        |
 * |--------------------|----------|--------------|-------------|----------------|--------------|-------------|------------|-------------------|--------------|
 * | awaiting created   | update → | -            | -           | → parting      | → parting       | → failing | -          | end: disconnected | → parting    |
 * | awaiting updated   | -        | stream →     | -           | → parting      | close → leaving | → failing | -          | end: disconnected | close → leaving |
 * | streaming          | -        | -            | -           | → parting      | close → leaving | → failing | end →      | end: disconnected | close → leaving |
 * | draining           | -        | -            | close →     | → parting      | close → leaving | → failing | -          | end: disconnected | close → leaving |
 * | closing            | -        | -            | -           | → parting      | -            | → failing   | -          | end: disconnected | -            |
 * | leaving            | -        | -            | -           | → parting      | -            | → failing   | -          | end: the error    | -            |
 * | failing (fatal)    | -        | -            | -           | → parting      | -            | -           | -          | end: the error    | -            |
 * | parting            | -        | -            | -           | -              | -            | -           | -          | end               | -            |
 *
 * `-` means: recorded, judged later by the verdict, no reaction. Out of order frames never stop a session by themselves.
 * After a fatal error nothing is sent, not even `session.close`: it would be a command after the fact.
 */
import { isObject, type WireEvent } from '../../capture/trace-record.js'
import {
  COMPLETED,
  describeClose,
  type EndCause,
  type ScriptEffect,
  type ScriptInput,
  type SessionScript,
  withClose,
  wordOf,
} from '../script.js'
import { inputEnd, sessionClose, sessionUpdate } from './client-events.js'

type State =
  | 'awaiting session.created'
  | 'awaiting session.updated'
  | 'streaming'
  | 'awaiting sglang.input_audio.drained'
  | 'awaiting session.closed'
  | 'leaving after an error'
  | 'failing after a fatal error'
  | 'awaiting the close of the connection'

export class SessionProtocolScript implements SessionScript {
  readonly #session: Readonly<Record<string, unknown>>
  #state: State = 'awaiting session.created'
  #isAdmitted = false
  /** What will have ended the session once the connection is gone. */
  #cause: EndCause | undefined

  /** @param session the `session` object of the first update */
  constructor(session: Readonly<Record<string, unknown>>) {
    this.#session = session
  }

  get stateName(): string {
    return this.#state
  }

  get isAdmitted(): boolean {
    return this.#isAdmitted
  }

  step(input: ScriptInput): readonly ScriptEffect[] {
    switch (input.kind) {
      case 'event':
        return this.#onEvent(input.event)
      case 'input_sent':
        if (this.#state !== 'streaming') return []
        this.#state = 'awaiting sglang.input_audio.drained'
        return [{ kind: 'send', event: inputEnd() }]
      case 'closed':
        return [{ kind: 'stop_input' }, { kind: 'end', cause: this.#causeOfClose(input.code, input.reason) }]
      case 'opened':
      case 'waited':
        return []
      case 'leave':
        return this.#leave({ kind: 'left', message: 'interrupted by the user', isClientError: true })
      default:
        return input satisfies never
    }
  }

  #onEvent(event: WireEvent): readonly ScriptEffect[] {
    switch (event.type) {
      case 'session.created':
        if (this.#state !== 'awaiting session.created') return []
        this.#state = 'awaiting session.updated'
        return [{ kind: 'send', event: sessionUpdate(this.#session) }]
      case 'session.updated':
        if (this.#state !== 'awaiting session.updated') return []
        this.#state = 'streaming'
        this.#isAdmitted = true
        return [{ kind: 'start_input' }]
      case 'sglang.input_audio.drained':
        if (this.#state !== 'awaiting sglang.input_audio.drained') return []
        this.#state = 'awaiting session.closed'
        return [{ kind: 'send', event: sessionClose() }]
      case 'session.closed':
        return this.#onSessionClosed(event)
      case 'error':
        return this.#onError(event)
      default:
        return []
    }
  }

  #onSessionClosed(event: WireEvent): readonly ScriptEffect[] {
    if (this.#state === 'awaiting the close of the connection') return []
    if (this.#state === 'awaiting session.closed') this.#cause ??= COMPLETED
    this.#cause ??= {
      kind: 'server_closed',
      message: `the server closed the session (${wordOf(event.reason, 'no reason')}) in the state "${this.#state}"`,
      isClientError: false,
    }
    this.#state = 'awaiting the close of the connection'
    return [{ kind: 'stop_input' }, { kind: 'close' }]
  }

  #onError(event: WireEvent): readonly ScriptEffect[] {
    const error = isObject(event.error) ? event.error : {}
    const isFatal = isObject(event.sglang) && event.sglang.fatal === true
    const isRefusal = error.code === 'admission_rejected' && !this.#isAdmitted
    const text = `${wordOf(error.code, 'error')}: ${wordOf(error.message, 'no message')}`
    const cause: EndCause = {
      kind: isRefusal ? 'denied' : 'server_error',
      message: isRefusal ? `denied by the server (${text})` : `${isFatal ? 'fatal ' : ''}server error ${text}`,
      isClientError: false,
    }
    if (isFatal) {
      if (this.#state === 'awaiting the close of the connection') return []
      this.#cause ??= cause
      this.#state = 'failing after a fatal error'
      return [{ kind: 'stop_input' }]
    }
    return this.#leave(cause)
  }

  #leave(cause: EndCause): readonly ScriptEffect[] {
    switch (this.#state) {
      case 'awaiting session.created':
        this.#cause ??= cause
        this.#state = 'awaiting the close of the connection'
        return [{ kind: 'stop_input' }, { kind: 'close' }]
      case 'awaiting session.updated':
      case 'streaming':
      case 'awaiting sglang.input_audio.drained':
        this.#cause ??= cause
        this.#state = 'leaving after an error'
        return [{ kind: 'stop_input' }, { kind: 'send', event: sessionClose() }]
      case 'awaiting session.closed':
        // Close is on its way already: the verdict sees an error, and a user who leaves now changes nothing.
        if (cause.kind !== 'left') this.#cause ??= cause
        return []
      default:
        return []
    }
  }

  #causeOfClose(code: number, reason: string): EndCause {
    // A cut before session.closed is a client-side error of its own, whatever came before it.
    if (this.#state !== 'awaiting the close of the connection') {
      const after = this.#cause === undefined ? '' : ` after ${this.#cause.message}`
      return {
        kind: this.#cause?.kind ?? 'disconnected',
        message: `the connection ended (${describeClose(code, reason)}) without session.closed in the state "${this.#state}"${after}`,
        isClientError: true,
      }
    }
    return withClose(this.#cause ?? COMPLETED, code, reason)
  }
}
