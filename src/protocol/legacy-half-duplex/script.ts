/**
 * The client's side of a legacy half-duplex session. There are no receipts: after the input comes a tail, then an empty
 * `session.update` as a liveness probe, whose answer proves that the server has read everything before it.
 *
 * | state \ input        | created  | updated   | error          | input_sent | tail over | socket gone       | leave     |
 * |----------------------|----------|-----------|----------------|------------|-----------|-------------------|-----------|
 * | awaiting created     | update → | -         | close → parting| -          | -         | end: disconnected | → parting |
 * | awaiting updated     | -        | stream →  | close → parting| -          | -         | end: disconnected | → parting |
 * | streaming            | -        | -         | close → parting| wait →     | -         | end: disconnected | → parting |
 * | in the tail          | -        | -         | close → parting| -          | probe →   | end: disconnected | → parting |
 * | awaiting the probe   | -        | → parting | close → parting| -          | -         | end: disconnected | → parting |
 * | parting              | -        | -         | -              | -          | -         | end               | -         |
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
import { sessionUpdate } from '../session/client-events.js'

type State =
  | 'awaiting session.created'
  | 'awaiting session.updated'
  | 'streaming'
  | 'in the tail'
  | "awaiting the probe's session.updated"
  | 'awaiting the close of the connection'

const TAIL = 'tail'

export class LegacyScript implements SessionScript {
  readonly #session: Readonly<Record<string, unknown>>
  readonly #tailUs: DurationUs
  #state: State = 'awaiting session.created'
  #isAdmitted = false
  #cause: EndCause | undefined

  /** @param tailUs from the end of the input to the probe */
  constructor(session: Readonly<Record<string, unknown>>, tailUs: DurationUs) {
    this.#session = session
    this.#tailUs = tailUs
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
        return []
      case 'event':
        return this.#onEvent(input.event)
      case 'input_sent':
        if (this.#state !== 'streaming') return []
        this.#state = 'in the tail'
        return [{ kind: 'wait', name: TAIL, durationUs: this.#tailUs }]
      case 'waited':
        if (this.#state !== 'in the tail') return []
        this.#state = "awaiting the probe's session.updated"
        return [{ kind: 'send', event: sessionUpdate({}, 'c_probe') }]
      case 'closed':
        return [{ kind: 'stop_input' }, { kind: 'end', cause: this.#causeOfClose(input.code, input.reason) }]
      case 'leave':
        return this.#part({ kind: 'left', message: 'interrupted by the user', isClientError: true })
      default:
        return input satisfies never
    }
  }

  #onEvent(event: WireEvent): readonly ScriptEffect[] {
    if (event.type === 'session.created' && this.#state === 'awaiting session.created') {
      this.#state = 'awaiting session.updated'
      return [{ kind: 'send', event: sessionUpdate(this.#session) }]
    }
    if (event.type === 'session.updated' && this.#state === 'awaiting session.updated') {
      this.#state = 'streaming'
      this.#isAdmitted = true
      return [{ kind: 'start_input' }]
    }
    if (event.type === 'session.updated' && this.#state === "awaiting the probe's session.updated") {
      return this.#part(COMPLETED)
    }
    if (event.type === 'error') return this.#part(this.#causeOfError(event))
    return []
  }

  #causeOfError(event: WireEvent): EndCause {
    const error = isObject(event.error) ? event.error : {}
    const isRefusal = error.code === 'admission_rejected' && !this.#isAdmitted
    const text = `${wordOf(error.code, 'error')}: ${wordOf(error.message, 'no message')}`
    return {
      kind: isRefusal ? 'denied' : 'server_error',
      message: isRefusal ? `denied by the server (${text})` : `server error ${text}`,
      isClientError: false,
    }
  }

  #part(cause: EndCause): readonly ScriptEffect[] {
    if (this.#state === 'awaiting the close of the connection') return []
    this.#cause = cause
    this.#state = 'awaiting the close of the connection'
    return [{ kind: 'stop_input' }, { kind: 'close' }]
  }

  #causeOfClose(code: number, reason: string): EndCause {
    if (this.#state === 'awaiting the close of the connection') return withClose(this.#cause ?? COMPLETED, code, reason)
    return {
      kind: 'disconnected',
      message: `the connection ended (${describeClose(code, reason)}) in the state "${this.#state}"`,
      isClientError: true,
    }
  }
}
