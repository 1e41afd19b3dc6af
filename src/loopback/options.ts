/**
 * Every setting of the loopback server, in one schema: the command line's flags, the demo's child process and the tests
 * are all checked against it. The profile is not among them: it is passed beside the options.
 */
import { z } from 'zod'
import type { AcceleratorSettings } from './accelerator.js'

const ms = z.number().min(0).max(3_600_000)
const count = z.number().int().min(1).max(1_000_000)

export const loopbackOptionsSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 lets the system choose. */
  port: z.number().int().min(0).max(65_535).default(0),

  /** Fixed time of a batch; null for 10% of the profile's unit. */
  baseMs: ms.nullable().default(null),
  /** Time that each unit adds to its batch; null for 15% of the profile's unit. */
  perUnitMs: ms.nullable().default(null),
  /** Share of a batch's time by which it varies. */
  jitter: z.number().min(0).max(0.9).default(0.02),
  /** Most units in one batch; null for no limit. */
  maxBatch: count.nullable().default(null),
  /** One seed for everything drawn; each use derives its own from it. */
  seed: z.union([z.number(), z.string().min(1)]).default(1),

  /** Fault: once in this many seconds a batch takes `stallMs` longer; null for never. */
  stallEveryS: z.number().positive().max(86_400).nullable().default(null),
  stallMs: ms.default(0),
  /** Fault: a batch of this many units, or this many open sessions, is out of memory; null for never. */
  oomAt: count.nullable().default(null),

  /** Sockets held at once; the next upgrade is answered with HTTP 503. */
  maxSessions: count.default(1024),
  /** Sessions that the model has memory for; the next `session.update` gets `admission_rejected`. Null for no limit. */
  modelSlots: count.nullable().default(null),
  /** How long a closed session keeps its slots. */
  teardownMs: ms.default(0),
  /** How long the model needs to let go of a session before `session.closed` is sent. */
  closeMs: ms.default(0),

  /** What hears the user: the speech detector of the scorer, or plain loudness, which costs almost nothing. */
  listen: z.enum(['speech', 'energy']).default('speech'),
  /** Silence after the user's speech that makes the model answer. */
  replyAfterSilenceMs: ms.default(300),
  /** Units in which a model that can be silent must listen, where the client's `force_listen_count` says nothing. */
  forceListenCount: z.number().int().min(0).max(1000).default(1),

  maxInputBytes: z.number().int().min(1).default(1_920_000),
  maxOutputBytes: z.number().int().min(1).default(33_554_432),
  sessionUpdateTimeoutS: z.number().positive().max(86_400).default(60),
  idleTimeoutS: z.number().positive().max(86_400).default(300),
  cleanupTimeoutS: z.number().positive().max(86_400).default(30),
  /** Units after which a session's history is full (`context_exhausted`); null for never. */
  contextUnits: count.nullable().default(null),
})

/** As a caller may write them: everything has a default. */
export type LoopbackOptionsInput = z.input<typeof loopbackOptionsSchema>
export type LoopbackOptions = Readonly<z.infer<typeof loopbackOptionsSchema>>

/** The accelerator's settings with the defaults that follow from the unit's length filled in. */
export function acceleratorSettings(options: LoopbackOptions, unitMs: number): AcceleratorSettings {
  const { jitter, maxBatch, seed, stallEveryS, stallMs, oomAt } = options
  return {
    baseMs: options.baseMs ?? unitMs * 0.1,
    perUnitMs: options.perUnitMs ?? unitMs * 0.15,
    jitter,
    maxBatch,
    seed: `${seed}/accelerator`,
    stallEveryS,
    stallMs,
    oomAt,
  }
}
