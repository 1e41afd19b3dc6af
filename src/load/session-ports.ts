/** What a session asks of its surroundings, and what it leaves behind. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { EndCause } from '../protocol/script.js'
import type { PacketTiming } from './paced-input.js'

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
