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
import type { WireEvent } from '../../capture/trace-record.js'
import { ClientScript, type Effects } from '../client-script.js'
import { COMPLETED, type EndCause } from '../script.js'
import { sessionUpdate } from '../session/client-events.js'

type State =
  | 'awaiting session.created'
  | 'awaiting session.updated'
  | 'streaming'
  | 'in the tail'
  | "awaiting the probe's session.updated"

const TAIL = 'tail'

/** What `onEvent` reacts to. */
const HEARD: ReadonlySet<string> = new Set(['session.created', 'session.updated', 'error'])

export class LegacyScript extends ClientScript<State> {
  readonly #session: Readonly<Record<string, unknown>>
  readonly #tailUs: DurationUs

  /** @param tailUs from the end of the input to the probe */
  constructor(session: Readonly<Record<string, unknown>>, tailUs: DurationUs) {
    super('awaiting session.created')
    this.#session = session
    this.#tailUs = tailUs
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
        if (this.state === 'awaiting session.updated') return this.admit('streaming')
        return this.state === "awaiting the probe's session.updated" ? this.part(COMPLETED) : []
      case 'error':
        return this.part(this.causeOfError(event, 'admission_rejected'))
      default:
        return []
    }
  }

  protected override onInputSent(): Effects {
    if (this.state !== 'streaming') return []
    this.state = 'in the tail'
    return [{ kind: 'wait', name: TAIL, durationUs: this.#tailUs }]
  }

  protected override onWaited(): Effects {
    if (this.state !== 'in the tail') return []
    this.state = "awaiting the probe's session.updated"
    return [{ kind: 'send', event: sessionUpdate({}, 'c_probe') }]
  }

  protected override leave(cause: EndCause): Effects {
    return this.part(cause)
  }
}
