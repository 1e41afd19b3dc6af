/**
 * One session from the first connection attempt to its recorded end: it carries out the script's effects, sends packets
 * on the schedule, stamps and stores every frame, and ends with a cause whatever happens to the socket. Time, connection
 * and storage are ports, so that all of it runs on a virtual clock.
 *
 * The schedule is fixed before the first send: packet k is due at `start + k * 80 ms`. A late packet goes out at once, and
 * the schedule does not move. Times of sends are taken immediately before the write, times of receipts when the frame is
 * read.
 */
import type { Cancel, Clock, DurationUs, InstantUs } from '../base/clock.js'
import { formatSecondsOfUs, US_PER_S } from '../base/clock.js'
import { isObject, type WireEvent } from '../capture/trace-record.js'
import type { EndCause, ScriptEffect, SessionScript, WirePackets } from '../protocol/script.js'
import type { Connection, Transport } from './transport.js'

/** Why a session ended; `outcome` in its `report.json`. */
export type OutcomeKind = EndCause['kind'] | 'refused' | 'unreachable' | 'timeout' | 'undecodable' | 'not_recorded'

export interface SessionOutcome {
  readonly kind: OutcomeKind
  readonly message: string
  /** HTTP status that refused the upgrade. */
  readonly httpStatus?: number
}

/** Where a session's frames go. Implementations may buffer, but never block. */
export interface SessionSink {
  /** One line of the trace, without its line feed. Returns false when it cannot be stored any more. */
  append(line: string): boolean
  finish(result: SessionResult): void
}

export interface PacketTiming {
  readonly eventId: string
  readonly dueAtUs: InstantUs
  readonly startAtUs: InstantUs
  doneAtUs: InstantUs | undefined
}

export interface SessionResult {
  readonly outcome: SessionOutcome
  readonly startAtUs: InstantUs | undefined
  readonly packets: readonly PacketTiming[]
}

/** What the live view and the self-monitoring want to hear; never waited for. */
export interface SessionObserver {
  opened?(): void
  packetSent?(latenessUs: DurationUs): void
  unitDone?(lagUs: DurationUs): void
}

export interface SessionLimits {
  /** Refused upgrades (HTTP 503) that are tried again, and the time between two attempts. */
  readonly admissionRetries: number
  readonly admissionBackoffUs: DurationUs
  /** From the first attempt to admission, refusals included. */
  readonly admissionTimeoutUs: DurationUs
  /** From the first attempt to the end. */
  readonly sessionTimeoutUs: DurationUs
  /** Listening time after `session.closed`, so that late frames are caught. */
  readonly postCloseUs: DurationUs
}

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
const LEAVE_TIMEOUT_US = 1_000_000
const CLOSE_TIMEOUT_US = 2_000_000

export class SessionRunner {
  readonly #options: SessionRunnerOptions
  readonly #timings: PacketTiming[] = []
  readonly #cancels = new Set<Cancel>()
  #connection: Connection | undefined
  #attempt = 0
  #isConnected = false
  #isStreaming = false
  #isOver = false
  #startAtUs: InstantUs | undefined
  #leaveMessage = ''

  constructor(options: SessionRunnerOptions) {
    this.#options = options
  }

  /** Makes the first connection attempt. */
  begin(): void {
    const { clock, limits, script } = this.#options
    const beganAtUs = clock.nowUs()
    this.#after(limits.admissionTimeoutUs, () => {
      if (!script.isAdmitted) this.#timeOut(limits.admissionTimeoutUs)
    })
    this.#schedule(beganAtUs + limits.sessionTimeoutUs, () => this.#timeOut(limits.sessionTimeoutUs))
    this.#connect()
  }

  /** Leaves in good order: `session.close` where the session is open, then the close of the connection, within a second. */
  leave(message: string): void {
    if (this.#isOver) return
    this.#leaveMessage = message
    if (!this.#isConnected) {
      this.#fail({ kind: 'left', message })
      return
    }
    this.#carryOut(this.#options.script.step({ kind: 'leave' }))
    this.#after(LEAVE_TIMEOUT_US, () => this.#fail({ kind: 'left', message }))
  }

  #connect(): void {
    this.#attempt += 1
    this.#connection = this.#options.transport.connect({
      onOpen: () => {
        this.#isConnected = true
        this.#options.observer.opened?.()
      },
      onText: (text) => this.#onText(text),
      onBinary: (bytes) => this.#onUndecodable(`a binary frame of ${bytes} bytes`),
      onRefused: ({ status, body }) => this.#onRefused(status, body),
      onFailed: (message) => this.#fail({ kind: 'unreachable', message: `the connection failed: ${message}` }),
      onClosed: (code, reason) => {
        if (!this.#isOver) this.#carryOut(this.#options.script.step({ kind: 'closed', code, reason }))
      },
    })
  }

  #onRefused(status: number, body: string): void {
    if (this.#isOver) return
    const { limits, sink } = this.#options
    if (status !== 503) {
      const detail = body.trim() === '' ? '' : `: ${oneLine(body)}`
      this.#fail({
        kind: 'refused',
        message: `the upgrade was refused with HTTP ${status}${detail}`,
        httpStatus: status,
      })
      return
    }
    if (this.#attempt > limits.admissionRetries) {
      const times = `${this.#attempt} time${this.#attempt === 1 ? '' : 's'}`
      this.#fail({ kind: 'denied', message: `admission denied ${times} with HTTP 503`, httpStatus: 503 })
      return
    }
    const denial = { type: 'connection_denied', http_status: 503, attempt: this.#attempt }
    sink.append(this.#line('admission', this.#options.clock.nowUs(), JSON.stringify(denial)))
    this.#after(limits.admissionBackoffUs, () => this.#connect())
  }

  #onText(text: string): void {
    if (this.#isOver) return
    const atUs = this.#options.clock.nowUs()
    let event: unknown
    try {
      event = JSON.parse(text)
    } catch {
      event = undefined
    }
    if (!isObject(event)) {
      this.#onUndecodable(`a frame that is no JSON object: ${oneLine(text.slice(0, 120))}`)
      return
    }
    // A line feed in a JSON text can only stand between tokens, so a blank says the same.
    const raw = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, ' ') : text
    if (!this.#append(this.#line('receive', atUs, raw))) return
    if (event.type === 'sglang.unit.done') this.#observeUnit(atUs, event)
    this.#carryOut(this.#options.script.step({ kind: 'event', event }))
  }

  #onUndecodable(what: string): void {
    this.#fail({ kind: 'undecodable', message: `the server sent ${what}` })
  }

  #carryOut(effects: readonly ScriptEffect[]): void {
    for (const effect of effects) {
      if (this.#isOver) return
      switch (effect.kind) {
        case 'send':
          this.#sendEvent(effect.event)
          break
        case 'start_input':
          this.#options.requestStart((startAtUs) => this.#startInput(startAtUs))
          break
        case 'stop_input':
          this.#isStreaming = false
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
  }

  /** The session itself is over; a server that lingers on the closing handshake cannot hold its slot for ever. */
  #closeConnection(): void {
    const { postCloseUs } = this.#options.limits
    this.#after(postCloseUs, () => this.#connection?.close(NORMAL_CLOSE))
    this.#after(postCloseUs + CLOSE_TIMEOUT_US, () => this.#connection?.terminate())
  }

  #sendEvent(event: WireEvent): void {
    const text = JSON.stringify(event)
    if (!this.#append(this.#line('send', this.#options.clock.nowUs(), text))) return
    this.#connection?.send(text, () => undefined)
  }

  #startInput(startAtUs: InstantUs): void {
    if (this.#isOver) return
    this.#startAtUs = startAtUs
    this.#isStreaming = true
    this.#schedule(startAtUs, () => this.#sendDuePackets())
  }

  /** Sends every packet that is due; a late one goes out at once and the schedule does not move. */
  #sendDuePackets(): void {
    const { clock, packets, packetUs } = this.#options
    const startAtUs = this.#startAtUs ?? 0
    while (this.#isStreaming && !this.#isOver && this.#timings.length < packets.frames.length) {
      const dueAtUs = startAtUs + this.#timings.length * packetUs
      if (clock.nowUs() < dueAtUs) {
        this.#schedule(dueAtUs, () => this.#sendDuePackets())
        return
      }
      this.#sendPacket(this.#timings.length, dueAtUs)
    }
    if (this.#isStreaming && !this.#isOver) this.#scheduleInputEnd(startAtUs)
  }

  #sendPacket(index: number, dueAtUs: InstantUs): void {
    const { clock, packets, observer } = this.#options
    const frame = packets.frames[index]
    const text = packets.texts[index]
    const eventId = packets.eventIds[index]
    if (frame === undefined || text === undefined || eventId === undefined) return
    const startAtUs = clock.nowUs()
    const timing: PacketTiming = { eventId, dueAtUs, startAtUs, doneAtUs: undefined }
    this.#timings.push(timing)
    this.#connection?.send(frame, (error) => {
      if (error === undefined || error === null) timing.doneAtUs = clock.nowUs()
    })
    observer.packetSent?.(startAtUs - dueAtUs)
    // After the write: the stamp is taken, and storing must not delay the packet.
    this.#append(this.#line('send', startAtUs, text))
  }

  /** The end of the input is a point of the schedule too, and never before the last packet has had its time. */
  #scheduleInputEnd(startAtUs: InstantUs): void {
    const { packets, sampleRateHz } = this.#options
    const usOf = (samples: number) => Math.ceil((samples * US_PER_S) / sampleRateHz)
    const fullPackets = Math.max(0, packets.frames.length - 1)
    const inputUs = usOf(fullPackets * packets.samplesPerPacket + packets.lastPacketSamples)
    const lastStartAtUs = this.#timings.at(-1)?.startAtUs ?? startAtUs
    const endAtUs = Math.max(startAtUs + inputUs, lastStartAtUs + usOf(packets.lastPacketSamples))
    this.#schedule(endAtUs, () => {
      if (!this.#isStreaming) return
      this.#isStreaming = false
      this.#carryOut(this.#options.script.step({ kind: 'input_sent' }))
    })
  }

  #observeUnit(atUs: InstantUs, event: WireEvent): void {
    const { unitSamples, packets, observer } = this.#options
    const match = typeof event.unit_id === 'string' ? /^unit_(\d+)$/.exec(event.unit_id) : null
    if (unitSamples === undefined || match === null || observer.unitDone === undefined) return
    const endSample = (Number(match[1]) + 1) * unitSamples
    const timing = this.#timings[Math.ceil(endSample / packets.samplesPerPacket) - 1]
    if (timing !== undefined) observer.unitDone(atUs - (timing.doneAtUs ?? timing.startAtUs))
  }

  #timeOut(limitUs: DurationUs): void {
    this.#fail({
      kind: 'timeout',
      message: `no end within ${limitUs / US_PER_S} s: ${this.#isConnected ? this.#options.script.stateName : 'connecting'}`,
    })
  }

  /** A failure on the client's side: it stands in the trace as an error line and ends the session. */
  #fail(outcome: SessionOutcome): void {
    if (this.#isOver) return
    this.#recordError(outcome)
    this.#finish(outcome)
    this.#connection?.terminate()
  }

  #end(cause: EndCause): void {
    const message = cause.kind === 'left' ? this.#leaveMessage || cause.message : cause.message
    if (cause.isClientError) this.#recordError({ kind: cause.kind, message })
    this.#finish({ kind: cause.kind, message })
  }

  #recordError(outcome: SessionOutcome): void {
    const message = this.#options.redact(`${ERROR_CLASS[outcome.kind]}: ${outcome.message}`)
    this.#options.sink.append(this.#line('error', this.#options.clock.nowUs(), JSON.stringify({ message })))
  }

  #append(line: string): boolean {
    if (this.#options.sink.append(line)) return true
    // The trace cannot be stored any more; what is missing from it could not be judged.
    if (!this.#isOver) {
      this.#finish({ kind: 'not_recorded', message: 'the disk could not keep up with the trace' })
      this.#connection?.terminate()
    }
    return false
  }

  #line(direction: string, atUs: InstantUs, rawEvent: string): string {
    const { redactEvent } = this.#options
    const event = direction === 'receive' && redactEvent !== undefined ? redactEvent(rawEvent) : rawEvent
    return `{"direction":"${direction}","time_s":${formatSecondsOfUs(atUs)},"event":${event}}`
  }

  #finish(outcome: SessionOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isStreaming = false
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
    const result: SessionResult = {
      outcome: { ...outcome, message: this.#options.redact(outcome.message) },
      startAtUs: this.#startAtUs,
      packets: this.#timings,
    }
    this.#options.sink.finish(result)
    this.#options.onEnd(result)
  }

  #after(delayUs: DurationUs, wake: () => void): void {
    this.#schedule(this.#options.clock.nowUs() + delayUs, wake)
  }

  #schedule(dueAtUs: InstantUs, wake: () => void): void {
    const cancel = this.#options.clock.at(dueAtUs, () => {
      this.#cancels.delete(cancel)
      if (!this.#isOver) wake()
    })
    this.#cancels.add(cancel)
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
