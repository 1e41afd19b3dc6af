/**
 * Makes the sessions of a sender, for its level and for its warm-up alike. In one place for the sake of the compiler too: code
 * that was compiled for objects made here is thrown away when it meets the same objects made elsewhere.
 */
import type { Clock, DurationUs, InstantUs } from '../base/clock.js'
import type { SessionScript, WirePackets } from '../protocol/script.js'
import type { SessionLimits, SessionResult, SessionSink } from './session-ports.js'
import { SessionRunner } from './session-runner.js'
import type { Transport } from './transport.js'

export interface SenderSession {
  readonly clock: Clock
  readonly transport: Transport
  readonly script: SessionScript
  readonly packets: WirePackets
  readonly sampleRateHz: number
  readonly packetUs: DurationUs
  readonly unitSamples: number | undefined
  readonly limits: SessionLimits
  readonly sink: SessionSink
  readonly observer: SendObserver
  readonly requestStart: (start: (startAtUs: InstantUs) => void) => void
  readonly redact: (text: string) => string
  readonly redactEvent: ((json: string) => string) | undefined
  readonly onEnd: (result: SessionResult) => void
}

/** What all sessions of a sender report to. */
export class SendObserver {
  readonly packetSent: (latenessUs: DurationUs) => void
  readonly unitDone: (lagUs: DurationUs) => void

  constructor(packetSent: (latenessUs: DurationUs) => void, unitDone: (lagUs: DurationUs) => void) {
    this.packetSent = packetSent
    this.unitDone = unitDone
  }
}

export function senderSession(session: SenderSession): SessionRunner {
  const { clock, transport, script, packets, sampleRateHz, packetUs, unitSamples, limits } = session
  const { sink, observer, requestStart, redact, redactEvent, onEnd } = session
  return new SessionRunner({
    clock,
    transport,
    script,
    packets,
    sampleRateHz,
    packetUs,
    unitSamples,
    limits,
    sink,
    observer,
    requestStart,
    redact,
    redactEvent,
    onEnd,
  })
}
