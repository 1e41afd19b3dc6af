/**
 * Which sessions have the fault. One for each server; it stands in front of the server's admission, and hands out the line
 * that carries a session's fault out.
 *
 * Sessions are numbered from 1 in the order in which they are let in, and every `faultEvery`-th has the fault. A session
 * that is to be refused is never let in before that: the faults of the handshake number sessions in the order in which they
 * first knock.
 *
 * An upgrade request does not say whose it is. One that comes 245 ms or more after the refusal that has waited longest is
 * taken for the next attempt of that session, because clients try again 250 ms after a refusal, in the order in which they
 * were refused. A session that is to be refused for good has as many attempts as the field's client makes.
 */
import type { Clock, InstantUs } from '../base/clock.js'
import { US_PER_MS } from '../base/clock.js'
import { UserError } from '../base/errors.js'
import type { ProtocolName } from '../profile/profile.js'
import type { Fault } from './fault.js'
import { denialFrame } from './fault-events.js'
import { FaultLine, type Wire } from './fault-line.js'
import { createFault, FAULTS, type FaultName, faultApplies, HANDSHAKE_FAULTS } from './faults.js'

export interface FaultSettings {
  readonly fault: FaultName | null
  readonly faultEvery: number
  readonly faultAtMs: number
  readonly faultMs: number
}

export const NO_FAULTS: FaultSettings = { fault: null, faultEvery: 1, faultAtMs: 0, faultMs: 0 }

/** The answer to a request for an upgrade. */
export type UpgradeAnswer =
  | { readonly kind: 'open'; readonly delayUs: number }
  | { readonly kind: 'refuse'; readonly httpStatus: 503 }
  /** The socket opens, says this and is closed. */
  | { readonly kind: 'refuse_in_band'; readonly frame: string; readonly code: number; readonly reason: string }

/** Just less than the field's client waits: the longer this is, the fewer newcomers are taken for someone who comes again. */
const RETRY_AFTER_US = 245 * US_PER_MS
/** A client that has not come back by then will not come at all. */
const FORGET_AFTER_US = 2_000 * US_PER_MS
/** The first and three more. */
const ATTEMPTS_MAX = 4

/** A refused session that is expected to try again. */
interface Refused {
  readonly fault: Fault
  readonly attempt: number
  readonly atUs: InstantUs
}

export class FaultInjector {
  readonly #clock: Clock
  readonly #protocol: ProtocolName
  readonly #settings: FaultSettings
  /** In order of refusal. */
  #refused: Refused[] = []
  #knocked = 0
  #admitted = 0

  /** @throws UserError USAGE for a fault that the protocol cannot have */
  constructor(clock: Clock, protocol: ProtocolName, settings: FaultSettings) {
    this.#clock = clock
    this.#protocol = protocol
    this.#settings = settings
    const { fault } = settings
    if (fault !== null && !faultApplies(fault, protocol)) {
      const others = FAULTS.filter(({ name }) => faultApplies(name, protocol)).map(({ name }) => name)
      throw new UserError({
        code: 'USAGE',
        message: `the fault ${fault} does not apply to the protocol ${protocol}`,
        fix: `choose one of ${others.join(', ')}`,
      })
    }
  }

  /** Someone asks for a session. */
  upgrade(): UpgradeAnswer {
    const { fault: name } = this.#settings
    if (name === null || !HANDSHAKE_FAULTS.has(name)) return { kind: 'open', delayUs: 0 }
    const earlier = this.#takeRetry()
    const fault = earlier?.fault ?? this.#faultOf(name, ++this.#knocked)
    if (fault === undefined) return { kind: 'open', delayUs: 0 }
    const attempt = (earlier?.attempt ?? 0) + 1
    const { deny, delayMs = 0 } = fault.onUpgrade(attempt)
    if (deny !== true) return { kind: 'open', delayUs: Math.round(delayMs * US_PER_MS) }
    const frame = denialFrame(this.#protocol)
    if (frame !== undefined) return { kind: 'refuse_in_band', frame, code: 1013, reason: 'resource_exhausted' }
    if (attempt < ATTEMPTS_MAX) this.#refused.push({ fault, attempt, atUs: this.#clock.nowUs() })
    return { kind: 'refuse', httpStatus: 503 }
  }

  /** Stands between the wire and a session that is not known yet. */
  line(wire: Wire): FaultLine {
    return new FaultLine(this.#clock, wire, () => {
      const { fault } = this.#settings
      this.#admitted += 1
      return fault === null || HANDSHAKE_FAULTS.has(fault) ? undefined : this.#faultOf(fault, this.#admitted)
    })
  }

  #faultOf(name: FaultName, sessionNumber: number): Fault | undefined {
    const { faultEvery, faultAtMs, faultMs } = this.#settings
    if (sessionNumber % faultEvery !== 0) return undefined
    return createFault(name, {
      clock: this.#clock,
      protocol: this.#protocol,
      sessionNumber,
      atMs: faultAtMs,
      delayMs: faultMs,
    })
  }

  /** The refused session whose next attempt this is; undefined for one that has not been here before. */
  #takeRetry(): Refused | undefined {
    const nowUs = this.#clock.nowUs()
    this.#refused = this.#refused.filter(({ atUs }) => nowUs - atUs < FORGET_AFTER_US)
    const oldest = this.#refused[0]
    if (oldest === undefined || nowUs - oldest.atUs < RETRY_AFTER_US) return undefined
    return this.#refused.shift()
  }
}
