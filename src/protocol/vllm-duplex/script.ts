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
import type { WireEvent } from '../../capture/trace-record.js'
import { ClientScript, type Effects } from '../client-script.js'
import { COMPLETED, type EndCause } from '../script.js'
import { sessionClose, sessionUpdate } from './client-events.js'

type State =
  | 'connecting'
  | 'awaiting session.updated'
  | 'streaming'
  | 'draining'
  | 'awaiting session.closed'
  | 'leaving after an error'

const DRAIN = 'drain'

export class VllmDuplexScript extends ClientScript<State> {
  protected override readonly missingFarewell = ' without session.closed'
  readonly #session: Readonly<Record<string, unknown>>
  readonly #drainUs: DurationUs

  /** @param drainUs from the end of the input to `session.close` */
  constructor(session: Readonly<Record<string, unknown>>, drainUs: DurationUs) {
    super('connecting')
    this.#session = session
    this.#drainUs = drainUs
  }

  protected override onOpened(): Effects {
    if (this.state !== 'connecting') return []
    this.state = 'awaiting session.updated'
    return [{ kind: 'send', event: sessionUpdate(this.#session) }]
  }

  protected override onEvent(event: WireEvent): Effects {
    switch (event.type) {
      case 'session.updated':
        return this.state === 'awaiting session.updated' ? this.admit('streaming') : []
      case 'session.closed':
        return this.part(this.state === 'awaiting session.closed' ? COMPLETED : this.closedByServer(event))
      case 'error':
        return this.leave(this.causeOfError(event, 'resource_exhausted'))
      default:
        return []
    }
  }

  protected override onInputSent(): Effects {
    if (this.state !== 'streaming') return []
    this.state = 'draining'
    return [{ kind: 'wait', name: DRAIN, durationUs: this.#drainUs }]
  }

  protected override onWaited(): Effects {
    if (this.state !== 'draining') return []
    this.state = 'awaiting session.closed'
    return [{ kind: 'send', event: sessionClose() }]
  }

  protected override leave(cause: EndCause): Effects {
    switch (this.state) {
      case 'connecting':
      case 'awaiting session.updated':
        return this.part(cause)
      case 'streaming':
      case 'draining':
        this.cause ??= cause
        this.state = 'leaving after an error'
        return [{ kind: 'stop_input' }, { kind: 'send', event: sessionClose() }]
      case 'awaiting session.closed':
        // Close is on its way already: a user who leaves now changes nothing.
        if (cause.kind !== 'left') this.cause ??= cause
        return []
      default:
        return []
    }
  }
}
