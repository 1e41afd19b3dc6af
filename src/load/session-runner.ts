/**
 * One session from the first connection attempt to its recorded end: it carries out the script's effects, stamps and stores
 * every frame, and ends with a cause whatever happens to the socket. Time, connection and storage are ports, so that all of
 * it runs on a virtual clock. Packets are `paced-input.ts`'s business.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import { formatSecondsOfUs, US_PER_S } from '../base/clock.js'
import { isObject, type WireEvent } from '../capture/trace-record.js'
import type { EndCause, ScriptEffect, ScriptInput, SessionScript, WirePackets } from '../protocol/script.js'
import { PacedInput } from './paced-input.js'
import type {
  OutcomeKind,
  SessionLimits,
  SessionObserver,
  SessionOutcome,
  SessionResult,
  SessionSink,
} from './session-ports.js'
import type { Connection, Transport } from './transport.js'
import { UnitLagWatch } from './unit-lag-watch.js'

export type { PacketTiming } from './paced-input.js'
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
  readonly redactEvent?: (json: string) => string
}

const NORMAL_CLOSE = 1000
const SERVICE_UNAVAILABLE = 503
/** Within a second of the interrupt everything is over. */
const LEAVE_TIMEOUT_US = 950_000
const CLOSE_TIMEOUT_US = 2_000_000
const EXCERPT_LENGTH = 120

export class SessionRunner {
  readonly #options: SessionRunnerOptions
  readonly #input: PacedInput
  readonly #unitLag: UnitLagWatch | undefined
  readonly #cancels = new Set<Cancel>()
  readonly #waits = new Map<string, Cancel>()
  #connection: Connection | undefined
  #attempt = 0
  #isConnected = false
  #isOver = false
  #leaveMessage = ''

  constructor(options: SessionRunnerOptions) {
    const { clock, packets, sampleRateHz, packetUs, unitSamples, observer } = options
    this.#options = options
    this.#input = new PacedInput({
      clock,
      packets,
      sampleRateHz,
      packetUs,
      send: (frame, onTaken) => this.#connection?.send(frame, onTaken),
      onSent: (timing, text) => {
        observer.packetSent?.(timing.startAtUs - timing.dueAtUs)
        this.#append(line('send', timing.startAtUs, text))
      },
      onEnd: () => this.#step({ kind: 'input_sent' }),
    })
    this.#unitLag = unitSamples === undefined ? undefined : new UnitLagWatch(this.#input.timings, packets, unitSamples)
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
      onText: (text) => this.#onText(text),
      onBinary: (bytes) => this.#onUndecodable(`a binary frame of ${bytes} bytes`),
      onRefused: ({ status, body }) => this.#onRefused(status, body),
      onFailed: (message) => this.#fail({ kind: 'unreachable', message: `the connection failed: ${message}` }),
      onClosed: (code, reason) => this.#step({ kind: 'closed', code, reason }),
    })
  }

  #onRefused(status: number, body: string): void {
    if (this.#isOver) return
    const { limits, redact } = this.#options
    if (!(limits.retryableStatuses ?? [SERVICE_UNAVAILABLE]).includes(status)) {
      const excerpt = oneLine(redact(body)).slice(0, EXCERPT_LENGTH)
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
    this.#append(line('admission', this.#options.clock.nowUs(), JSON.stringify(denial)))
    this.#after(limits.admissionBackoffUs, () => this.#connect())
  }

  #onText(text: string): void {
    if (this.#isOver) return
    const { clock, redact, redactEvent, observer } = this.#options
    const atUs = clock.nowUs()
    const event = parseObject(text)
    if (event === undefined) {
      const excerpt = oneLine(redact(text)).slice(0, EXCERPT_LENGTH)
      this.#onUndecodable(`a frame that is no JSON object: ${excerpt}`)
      return
    }
    // A line feed in a JSON text can only stand between tokens, so a blank says the same.
    const raw = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, ' ') : text
    if (!this.#append(line('receive', atUs, redactEvent === undefined ? raw : redactEvent(raw)))) return
    const lagUs = this.#unitLag?.lagUs(event, atUs)
    if (lagUs !== undefined) observer.unitDone?.(lagUs)
    this.#step({ kind: 'event', event, atUs })
  }

  #onUndecodable(what: string): void {
    this.#fail({ kind: 'undecodable', message: `the server sent ${what}` })
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
        this.#options.requestStart((startAtUs) => this.#input.start(startAtUs))
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
    if (!this.#append(line('send', this.#options.clock.nowUs(), text))) return
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
    const message = this.#options.redact(`${ERROR_CLASS[outcome.kind]}: ${outcome.message}`)
    this.#options.sink.append(line('error', this.#options.clock.nowUs(), JSON.stringify({ message })))
  }

  #append(text: string): boolean {
    if (this.#options.sink.append(text)) return true
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
      packets: this.#input.timings,
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

/** By convention an error line begins with a class name (docs/formats.md, "Trace"). */
const ERROR_CLASS: Record<OutcomeKind, string> = {
  completed: 'Completed',
  denied: 'AdmissionDenied',
  server_error: 'ServerError',
  server_closed: 'ServerClosed',
  disconnected: 'Disconnected',
  left: 'Interrupted',
  refused: 'UpgradeRefused',
  unreachable: 'ConnectionFailed',
  timeout: 'SessionTimeout',
  undecodable: 'UndecodableFrame',
  not_recorded: 'NotRecorded',
}

function line(direction: string, atUs: InstantUs, rawEvent: string): string {
  return `{"direction":"${direction}","time_s":${formatSecondsOfUs(atUs)},"event":${rawEvent}}`
}

function parseObject(text: string): WireEvent | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
