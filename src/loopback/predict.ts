/**
 * The knee on paper: what N sessions that each offer one unit per U ms must see from the simulated accelerator.
 *
 * *Meets for sure.* A unit waits at most for the batch in progress, then for its own. As long as no unit has been late,
 * the two batches hold different sessions: a session with a unit in the first one has no other unit ready before that one
 * is done. So together they hold at most N units, and the lag is at most 2*base + perUnit*N. Where that is no longer than
 * the time between two units of a session, no unit is ever late, whatever the phases.
 *
 * *Misses for sure.* A batch of s units takes base + perUnit*s, so units leave at s / (base + perUnit*s) per ms, which is
 * highest at the largest batch, s = N. Where base + perUnit*N > U, even that is slower than N units per U: the queue grows
 * without end, and every session is late once it is long enough. (A very short session can be over before that.)
 *
 * *Depends.* Between the two, the phases decide. When all sessions offer their units at one instant, they share one batch
 * and base + perUnit*N <= U suffices. Over real sockets no two units arrive at one instant: use `any` there.
 *
 * Jitter counts at its bounds. What a network and two event loops add is not in here. Inputs are taken to be whole units
 * long: a short last unit is ready soon after the one before it, so one session then offers two units within U.
 */
import type { AcceleratorSettings } from './accelerator.js'

export type Prediction = 'meets' | 'misses' | 'depends'

/** `aligned`: all sessions offer their units at one instant. `any`: nothing is known. */
export type Phases = 'aligned' | 'any'

export type PredictableAccelerator = Pick<AcceleratorSettings, 'baseMs' | 'perUnitMs'> &
  Partial<Omit<AcceleratorSettings, 'baseMs' | 'perUnitMs' | 'seed'>>

export interface LevelToPredict {
  readonly unitMs: number
  readonly sessions: number
  readonly accelerator: PredictableAccelerator
  readonly phases: Phases
  /**
   * Audio arrives in packets of this length, so a unit is ready with the packet that completes it: at 80 ms, units of
   * 1000 ms are ready 960 or 1040 ms apart. Left out: exactly one unit apart.
   */
  readonly packetMs?: number
}

/** Whether a level keeps the deadline of every unit (lag at most one unit), misses it, or may do either. */
export function predictLevel({ unitMs, sessions, accelerator, phases, packetMs }: LevelToPredict): Prediction {
  const { baseMs, perUnitMs, jitter = 0, maxBatch = null, oomAt = null, stallEveryS = null, stallMs = 0 } = accelerator
  if (oomAt !== null && sessions >= oomAt) return 'misses'
  const largestBatch = Math.min(sessions, maxBatch ?? sessions)
  const shortestFullBatchMs = (baseMs + perUnitMs * largestBatch) * (1 - jitter)
  if (shortestFullBatchMs * sessions > unitMs * largestBatch) return 'misses'
  // With fewer places in a batch than sessions, a unit may have to wait for more than one batch.
  if (largestBatch < sessions) return 'depends'
  const longestWaitMs =
    (phases === 'aligned' ? baseMs + perUnitMs * sessions : 2 * baseMs + perUnitMs * sessions) * (1 + jitter) +
    (stallEveryS === null ? 0 : stallMs)
  return longestWaitMs <= shortestGapMs(unitMs, packetMs) ? 'meets' : 'depends'
}

export interface CapacityToPredict extends Omit<LevelToPredict, 'sessions'> {
  /** Numbers of concurrent sessions, any order. */
  readonly levels: readonly number[]
}

export interface PredictedCapacity {
  readonly levels: readonly { readonly sessions: number; readonly prediction: Prediction }[]
  /** Highest level that meets together with all below it; undefined when not even the lowest does for sure. */
  readonly atLeast: number | undefined
  /** Highest level below the first that misses for sure. The capacity is known when it equals `atLeast`. */
  readonly atMost: number | undefined
}

/** The capacity that a sweep over `levels` must find. */
export function predictCapacity({ levels, ...rest }: CapacityToPredict): PredictedCapacity {
  const predicted = [...levels]
    .sort((a, b) => a - b)
    .map((sessions) => ({ sessions, prediction: predictLevel({ ...rest, sessions }) }))
  const lastBefore = (isEnd: (prediction: Prediction) => boolean): number | undefined => {
    const end = predicted.findIndex((level) => isEnd(level.prediction))
    return predicted[(end === -1 ? predicted.length : end) - 1]?.sessions
  }
  return {
    levels: predicted,
    atLeast: lastBefore((prediction) => prediction !== 'meets'),
    atMost: lastBefore((prediction) => prediction === 'misses'),
  }
}

export interface RepliesToPredict {
  /** Audio of one job of the accelerator. */
  readonly chunkMs: number
  /** Sessions whose replies are synthesized at once. */
  readonly sessionsSpeaking: number
  readonly accelerator: Pick<PredictableAccelerator, 'baseMs' | 'perUnitMs' | 'maxBatch'>
}

/**
 * The real-time factor of a reply on paper: time from its first audio to its last, over the audio before the last.
 *
 * When a batch ends, its sessions ask for their next chunk at once, and the next batch takes them together with all that
 * waited. So N sessions that speak share every batch, whenever they began, and each gets a chunk per base + perUnit*N: the
 * factor is that over the chunk's length. With room for B < N in a batch, a session is in B of N batches. Jitter moves
 * single chunks and not the mean.
 */
export function predictReplyRtf({ chunkMs, sessionsSpeaking, accelerator }: RepliesToPredict): number {
  const { baseMs, perUnitMs, maxBatch } = accelerator
  const batch = Math.min(sessionsSpeaking, maxBatch ?? sessionsSpeaking)
  return ((baseMs + perUnitMs * batch) * sessionsSpeaking) / batch / chunkMs
}

export interface PacedRepliesToPredict extends RepliesToPredict {
  readonly replyMs: number
  /** Furthest that the reply leaves ahead of real time. */
  readonly maxLeadMs: number
}

/**
 * The same where the server holds back what is too far ahead: a reply of length D leaves its last chunk when that is done,
 * and not before D less the lead. Undefined for a reply of one chunk, which has no factor.
 */
export function predictPacedReplyRtf({ replyMs, maxLeadMs, ...replies }: PacedRepliesToPredict): number | undefined {
  const { chunkMs } = replies
  const audioBeforeLastMs = (Math.ceil(replyMs / chunkMs) - 1) * chunkMs
  if (audioBeforeLastMs <= 0) return undefined
  return Math.max(predictReplyRtf(replies), (replyMs - maxLeadMs) / audioBeforeLastMs)
}

/** Least time between two units of one session, where units become ready with the packet that completes them. */
function shortestGapMs(unitMs: number, packetMs: number | undefined): number {
  if (packetMs === undefined || packetMs >= unitMs) return unitMs
  return Math.floor(unitMs / packetMs) * packetMs
}
