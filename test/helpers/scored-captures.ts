/** Scored captures for tests of what is computed from them; every sample is eligible unless told otherwise. */
import type {
  IneligibleRow,
  InterruptionRow,
  PauseRow,
  TurnTakingRow,
  UnifiedResult,
  UnifiedRow,
} from '../../src/quality/unified/unified-result.js'
import type { ScoredCapture } from '../../src/sweep/quality-result.js'

export function pauseRow(id: string, intrudes: boolean): PauseRow {
  return {
    sample_id: id,
    subset: 'synthetic_pause_handling',
    task: 'pause_handling',
    eligible: true,
    pause_intrusion: intrudes,
    inside_pause_onset: false,
    pre_pause_speech: false,
    carry_in: false,
    any_speech: intrudes,
    intrusion_words: intrudes ? 1 : 0,
    pauses: 1,
    pauses_intruded: intrudes ? 1 : 0,
    pause_s: 0.6,
    intrusion_s: 0,
  }
}

/** @param latencyS null for no response, `early` for an early start */
export function turnRow(id: string, latencyS: number | null | 'early'): TurnTakingRow {
  return {
    sample_id: id,
    subset: 'candor_turn_taking',
    task: 'smooth_turn_taking',
    eligible: true,
    outcome: latencyS === 'early' ? 'early_start' : latencyS === null ? 'no_response' : 'response',
    latency_s: latencyS === 'early' ? null : latencyS,
    observable_s: 3,
  }
}

/** @param stopS undefined where the interruption met silence, null where no stop was observed */
export function interruptionRow(id: string, stopS: number | null | undefined): InterruptionRow {
  const isExercised = stopS !== undefined
  return {
    sample_id: id,
    subset: 'synthetic_user_interruption',
    task: 'user_interruption',
    eligible: true,
    outcome: isExercised ? 'response' : 'not_exercised',
    S: 3,
    R: 4,
    latency_s: isExercised ? 1 : null,
    observable_s: 2,
    speech_at_onset: isExercised,
    speech_at_end: false,
    speech_before_onset: isExercised,
    stop_s: stopS ?? null,
    stop_observed: typeof stopS === 'number',
    speech_in_interruption_s: 0.5,
    interruption_s: 1,
    restarts: 0,
  }
}

export function ineligible(row: UnifiedRow): IneligibleRow {
  const { sample_id, subset, task } = row
  return { sample_id, subset, task, eligible: false, reasons: ['pacing'] }
}

export function numbered<T>(count: number, of: (id: string, index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(String(index + 1), index))
}

/** With no scores of its own: for what is computed from the rows. */
export function captureOf(rows: readonly UnifiedRow[], changes: Partial<UnifiedResult> = {}): ScoredCapture {
  return {
    rows,
    result: {
      definitions: 'floorload-unified-vad-1',
      tool: { name: 'floorload', version: '1.2.3' },
      manifest_sha256: '0'.repeat(64),
      asr_sha256: null,
      words: { kind: 'vad', name: 'vad', details: {} },
      speech: { kind: 'silero' },
      bootstrap: { resamples: 2000, seed: 0 },
      subsets: {},
      ...changes,
    },
  }
}
