/**
 * The question that a sweep asks: which levels, how often, with what inputs, started how, judged by what. One schema for
 * the files in `sweeps/`, for a user's own, and for what the flags of the command line add up to.
 */
import { z } from 'zod'
import { fdbV10InputsSchema, fdbV15InputsSchema } from './dataset-inputs.js'
import { parseGateExpression } from './gate-expression.js'
import { levelProblem } from './gate-levels.js'
import { expressionProblem, gateSchema } from './gate-schema.js'
import { qualitySettingsSchema } from './quality-settings.js'

export const SWEEP_SCHEMA_NAME = 'floorload.sweep/1'

/** When sessions begin: docs/metrics.md, section 2. */
export const START_POLICIES = ['pool', 'aligned', 'spread', 'poisson'] as const
export type StartPolicy = (typeof START_POLICIES)[number]

/** Where in one packet interval the packets of different sessions go out: docs/metrics.md, section 2. */
export const PHASES = ['spread', 'aligned'] as const
export type Phases = (typeof PHASES)[number]

/** Processes that send in each level. */
export const sendersSchema = z.union([z.literal('auto'), z.number().int().min(1).max(1024)], {
  error: 'must be "auto" or a number of processes from 1 to 1024',
})

/** How sessions reach the server: docs/architecture.md, "Two transports". */
export const TRANSPORT_CHOICES = ['auto', 'ws', 'lean'] as const
export type TransportChoice = (typeof TRANSPORT_CHOICES)[number]

export const inputsSchema = z.discriminatedUnion('kind', [
  /** The clips that come with floorload. */
  z.strictObject({ kind: z.literal('built-in') }),
  /** The labelled clips that come with floorload, for quality against load. */
  z.strictObject({ kind: z.literal('built-in-turns') }),
  /** Folders or WAV files of the user's. */
  z.strictObject({ kind: z.literal('audio'), paths: z.array(z.string().min(1)).min(1) }),
  /** Full-Duplex-Bench from the user's download. */
  fdbV10InputsSchema,
  /** Both variants of each pair. */
  fdbV15InputsSchema,
])

/** How many sessions a level runs; inputs are handed out in order, again from the first when they run out. */
export const sessionsSchema = z.union(
  [
    /** Every input once, and at least two sessions for each slot of the level. */
    z.literal('all'),
    z.strictObject({ per_slot: z.number().int().min(1).max(10_000) }),
    z.strictObject({ count: z.number().int().min(1).max(1_000_000) }),
  ],
  { error: 'must be "all", {per_slot: N} or {count: N}' },
)

export { type Gate, gateSchema } from './gate-schema.js'

export const sweepFileSchema = z
  .strictObject({
    schema: z.literal(SWEEP_SCHEMA_NAME),
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes and underscores'),
    description: z.string().optional(),
    profile: z.string().min(1).optional(),
    levels: z
      .array(z.number().int().min(1).max(100_000))
      .min(1)
      .refine((levels) => new Set(levels).size === levels.length, 'must not name a level twice'),
    order: z.enum(['ascending', 'descending', 'as_given', 'shuffled']).default('ascending'),
    repeats: z.number().int().min(1).max(1000).default(1),
    start: z.enum(START_POLICIES).default('pool'),
    /** `aligned` is the harder load: the packets of all sessions go out at the same instants. */
    phases: z.enum(PHASES).optional(),
    senders: sendersSchema.default('auto'),
    inputs: inputsSchema.default({ kind: 'built-in' }),
    sessions: sessionsSchema.default('all'),
    /** Laid over the profile's `session` object. */
    session: z.record(z.string(), z.unknown()).optional(),
    /** The server's turn detector, where the protocol has one; null for manual turns. */
    turn_detection: z.record(z.string(), z.unknown()).nullable().optional(),
    /** Sessions before the first level that are recorded apart and enter no result. */
    warm_up_sessions: z.number().int().min(0).max(1000).default(1),
    playback_reserve_ms: z.number().min(0).max(60_000).default(80),
    targets: z
      .strictObject({
        unit_miss_rate_max: z.number().min(0).max(1).optional(),
        rtf_p90_below: z.number().positive().optional(),
      })
      .prefault({}),
    gate: gateSchema.optional(),
    /** Scores the captured audio of every level too. */
    quality: qualitySettingsSchema.optional(),
    /** Ends the sweep after a level this bad, so that a box is not driven further past its knee. */
    stop: z.strictObject({ unit_miss_rate_at_least: z.number().min(0).max(1) }).optional(),
    admission: z
      .strictObject({
        retries: z.number().int().min(0).max(3).default(3),
        backoff_ms: z.number().min(0).max(60_000).default(250),
      })
      .prefault({}),
    deadlines: z
      .strictObject({
        admission_s: z.number().positive().max(3600).default(30),
        /** For a whole session; default 90 s, or a minute more than its input where that is longer. */
        session_s: z.number().positive().max(86_400).optional(),
      })
      .prefault({}),
    /** `lean` sends more sessions from one core, `ws` knows proxies; `auto` is `lean` but behind a proxy. */
    transport: z.enum(TRANSPORT_CHOICES).default('auto'),
    seed: z.number().int().min(0).default(0),
  })
  .refine(
    ({ sessions, levels }) =>
      typeof sessions === 'string' || !('count' in sessions) || sessions.count >= Math.max(...levels),
    {
      path: ['sessions', 'count'],
      message: 'must be at least the highest level, or that many sessions are never open at once',
    },
  )
  .refine(({ start, phases }) => phases === undefined || !isWaveStart(start) || phases === start, {
    path: ['phases'],
    message:
      'must not contradict the start: "start: aligned" and "start: spread" name the phases of their waves themselves',
  })
  .superRefine(({ gate, levels }, context) => {
    for (const [index, check] of (gate?.checks ?? []).entries()) {
      // A check that cannot be read has its own complaint.
      if (expressionProblem(check) !== undefined) continue
      const problem = levelProblem(parseGateExpression(check), levels)
      if (problem !== undefined) context.addIssue({ code: 'custom', path: ['gate', 'checks', index], message: problem })
    }
  })
export type SweepConfig = Readonly<z.infer<typeof sweepFileSchema>>

function isWaveStart(start: StartPolicy): boolean {
  return start === 'aligned' || start === 'spread'
}

/** The phases that a level runs with: its waves' own, or what was asked for, or `spread`. */
export function phasesOf({
  start,
  phases,
}: {
  readonly start: StartPolicy
  readonly phases?: Phases | undefined
}): Phases {
  return phases ?? (start === 'aligned' ? 'aligned' : 'spread')
}
