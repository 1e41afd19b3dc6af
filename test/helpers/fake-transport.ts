/**
 * A transport without a network, whose far side does exactly what a test says, and a small native server to sit there: it
 * keeps the protocol in every detail until a test tells it not to.
 */
import type { Clock, DurationUs, InstantUs } from '../../src/base/clock.js'
import type { WireEvent } from '../../src/capture/trace-record.js'
import type { Connection, ConnectionHandlers, Transport } from '../../src/load/transport.js'
import { type Deployment, deploymentOf, grantOf } from '../../src/loopback/deployment.js'
import { loopbackOptionsSchema } from '../../src/loopback/options.js'
import type { Profile } from '../../src/profile/profile.js'

export const LATENCY_US = 1_000

export interface SentFrame {
  readonly atUs: InstantUs
  readonly event: WireEvent
}

/** One connection attempt, seen from the far side. Everything it tells the client arrives one latency later, in order. */
export class FakeConnection implements Connection {
  readonly sent: SentFrame[] = []
  /** Called with each frame that the client sends, one latency later. */
  onFrame: (event: WireEvent) => void = () => {}
  /** Called in the middle of a write, before the frame counts as taken. */
  duringSend: () => void = () => {}
  /** Time until the transport has taken a frame; undefined where it never can. */
  takenAfterUs: DurationUs | undefined = 0
  /** The far side never completes a closing handshake. */
  lingers = false
  closeCode: number | undefined
  isTerminated = false
  readonly #clock: Clock
  readonly #handlers: ConnectionHandlers
  #isGone = false

  constructor(clock: Clock, handlers: ConnectionHandlers) {
    this.#clock = clock
    this.#handlers = handlers
  }

  send(frame: Buffer | string, onTaken: (error?: Error) => void): void {
    const event = JSON.parse(String(frame)) as WireEvent
    this.sent.push({ atUs: this.#clock.nowUs(), event })
    this.duringSend()
    if (this.takenAfterUs === undefined) onTaken(new Error('write EPIPE'))
    else if (this.takenAfterUs === 0) onTaken()
    else this.#clock.at(this.#clock.nowUs() + this.takenAfterUs, () => onTaken())
    this.#later(() => this.onFrame(event))
  }

  close(code: number): void {
    this.closeCode = code
    if (!this.lingers) this.closed(code, '')
  }

  terminate(): void {
    this.isTerminated = true
    this.closed(1006, '')
  }

  open(): void {
    this.#later(() => this.#handlers.onOpen())
  }

  /** @param frame an event, or the text of a frame that may be no event at all */
  say(frame: WireEvent | string): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame)
    this.#later(() => {
      const bytes = Buffer.from(text)
      this.#handlers.onText(bytes, 0, bytes.length)
    })
  }

  sayBinary(bytes: number): void {
    this.#later(() => this.#handlers.onBinary(bytes))
  }

  refused(status: number, body = ''): void {
    this.#final(() => this.#handlers.onRefused({ status, body }))
  }

  failed(message: string): void {
    this.#final(() => this.#handlers.onFailed(message))
  }

  closed(code: number, reason: string): void {
    this.#final(() => this.#handlers.onClosed(code, reason))
  }

  sentTypes(): string[] {
    return this.sent.map(({ event }) => String(event.type))
  }

  #later(deliver: () => void): void {
    this.#clock.at(this.#clock.nowUs() + LATENCY_US, () => {
      if (!this.#isGone) deliver()
    })
  }

  #final(deliver: () => void): void {
    this.#later(() => {
      this.#isGone = true
      deliver()
    })
  }
}

export class FakeTransport implements Transport {
  readonly attempts: { readonly atUs: InstantUs; readonly connection: FakeConnection }[] = []
  readonly #clock: Clock
  readonly #answer: (connection: FakeConnection, attempt: number) => void

  /** @param answer what the far side does with a connection attempt; attempts count from 1 */
  constructor(clock: Clock, answer: (connection: FakeConnection, attempt: number) => void) {
    this.#clock = clock
    this.#answer = answer
  }

  connect(handlers: ConnectionHandlers): Connection {
    const connection = new FakeConnection(this.#clock, handlers)
    this.attempts.push({ atUs: this.#clock.nowUs(), connection })
    this.#answer(connection, this.attempts.length)
    return connection
  }

  /** The latest attempt. */
  get connection(): FakeConnection {
    const last = this.attempts.at(-1)
    if (last === undefined) throw new Error('no connection was attempted')
    return last.connection
  }
}

/**
 * A silent native server: grants, acknowledges, finishes each unit 100 ms after its last sample, drains and closes.
 * `instead` replaces its reaction to a type of client event; `connect` stands for the opening of the connection.
 */
export class FakeNativeServer {
  readonly connection: FakeConnection
  readonly #clock: Clock
  readonly #deployment: Deployment
  readonly #instead: Readonly<Record<string, (server: FakeNativeServer, event: WireEvent) => void>>
  #nextEvent = 0
  #samples = 0
  #unitsDone = 0

  constructor(options: {
    connection: FakeConnection
    clock: Clock
    profile: Profile
    instead?: Readonly<Record<string, (server: FakeNativeServer, event: WireEvent) => void>>
  }) {
    this.connection = options.connection
    this.#clock = options.clock
    this.#deployment = deploymentOf(options.profile, loopbackOptionsSchema.parse({}))
    this.#instead = options.instead ?? {}
    this.connection.onFrame = (event) => this.#receive(event)
    this.#receive({ type: 'connect' })
  }

  /** What a server that keeps the protocol does. */
  react(event: WireEvent): void {
    const clientEventId = event.event_id
    switch (event.type) {
      case 'connect':
        this.connection.open()
        this.say('session.created', { session: { id: 'sess_1' } })
        break
      case 'session.update':
        this.say('session.updated', {
          client_event_id: clientEventId,
          session: { id: 'sess_1', sglang: { granted: grantOf(this.#deployment, ['audio'], []) } },
        })
        break
      case 'input_audio_buffer.append':
        this.#samples += Buffer.from(String(event.audio), 'base64').length / 2
        this.say('sglang.input_audio.accepted', {
          client_event_id: clientEventId,
          seq: (event.sglang as { seq: number }).seq,
          accepted_end_ms: this.#ms,
        })
        while ((this.#unitsDone + 1) * this.#deployment.unitSamples <= this.#samples) {
          this.#finishUnit(this.#deployment.unitMs)
        }
        break
      case 'sglang.input_audio.end':
        this.say('sglang.input_audio.ended', {
          client_event_id: clientEventId,
          accepted_end_ms: this.#ms,
          tail_policy: 'pad',
        })
        this.#drain(clientEventId)
        break
      case 'session.close':
        this.say('session.closed', { client_event_id: clientEventId, reason: 'client_closed' })
        if (!this.connection.lingers) this.connection.closed(1000, 'client_closed')
        break
      default:
    }
  }

  say(type: string, fields: Record<string, unknown> = {}): void {
    this.connection.say({ type, event_id: `evt_${this.#nextEvent++}`, ...fields })
  }

  sayError(code: string, { fatal }: { fatal: boolean }): void {
    const type = fatal ? 'server_error' : 'invalid_request_error'
    this.say('error', {
      sglang: { fatal },
      error: { type, code, message: 'as the test asked', event_id: null, param: null },
    })
  }

  get #ms(): number {
    return (this.#samples * 1000) / this.#deployment.inputRateHz
  }

  #receive(event: WireEvent): void {
    const instead = this.#instead[String(event.type)]
    if (instead === undefined) this.react(event)
    else instead(this, event)
  }

  #finishUnit(durationMs: number): void {
    const unit = this.#unitsDone++
    this.#clock.at(this.#clock.nowUs() + 100_000, () =>
      this.say('sglang.unit.done', {
        unit_id: `unit_${unit}`,
        sglang: { media_time: { t_start_ms: unit * this.#deployment.unitMs, duration_ms: durationMs } },
      }),
    )
  }

  #drain(clientEventId: unknown): void {
    const { unitMs, unitSamples } = this.#deployment
    const restMs = this.#ms - this.#unitsDone * unitMs
    if (restMs > 0) this.#finishUnit(restMs)
    const paddingMs = Math.ceil(this.#samples / unitSamples) * unitMs - this.#ms
    this.#clock.at(this.#clock.nowUs() + 100_000, () =>
      this.say('sglang.input_audio.drained', {
        client_event_id: clientEventId,
        accepted_end_ms: this.#ms,
        consumed_ms: this.#ms,
        discarded_ms: 0,
        padding_ms: paddingMs,
      }),
    )
  }
}
