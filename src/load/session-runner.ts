/**
 * One session from the first connection attempt to its recorded end: it carries out the script's effects, stamps and stores
 * every frame, and ends with a cause whatever happens to the socket. Time, connection and storage are ports, so that all of
 * it runs on a virtual clock. Packets are `paced-input.ts`'s business.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import { US_PER_S } from '../base/clock.js'
import { messageType } from '../capture/message-type.js'
import { isObject, type WireEvent } from '../capture/trace-record.js'
import type { EndCause, ScriptEffect, ScriptInput, SessionScript, WirePackets } from '../protocol/script.js'
import { errorText } from './error-text.js'
import { PacedInput } from './paced-input.js'
import type { SessionLimits, SessionObserver, SessionOutcome, SessionResult, SessionSink } from './session-ports.js'
import type { Connection, Transport } from './transport.js'
import { excerptOf, noJsonObject, undecodable } from './undecodable.js'
import { UnitLagWatch } from './unit-lag-watch.js'

export type * from './session-ports.js'

export interface SessionRunnerOptions {
  readonly clock: Clock
  readonly transport: Transport
  readonly script: SessionScript
  readonly packets: WirePackets
  readonly sampleRateHz: number
  readonly packetUs: DurationUs
  /** Input samples of one unit, for the live view of unit lag; undefined without units. */
  readonly unitSamples: number | undefined
  readonly limits: SessionLimits
  readonly sink: SessionSink
  readonly observer: SessionObserver
  /** Asks for the planned start of the first packet; called once, when the session has been admitted. */
  readonly requestStart: (start: (startAtUs: InstantUs) => void) => void
  readonly onEnd: (result: SessionResult) => void
  /** Takes secrets out of messages. */
  readonly redact: (text: string) => string
  /** Takes secrets out of the JSON text of a received frame; nothing is taken out where it is not given. */
  readonly redactEvent?: ((json: string) => string) | undefined
}

const NORMAL_CLOSE = 1000
const SERVICE_UNAVAILABLE = 503
/** Within a second of the interrupt everything is over. */
const LEAVE_TIMEOUT_US = 950_000
const CLOSE_TIMEOUT_US = 2_000_000

export class SessionRunner {
  readonly #options: SessionRunnerOptions
  readonly #input: PacedInput
  readonly #unitLag: UnitLagWatch | undefined
  readonly #cancels = new Set<Cancel>()
  readonly #waits = new Map<string, Cancel>()
  /** One for all packets: the transport takes them in order. */
  readonly #onTaken = (error?: Error | null) => {
    if (this.#isOver || (error !== undefined && error !== null)) return
    this.#options.sink.packetTaken(this.#options.clock.nowUs())
  }
  #connection: Connection | undefined
  #attempt = 0
  #isConnected = false
  #isOver = false
  #leaveMessage = ''

  constructor(options: SessionRunnerOptions) {
    const { clock, packets, sampleRateHz, packetUs, unitSamples } = options
    this.#options = options
    this.#input = new PacedInput({
      clock,
      packets,
      sampleRateHz,
      packetUs,
      send: (frame) => this.#connection?.send(frame, this.#onTaken),
      onSent: (index, startAtUs, dueAtUs) => this.#onPacketSent(index, startAtUs, dueAtUs),
      onEnd: () => this.#step({ kind: 'input_sent' }),
    })
    this.#unitLag = unitSamples === undefined ? undefined : new UnitLagWatch({ packets, unitSamples, packetUs })
  }

  /** Makes the first connection attempt. */
  begin(): void {
    const { limits, script } = this.#options
    this.#after(limits.admissionTimeoutUs, () => {
      if (!script.isAdmitted) this.#timeOut(limits.admissionTimeoutUs)
    })
    this.#after(limits.sessionTimeoutUs, () => this.#timeOut(limits.sessionTimeoutUs))
    this.#connect()
  }

  /** Leaves in good order: `session.close` where the session is open, then the close of the connection, within a second. */
  leave(message: string): void {
    if (this.#isOver) return
    this.#leaveMessage = message
    this.#input.stop()
    if (!this.#isConnected) {
      this.#fail({ kind: 'left', message })
      return
    }
    this.#step({ kind: 'leave' })
    this.#after(LEAVE_TIMEOUT_US, () => this.#connection?.terminate())
  }

  #connect(): void {
    this.#attempt += 1
    this.#connection = this.#options.transport.connect({
      onOpen: () => {
        this.#isConnected = true
        this.#options.observer.opened?.()
        this.#step({ kind: 'opened' })
      },
      onText: (bytes, from, to) => this.#onText(bytes, from, to),
      onBinary: (bytes) => this.#fail(undecodable(`a binary frame of ${bytes} bytes`)),
      onRefused: ({ status, body }) => this.#onRefused(status, body),
      onFailed: (message) => this.#fail({ kind: 'unreachable', message: `the connection failed: ${message}` }),
      onClosed: (code, reason) => this.#step({ kind: 'closed', code, reason }),
    })
  }

  #onRefused(status: number, body: string): void {
    if (this.#isOver) return
    const { limits, redact } = this.#options
    if (!(limits.retryableStatuses ?? [SERVICE_UNAVAILABLE]).includes(status)) {
      const excerpt = excerptOf(redact(body))
      const detail = excerpt === '' ? '' : `: ${excerpt}`
      this.#fail({
        kind: 'refused',
        message: `the upgrade was refused with HTTP ${status}${detail}`,
        httpStatus: status,
      })
      return
    }
    if (this.#attempt > limits.admissionRetries) {
      const times = `${this.#attempt} time${this.#attempt === 1 ? '' : 's'}`
      this.#fail({ kind: 'denied', message: `admission denied ${times} with HTTP ${status}`, httpStatus: status })
      return
    }
    const denial = { type: 'connection_denied', http_status: status, attempt: this.#attempt }
    this.#holds(this.#options.sink.line('admission', this.#options.clock.nowUs(), JSON.stringify(denial)))
    this.#after(limits.admissionBackoffUs, () => this.#connect())
  }

  #onPacketSent(index: number, startAtUs: InstantUs, dueAtUs: InstantUs): void {
    if (this.#isOver) return
    const { observer, sink } = this.#options
    observer.packetSent?.(startAtUs - dueAtUs)
    this.#holds(sink.packetSent(index, startAtUs))
  }

  /** Most messages under load are stored and no more: what nobody acts on is not parsed here. */
  #onText(bytes: Buffer, from: number, to: number): void {
    if (this.#isOver) return
    const { clock, sink, script, redactEvent } = this.#options
    const atUs = clock.nowUs()
    const type = redactEvent === undefined ? messageType(bytes, from, to) : undefined
    if (type === undefined || script.hears(type)) {
      this.#onHeard(bytes.toString('utf8', from, to), atUs)
      return
    }
    if (!this.#holds(sink.received(atUs, bytes, from, to))) return
    if (this.#unitLag?.isUnitDone(type)) this.#noteUnit(bytes.toString('utf8', from, to), atUs)
  }

  #onHeard(text: string, atUs: InstantUs): void {
    const { redact, redactEvent, sink } = this.#options
    const event = parseObject(text)
    if (event === undefined) {
      this.#fail(noJsonObject(redact(text)))
      return
    }
    const stored = Buffer.from(redactEvent === undefined ? text : redactEvent(text))
    if (!this.#holds(sink.received(atUs, stored, 0, stored.length))) return
    if (typeof event.type === 'string' && this.#unitLag?.isUnitDone(event.type)) this.#noteUnit(text, atUs)
    this.#step({ kind: 'event', event, atUs })
  }

  #noteUnit(message: string, atUs: InstantUs): void {
    const lagUs = this.#unitLag?.lagUs(message, atUs, this.#input.startAtUs)
    if (lagUs !== undefined) this.#options.observer.unitDone?.(lagUs)
  }

  #step(input: ScriptInput): void {
    if (this.#isOver) return
    for (const effect of this.#options.script.step(input)) {
      if (this.#isOver) return
      this.#carryOut(effect)
    }
  }

  #carryOut(effect: ScriptEffect): void {
    switch (effect.kind) {
      case 'send':
        this.#sendEvent(effect.event)
        break
      case 'start_input':
        this.#options.requestStart((startAtUs) => {
          if (this.#input.start(startAtUs)) this.#options.sink.planned(startAtUs)
        })
        break
      case 'stop_input':
        this.#input.stop()
        break
      case 'wait':
        this.#wait(effect.name, effect.durationUs)
        break
      case 'close':
        this.#closeConnection()
        break
      case 'end':
        this.#end(effect.cause)
        break
      default:
        effect satisfies never
    }
  }

  #wait(name: string, durationUs: DurationUs): void {
    this.#waits.get(name)?.()
    const cancel = this.#after(durationUs, () => {
      this.#waits.delete(name)
      this.#step({ kind: 'waited', name })
    })
    this.#waits.set(name, cancel)
  }

  /** The session itself is over; a server that lingers on the closing handshake cannot hold its slot for ever. */
  #closeConnection(): void {
    const { postCloseUs } = this.#options.limits
    this.#after(postCloseUs, () => this.#connection?.close(NORMAL_CLOSE))
    this.#after(postCloseUs + CLOSE_TIMEOUT_US, () => this.#connection?.terminate())
  }

  #sendEvent(event: WireEvent): void {
    const text = JSON.stringify(event)
    if (!this.#holds(this.#options.sink.line('send', this.#options.clock.nowUs(), text))) return
    this.#connection?.send(text, () => undefined)
  }

  #timeOut(limitUs: DurationUs): void {
    const where = this.#isConnected ? this.#options.script.stateName : 'connecting'
    this.#fail({ kind: 'timeout', message: `no end within ${limitUs / US_PER_S} s: ${where}` })
  }

  /** A failure on the client's side: it stands in the trace as an error line and ends the session. */
  #fail(outcome: SessionOutcome): void {
    if (this.#isOver) return
    this.#recordError(outcome)
    this.#finish(outcome)
  }

  #end(cause: EndCause): void {
    const message = cause.kind === 'left' ? this.#leaveMessage || cause.message : cause.message
    if (cause.isClientError) this.#recordError({ kind: cause.kind, message })
    this.#finish({ kind: cause.kind, message })
  }

  #recordError(outcome: SessionOutcome): void {
    const message = this.#options.redact(errorText(outcome))
    this.#options.sink.line('error', this.#options.clock.nowUs(), JSON.stringify({ message }))
  }

  /** @param isStored what the sink said */
  #holds(isStored: boolean): boolean {
    if (isStored) return true
    // The trace cannot be stored any more; what is missing from it could not be judged.
    this.#finish({ kind: 'not_recorded', message: 'the disk could not keep up with the trace' })
    return false
  }

  #finish(outcome: SessionOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#input.stop()
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
    // Before anybody is told: the next session of a pool must not meet this one's slot still taken.
    this.#connection?.terminate()
    const result: SessionResult = {
      outcome: { ...outcome, message: this.#options.redact(outcome.message) },
      startAtUs: this.#input.startAtUs,
    }
    this.#options.sink.finish(result)
    this.#options.onEnd(result)
  }

  #after(delayUs: DurationUs, wake: () => void): Cancel {
    const { clock } = this.#options
    const cancel = clock.at(clock.nowUs() + delayUs, () => {
      this.#cancels.delete(cancel)
      if (!this.#isOver) wake()
    })
    this.#cancels.add(cancel)
    return cancel
  }
}

function parseObject(text: string): WireEvent | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
