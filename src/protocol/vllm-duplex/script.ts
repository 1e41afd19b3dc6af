/**
 * The client's side of a vLLM-Omni duplex session. The client speaks first, refusal comes in-band, and there is no drain
 * receipt: after the input the client waits a fixed time, then closes the session.
 *
 * | state \ input      | opened   | created → updated | refused in-band | error           | input_sent | drain over | session.closed | socket gone       |
 * |--------------------|----------|-------------------|-----------------|-----------------|------------|------------|----------------|-------------------|
 * | connecting         | update → | -                 | → parting       | → parting       | -          | -          | → parting      | end: disconnected |
 * | awaiting updated   | -        | stream →          | → parting       | → parting       | -          | -          | → parting      | end: disconnected |
 * | streaming          | -        | -                 | -               | close → leaving | wait →     | -          | → parting      | end: disconnected |
 * | draining           | -        | -                 | -               | close → leaving | -          | close →    | → parting      | end: disconnected |
 * | awaiting closed    | -        | -                 | -               | -               | -          | -          | → parting      | end: disconnected |
 * | leaving            | -        | -                 | -               | -               | -          | -          | → parting      | end: the error    |
 * | parting            | -        | -                 | -               | -               | -          | -          | -              | end               |
 *
 * A user who leaves is treated as an error is, but changes nothing any more once `session.close` is on its way.
 */
import type { DurationUs } from '../../base/clock.js'
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
import { sessionClose, sessionUpdate } from './client-events.js'

type State =
  | 'connecting'
  | 'awaiting session.updated'
  | 'streaming'
  | 'draining'
  | 'awaiting session.closed'
  | 'leaving after an error'
  | 'awaiting the close of the connection'

const DRAIN = 'drain'

export class VllmDuplexScript implements SessionScript {
  readonly #session: Readonly<Record<string, unknown>>
  readonly #drainUs: DurationUs
  #state: State = 'connecting'
  #isAdmitted = false
  #cause: EndCause | undefined

  constructor(session: Readonly<Record<string, unknown>>, drainUs: DurationUs) {
    this.#session = session
    this.#drainUs = drainUs
  }

  get stateName(): string {
    return this.#state
  }

  get isAdmitted(): boolean {
    return this.#isAdmitted
  }

  step(input: ScriptInput): readonly ScriptEffect[] {
    switch (input.kind) {
      case 'opened':
        if (this.#state !== 'connecting') return []
        this.#state = 'awaiting session.updated'
        return [{ kind: 'send', event: sessionUpdate(this.#session) }]
      case 'event':
        return this.#onEvent(input.event)
      case 'input_sent':
        if (this.#state !== 'streaming') return []
        this.#state = 'draining'
        return [{ kind: 'wait', name: DRAIN, durationUs: this.#drainUs }]
      case 'waited':
        if (this.#state !== 'draining') return []
        this.#state = 'awaiting session.closed'
        return [{ kind: 'send', event: sessionClose() }]
      case 'closed':
        return [{ kind: 'stop_input' }, { kind: 'end', cause: this.#causeOfClose(input.code, input.reason) }]
      case 'leave':
        return this.#leave({ kind: 'left', message: 'interrupted by the user', isClientError: true })
      default:
        return input satisfies never
    }
  }

  #onEvent(event: WireEvent): readonly ScriptEffect[] {
    switch (event.type) {
      case 'session.updated':
        if (this.#state !== 'awaiting session.updated') return []
        this.#state = 'streaming'
        this.#isAdmitted = true
        return [{ kind: 'start_input' }]
      case 'session.closed':
        if (this.#state === 'awaiting session.closed') this.#cause ??= COMPLETED
        this.#cause ??= {
          kind: 'server_closed',
          message: `the server closed the session (${wordOf(event.reason, 'no reason')}) in the state "${this.#state}"`,
          isClientError: false,
        }
        return this.#part()
      case 'error':
        return this.#onError(event)
      default:
        return []
    }
  }

  #onError(event: WireEvent): readonly ScriptEffect[] {
    // Before the handshake an error may be flat: its text and code stand beside the type.
    const error = isObject(event.error) ? event.error : event
    const text = `${wordOf(error.code, 'error')}: ${wordOf(error.message ?? error.error, 'no message')}`
    if (error.code === 'resource_exhausted' && !this.#isAdmitted) {
      this.#cause ??= { kind: 'denied', message: `denied by the server (${text})`, isClientError: false }
      return this.#part()
    }
    return this.#leave({ kind: 'server_error', message: `server error ${text}`, isClientError: false })
  }

  #leave(cause: EndCause): readonly ScriptEffect[] {
    switch (this.#state) {
      case 'connecting':
      case 'awaiting session.updated':
        this.#cause ??= cause
        return this.#part()
      case 'streaming':
      case 'draining':
        this.#cause ??= cause
        this.#state = 'leaving after an error'
        return [{ kind: 'stop_input' }, { kind: 'send', event: sessionClose() }]
      case 'awaiting session.closed':
        // Close is on its way already: a user who leaves now changes nothing.
        if (cause.kind !== 'left') this.#cause ??= cause
        return []
      default:
        return []
    }
  }

  #part(): readonly ScriptEffect[] {
    if (this.#state === 'awaiting the close of the connection') return []
    this.#state = 'awaiting the close of the connection'
    return [{ kind: 'stop_input' }, { kind: 'close' }]
  }

  #causeOfClose(code: number, reason: string): EndCause {
    if (this.#state === 'awaiting the close of the connection') return withClose(this.#cause ?? COMPLETED, code, reason)
    const after = this.#cause === undefined ? '' : ` after ${this.#cause.message}`
    return {
      kind: this.#cause?.kind ?? 'disconnected',
      message: `the connection ended (${describeClose(code, reason)}) without session.closed in the state "${this.#state}"${after}`,
      isClientError: true,
    }
  }
}
