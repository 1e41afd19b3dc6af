/**
 * Everything a load process needs to run one level, as its parent sends it, and what it says on the way. The plan comes
 * from our own parent; it is checked all the same, because a level must not begin on half an order.
 */
import { z } from 'zod'
import { profileSchema } from '../profile/profile.js'
import { START_POLICIES, TRANSPORT_CHOICES } from '../profile/sweep-file.js'

export const levelPlanSchema = z.object({
  runDirectory: z.string(),
  url: z.string(),
  /** Sent with the upgrade, never stored. */
  headers: z.record(z.string(), z.string()),
  /** `auto` where it is not said. */
  transport: z.enum(TRANSPORT_CHOICES).optional(),
  profile: profileSchema,
  concurrency: z.number().int().min(1),
  policy: z.enum(START_POLICIES),
  /** Seed of the arrivals of this level and repeat. */
  startSeed: z.string(),
  leadMs: z.number().min(0),
  admission: z.object({ retries: z.number().int().min(0), backoffMs: z.number().min(0) }),
  deadlines: z.object({ admissionS: z.number().positive(), sessionS: z.number().positive() }),
  postCloseMs: z.number().min(0),
  /** Distinct inputs: raw PCM16 at the profile's input rate. */
  inputs: z.array(z.object({ file: z.string(), sha256: z.string(), samples: z.number().int().min(1) })).min(1),
  /** In the order in which they are handed out. */
  sessions: z
    .array(
      z.object({
        /** Folder of the session, below the run's. */
        directory: z.string(),
        inputIndex: z.number().int().min(0),
      }),
    )
    .min(1),
})
export type LevelPlan = z.infer<typeof levelPlanSchema>

export type ToLevelProcess =
  | { readonly kind: 'run'; readonly plan: LevelPlan }
  | { readonly kind: 'leave'; readonly message: string }

/** A snapshot for the live view; histograms in HDR's compressed base64, so that several processes can be merged. */
export interface LevelProgress {
  readonly open: number
  readonly done: number
  /** Refused ones included. */
  readonly failed: number
  /** Refused at the upgrade (HTTP 503), retries used up. */
  readonly denied: number
  readonly total: number
  readonly sendLatenessUs: string
  readonly unitLagUs: string
  readonly missedUnits: number
  readonly loopDelayMaxMs: number
}

export interface SessionEnded {
  readonly directory: string
  readonly outcome: { readonly kind: string; readonly message: string; readonly httpStatus?: number | undefined }
}

export type FromLevelProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: LevelProgress }
  | { readonly kind: 'session'; readonly session: SessionEnded }
  | { readonly kind: 'done'; readonly wasInterrupted: boolean }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly fix: string | undefined }
  | { readonly kind: 'crash'; readonly message: string }
