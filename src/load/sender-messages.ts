/** What the process that runs a level and its senders say to each other. */
import type { InstantUs } from '../base/clock.js'
import type { LevelPlan, SenderShare } from './level-plan.js'
import type { SenderMonitoring } from './sender-monitoring.js'

export type ToSender =
  | { readonly kind: 'run'; readonly plan: LevelPlan; readonly share: SenderShare }
  /** All senders are ready: the level begins at this instant of the host's monotonic clock. */
  | { readonly kind: 'go'; readonly epochUs: InstantUs }
  | { readonly kind: 'start_wave'; readonly wave: number; readonly startAtUs: InstantUs }
  | { readonly kind: 'begin_wave'; readonly wave: number }
  /** No sender has a session open any more: traces can be stored without disturbing anybody. */
  | { readonly kind: 'store' }
  | { readonly kind: 'leave'; readonly message: string }

/** A snapshot of one sender, or of a level, for the live view. */
export interface LevelProgress {
  readonly open: number
  readonly done: number
  /** Refused ones included. */
  readonly failed: number
  /** Refused at the upgrade (HTTP 503), retries used up. */
  readonly denied: number
  readonly total: number
  /** Histograms of microseconds in HDR's compressed base64, one for each sender. */
  readonly sendLatenessUs: readonly string[]
  readonly unitLagUs: readonly string[]
  readonly missedUnits: number
  readonly loopDelayMaxMs: number
}

export interface SessionEnded {
  readonly directory: string
  readonly outcome: { readonly kind: string; readonly message: string; readonly httpStatus?: number | undefined }
}

export type FromSender =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: LevelProgress }
  | { readonly kind: 'session'; readonly session: SessionEnded }
  /** Every session of its share of the wave is admitted or over. */
  | { readonly kind: 'wave_waiting'; readonly wave: number }
  | { readonly kind: 'wave_over'; readonly wave: number }
  /** All its sessions are over. */
  | { readonly kind: 'over' }
  /** Traces are being stored. Repeated while that goes on. */
  | { readonly kind: 'storing' }
  | { readonly kind: 'done'; readonly wasInterrupted: boolean; readonly monitoring: SenderMonitoring }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly fix: string | undefined }
  | { readonly kind: 'crash'; readonly message: string }
