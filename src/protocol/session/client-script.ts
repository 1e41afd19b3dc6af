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
import { ClientScript, type Effects, PARTING } from '../client-script.js'
import { COMPLETED, type EndCause } from '../script.js'
import { inputEnd, sessionClose, sessionUpdate } from './client-events.js'

type State =
  | 'awaiting session.created'
  | 'awaiting session.updated'
  | 'streaming'
  | 'awaiting sglang.input_audio.drained'
  | 'awaiting session.closed'
  | 'leaving after an error'
  | 'failing after a fatal error'

/** What `onEvent` reacts to. */
const HEARD: ReadonlySet<string> = new Set([
  'session.created',
  'session.updated',
  'sglang.input_audio.drained',
  'session.closed',
  'error',
])

export class SessionProtocolScript extends ClientScript<State> {
  protected override readonly missingFarewell = ' without session.closed'
  readonly #session: Readonly<Record<string, unknown>>

  /** @param session the `session` object of the first update */
  constructor(session: Readonly<Record<string, unknown>>) {
    super('awaiting session.created')
    this.#session = session
  }

  override hears(type: string): boolean {
    return HEARD.has(type)
  }

  protected override onEvent(event: WireEvent): Effects {
    switch (event.type) {
      case 'session.created':
        if (this.state !== 'awaiting session.created') return []
        this.state = 'awaiting session.updated'
        return [{ kind: 'send', event: sessionUpdate(this.#session) }]
      case 'session.updated':
        return this.state === 'awaiting session.updated' ? this.admit('streaming') : []
      case 'sglang.input_audio.drained':
        if (this.state !== 'awaiting sglang.input_audio.drained') return []
        this.state = 'awaiting session.closed'
        return [{ kind: 'send', event: sessionClose() }]
      case 'session.closed':
        return this.part(this.state === 'awaiting session.closed' ? COMPLETED : this.closedByServer(event))
      case 'error':
        return this.#onError(event)
      default:
        return []
    }
  }

  protected override onInputSent(): Effects {
    if (this.state !== 'streaming') return []
    this.state = 'awaiting sglang.input_audio.drained'
    return [{ kind: 'send', event: inputEnd() }]
  }

  #onError(event: WireEvent): Effects {
    const cause = this.causeOfError(event, 'admission_rejected')
    const isFatal = isObject(event.sglang) && event.sglang.fatal === true
    if (!isFatal) return this.leave(cause)
    if (this.state === PARTING) return []
    this.cause ??= cause
    this.state = 'failing after a fatal error'
    return [{ kind: 'stop_input' }]
  }

  protected override leave(cause: EndCause): Effects {
    switch (this.state) {
      case 'awaiting session.created':
        return this.part(cause)
      case 'awaiting session.updated':
      case 'streaming':
      case 'awaiting sglang.input_audio.drained':
        this.cause ??= cause
        this.state = 'leaving after an error'
        return [{ kind: 'stop_input' }, { kind: 'send', event: sessionClose() }]
      case 'awaiting session.closed':
        // Close is on its way already: the verdict sees an error, and a user who leaves now changes nothing.
        if (cause.kind !== 'left') this.cause ??= cause
        return []
      default:
        return []
    }
  }
}
