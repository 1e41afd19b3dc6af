/** Carries out a session's fault: it stands between the session and whatever carries its frames, one for each connection. */
import type { Cancel, Clock } from '../base/clock.js'
import type { Fault, Outgoing } from './fault.js'
import type { LoopbackSession } from './session.js'

/** What carries the frames of one connection, with all that a fault may do to it. */
export interface Wire {
  send(text: string): void
  sendBinary(bytes: Uint8Array): void
  /** Begins a closing handshake. */
  close(code: number, reason: string): void
  /** Drops the connection. */
  cut(): void
  /** Reads nothing any more. */
  stopReading(): void
}

type FaultySession = Pick<LoopbackSession, 'receive' | 'receiveBinary' | 'disconnected'>

/** One connection: to the session it is the transport, to the transport the session. */
export class FaultLine {
  readonly #clock: Clock
  readonly #wire: Wire
  readonly #chooseFault: () => Fault | undefined
  #session: FaultySession | undefined
  #fault: Fault | undefined
  #cancelDue: Cancel | undefined
  #state: 'live' | 'frozen' | 'over' = 'live'

  constructor(clock: Clock, wire: Wire, chooseFault: () => Fault | undefined) {
    this.#clock = clock
    this.#wire = wire
    this.#chooseFault = chooseFault
  }

  /** The session has been let in; called once, before it sends anything. */
  admitted(session: FaultySession): void {
    this.#session = session
    this.#fault = this.#chooseFault()
  }

  /** False where the client's close must not be answered. */
  get answersClose(): boolean {
    return this.#state !== 'frozen' && this.#fault?.completesClose !== false
  }

  /** False where the server does not notice that the client has gone. */
  get noticesLoss(): boolean {
    return this.#state !== 'frozen'
  }

  send(text: string): void {
    if (this.#state !== 'live') return
    if (this.#fault === undefined) {
      this.#wire.send(text)
      return
    }
    this.#carryOut(this.#fault.outgoing(text))
    const dueAtUs = this.#fault.dueAtUs()
    if (dueAtUs === undefined || this.#cancelDue !== undefined) return
    this.#cancelDue = this.#clock.at(dueAtUs, () => {
      if (this.#state === 'live') this.#carryOut(this.#fault?.due() ?? [])
    })
  }

  /** The session has ended. */
  close(code: number, reason: string): void {
    // Nobody would ever close a frozen connection otherwise.
    if (this.#state === 'frozen') this.#wire.cut()
    else if (this.#state === 'live' && this.answersClose) this.#wire.close(code, reason)
    this.#end()
  }

  receive(text: string): void {
    if (this.#state === 'live') this.#session?.receive(text)
  }

  receiveBinary(): void {
    if (this.#state === 'live') this.#session?.receiveBinary()
  }

  /** The connection is gone. */
  disconnected(): void {
    this.#end()
    this.#session?.disconnected()
  }

  #carryOut(outgoing: readonly Outgoing[]): void {
    for (const step of outgoing) {
      switch (step.kind) {
        case 'text':
          this.#wire.send(step.text)
          break
        case 'binary':
          this.#wire.sendBinary(step.bytes)
          break
        case 'freeze':
          this.#state = 'frozen'
          this.#wire.stopReading()
          break
        case 'close':
          this.#wire.close(step.code, step.reason)
          this.disconnected()
          break
        case 'cut':
          this.#wire.cut()
          this.disconnected()
          break
        default:
          step satisfies never
      }
    }
  }

  #end(): void {
    this.#state = 'over'
    this.#cancelDue?.()
  }
}
