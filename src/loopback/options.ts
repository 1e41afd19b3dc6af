/**
 * Every setting of the loopback server, in one schema: the command line's flags, the demo's child process and the tests
 * are all checked against it. The profile is not among them: it is passed beside the options.
 */
import { z } from 'zod'
import type { Profile } from '../profile/profile.js'
import type { AcceleratorSettings } from './accelerator.js'
import { FAULT_NAMES } from './faults.js'
import { VLLM_UNIT_MS } from './vllm-input.js'

const ms = z.number().min(0).max(3_600_000)
const count = z.number().int().min(1).max(1_000_000)

export const loopbackOptionsSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 lets the system choose. */
  port: z.number().int().min(0).max(65_535).default(0),

  /** Fixed time of a batch; null for 10% of the audio of one job: the profile's unit, or a reply's chunk. */
  baseMs: ms.nullable().default(null),
  /** Time that each unit adds to its batch; null for 15% of the same. */
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

  /** Fault: what goes wrong with every `faultEvery`-th session on purpose (`faults.ts`); null for nothing. */
  fault: z.enum(FAULT_NAMES).nullable().default(null),
  /** By default every other session, so that a level has both kinds. */
  faultEvery: count.default(2),
  /** When in a session's life a fault strikes, counted from its first `session.updated`. */
  faultAtMs: ms.default(1000),
  /** How long a slow handshake takes. */
  faultMs: ms.default(5000),

  /** Sockets held at once; the next upgrade is answered with HTTP 503. */
  maxSessions: count.default(1024),
  /**
   * Sessions that the model has memory for; the next `session.update` gets `admission_rejected`. Null for what the
   * protocol's servers have by default: 16 turn-based, else no limit.
   */
  modelSlots: count.nullable().default(null),
  /** How long a closed session keeps its slots. */
  teardownMs: ms.default(0),
  /** How long the model needs to let go of a session before `session.closed` is sent. */
  closeMs: ms.default(0),

  /** What hears the user: the speech detector of the scorer, or plain loudness, which costs almost nothing. */
  listen: z.enum(['speech', 'energy']).default('speech'),
  /** Silence after the user's speech that makes the model answer. */
  replyAfterSilenceMs: ms.default(300),
  /** Each session that is open beside the one that answers puts the start of a reply off by this much. */
  laterMs: ms.default(0),
  /** Each session that is open beside the one that answers shortens the silence that is waited for, down to 0. */
  jumpierMs: ms.default(0),
  /** Units in which a model that can be silent must listen, where the client's `force_listen_count` says nothing. */
  forceListenCount: z.number().int().min(0).max(1000).default(1),

  /** Audio that the synthesis of a turn-based server makes in one job of the accelerator. */
  replyChunkMs: z.number().int().min(10).max(10_000).default(200),
  /** Silence that ends the user's turn, where the client's `turn_detection` says nothing. */
  turnSilenceMs: ms.default(500),
  /** Audio before the speech that counts to the turn, where the client's `turn_detection` says nothing. */
  turnPrefixPaddingMs: ms.default(300),
  /** Furthest that a turn-based server's reply is ahead of real time while there is input. */
  maxOutputLeadMs: ms.default(1000),

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

/** Audio that one job of the accelerator stands for: a native model's unit, or a chunk of a reply. */
export function jobMs(profile: Profile, options: Pick<LoopbackOptions, 'replyChunkMs'>): number {
  if (profile.protocol === 'vllm-duplex') return VLLM_UNIT_MS
  return profile.protocol === 'native' && profile.unit_ms !== null ? profile.unit_ms : options.replyChunkMs
}

/** The accelerator's settings with the defaults that follow from the length of a job's audio (`jobMs`) filled in. */
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
