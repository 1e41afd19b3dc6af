/**
 * What is compared between two captures of the same samples, sample by sample, and in which direction it is worse. Which of
 * them decide, and by how much they may be worse, is the sweep's choice (`margins`).
 * Source: docs/metrics.md, "Quality against load".
 */
import { microsecondsOf } from '../../base/microseconds.js'
import type { FdbTask } from '../../dataset/annotation.js'
import type { InterruptionRow, PauseRow, TurnTakingRow, UnifiedRow } from '../unified/unified-result.js'

export type ScoredRow = PauseRow | TurnTakingRow | InterruptionRow

interface MetricHead {
  readonly name: string
  /** What kind of sample it says something about. */
  readonly tasks: readonly FdbTask[]
}

export type ComparedMetric =
  | (MetricHead & {
      readonly kind: 'share'
      readonly isWorse: 'higher' | 'lower'
      /** Undefined for a row that the metric says nothing about. */
      readonly of: (row: ScoredRow) => boolean | undefined
    })
  | (MetricHead & {
      readonly kind: 'latency'
      readonly isWorse: 'higher'
      /** Seconds; infinite where it never happened. */
      readonly of: (row: ScoredRow) => number | undefined
    })

const NEVER = Number.POSITIVE_INFINITY

const PAUSES: readonly FdbTask[] = ['pause_handling']
const TURNS: readonly FdbTask[] = ['smooth_turn_taking']
const INTERRUPTIONS: readonly FdbTask[] = ['user_interruption']
const ANSWERS: readonly FdbTask[] = [...TURNS, ...INTERRUPTIONS]

export const COMPARED_METRICS: readonly ComparedMetric[] = [
  {
    name: 'pause_intrusion_rate',
    kind: 'share',
    tasks: PAUSES,
    isWorse: 'higher',
    of: (row) => pauseOf(row)?.pause_intrusion,
  },
  {
    name: 'early_start_rate',
    kind: 'share',
    tasks: TURNS,
    isWorse: 'higher',
    of: (row) => outcomeIs(turnOf(row), 'early_start'),
  },
  { name: 'response_rate_2s', kind: 'share', tasks: ANSWERS, isWorse: 'lower', of: hasRespondedWithin2s },
  {
    name: 'no_response_rate',
    kind: 'share',
    tasks: ANSWERS,
    isWorse: 'higher',
    of: (row) => outcomeIs(answeredOf(row), 'no_response'),
  },
  { name: 'response_latency_s', kind: 'latency', tasks: ANSWERS, isWorse: 'higher', of: responseLatencyS },
  {
    name: 'exercised_rate',
    kind: 'share',
    tasks: INTERRUPTIONS,
    isWorse: 'lower',
    of: (row) => interruptionOf(row)?.speech_at_onset,
  },
  {
    name: 'speaking_at_end_rate',
    kind: 'share',
    tasks: INTERRUPTIONS,
    isWorse: 'higher',
    of: (row) => outcomeIs(exercisedOf(row), 'speaking_at_end'),
  },
  { name: 'stop_latency_s', kind: 'latency', tasks: INTERRUPTIONS, isWorse: 'higher', of: stopLatencyS },
]

/** Eligible, so that it has an outcome. */
export function isScored(row: UnifiedRow): row is ScoredRow {
  return row.eligible
}

/** The interruption cut into speech; undefined for other tasks. */
export function isExercised(row: ScoredRow): boolean | undefined {
  const own = interruptionOf(row)
  return own === undefined ? undefined : own.outcome !== 'not_exercised'
}

function pauseOf(row: ScoredRow): PauseRow | undefined {
  return 'pause_intrusion' in row ? row : undefined
}

function interruptionOf(row: ScoredRow): InterruptionRow | undefined {
  return 'speech_at_onset' in row ? row : undefined
}

function turnOf(row: ScoredRow): TurnTakingRow | undefined {
  return 'outcome' in row && !('speech_at_onset' in row) ? row : undefined
}

function exercisedOf(row: ScoredRow): InterruptionRow | undefined {
  return isExercised(row) === true ? interruptionOf(row) : undefined
}

function answeredOf(row: ScoredRow): TurnTakingRow | InterruptionRow | undefined {
  return turnOf(row) ?? exercisedOf(row)
}

function outcomeIs(row: { readonly outcome: string } | undefined, outcome: string): boolean | undefined {
  return row === undefined ? undefined : row.outcome === outcome
}

function responseLatencyS(row: ScoredRow): number | undefined {
  const own = answeredOf(row)
  return own === undefined ? undefined : (own.latency_s ?? NEVER)
}

function hasRespondedWithin2s(row: ScoredRow): boolean | undefined {
  const latencyS = responseLatencyS(row)
  if (latencyS === undefined) return undefined
  return latencyS !== NEVER && microsecondsOf(latencyS) <= 2_000_000
}

function stopLatencyS(row: ScoredRow): number | undefined {
  const own = exercisedOf(row)
  return own === undefined ? undefined : (own.stop_s ?? NEVER)
}
