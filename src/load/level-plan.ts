/**
 * Everything that is needed to run one level, as the process that runs the sweep hands it to the senders. The plan comes
 * from our own parent; it is checked all the same, because a level must not begin on half an order.
 */
import { z } from 'zod'
import { profileSchema } from '../profile/profile.js'
import { PHASES, START_POLICIES, TRANSPORT_CHOICES } from '../profile/sweep-file.js'

export const levelPlanSchema = z.object({
  runDirectory: z.string(),
  url: z.string(),
  /** Sent with the upgrade, never stored. */
  headers: z.record(z.string(), z.string()),
  /** `auto` where it is not said. */
  transport: z.enum(TRANSPORT_CHOICES).optional(),
  profile: profileSchema,
  concurrency: z.number().int().min(1),
  /** Processes that send; one where it is not said. */
  senders: z.number().int().min(1).optional(),
  policy: z.enum(START_POLICIES),
  /** When packets of different sessions go out, within one packet interval; `spread` where it is not said. */
  phases: z.enum(PHASES).optional(),
  /** Seed of the arrivals of this level and repeat. */
  startSeed: z.string(),
  leadMs: z.number().min(0),
  admission: z.object({ retries: z.number().int().min(0), backoffMs: z.number().min(0) }),
  deadlines: z.object({ admissionS: z.number().positive(), sessionS: z.number().positive() }),
  postCloseMs: z.number().min(0),
  /** Distinct inputs: raw PCM16 at the profile's input rate. */
  inputs: z.array(z.object({ file: z.string(), sha256: z.string(), samples: z.number().int().min(1) })).min(1),
  /** Nothing is kept but the self-monitoring. */
  isDiscarded: z.boolean().optional(),
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

/** One sender's part of a level. */
export const senderShareSchema = z.object({
  /** Its number, from 0, and how many there are. */
  sender: z.number().int().min(0),
  senders: z.number().int().min(1),
  /** Sessions that it holds open at once: of the level's slots those whose number, modulo `senders`, is its own. */
  slots: z.number().int().min(1),
  /** Indices into the plan's sessions, in the order in which they are handed out. */
  sessions: z.array(z.number().int().min(0)).min(1),
  /** For `poisson`: when each of them begins, from the start of the level. */
  arrivalsUs: z.array(z.number().min(0)).optional(),
})
export type SenderShare = z.infer<typeof senderShareSchema>

/** Mean time that a session of this plan is expected to stay open, microseconds. */
export function meanSessionUs({ sessions, inputs, profile }: LevelPlan): number {
  const samples = sessions.reduce((sum, { inputIndex }) => sum + (inputs[inputIndex]?.samples ?? 0), 0)
  const inputUs = (samples / sessions.length) * (1e6 / profile.input.sample_rate_hz)
  // Beyond its input a session is open for its handshake and for the drain of its last unit.
  return inputUs + (profile.unit_ms ?? 0) * 500
}
