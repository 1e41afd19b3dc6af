/** What a session asks of its surroundings, and what it leaves behind. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { EndCause } from '../protocol/script.js'

/** Why a session ended; `outcome` in its `report.json`. */
export type OutcomeKind =
  | EndCause['kind']
  | 'refused'
  | 'unreachable'
  | 'timeout'
  | 'undecodable'
  | 'not_recorded'
  | 'sender_died'

export interface SessionOutcome {
  readonly kind: OutcomeKind
  readonly message: string
  /** HTTP status that refused the upgrade. */
  readonly httpStatus?: number
}

/**
 * Where a session's story goes, in the order in which it happens. Implementations may buffer, but never make a session
 * wait. Those that return a boolean say false when nothing can be stored any more.
 */
export interface SessionSink {
  /** The schedule is fixed. */
  planned(startAtUs: InstantUs): void
  /** The write of packet `index` began at `startAtUs`. */
  packetSent(index: number, startAtUs: InstantUs): boolean
  /** The transport had taken the next packet: the k-th call is for packet k. */
  packetTaken(doneAtUs: InstantUs): void
  /** A line of the trace that is not a packet. @param event JSON text without line feeds */
  line(direction: 'send' | 'admission' | 'error', atUs: InstantUs, event: string): boolean
  /** A message `bytes[from, to)`; valid during the call. Its secrets have been taken out. */
  received(atUs: InstantUs, bytes: Buffer, from: number, to: number): boolean
  finish(result: SessionResult): void
}

export interface SessionResult {
  readonly outcome: SessionOutcome
  readonly startAtUs: InstantUs | undefined
}

/** What the live view and the self-monitoring want to hear; never waited for. */
export interface SessionObserver {
  opened?(): void
  packetSent?(latenessUs: DurationUs): void
  unitDone?(lagUs: DurationUs): void
}

export interface SessionLimits {
  /** Refused upgrades that are tried again, and the time between two attempts. */
  readonly admissionRetries: number
  /** HTTP statuses of a refused upgrade that mean "full": 503 where nothing else is said. */
  readonly retryableStatuses?: readonly number[]
  readonly admissionBackoffUs: DurationUs
  /** From the first attempt to admission, refusals included. */
  readonly admissionTimeoutUs: DurationUs
  /** From the first attempt to the end. */
  readonly sessionTimeoutUs: DurationUs
  /** Listening time after `session.closed`, so that late frames are caught. */
  readonly postCloseUs: DurationUs
}
