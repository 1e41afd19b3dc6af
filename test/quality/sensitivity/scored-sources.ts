/** Results and rows with just what a comparison reads. */
import type { ScoredSource } from '../../../src/quality/sensitivity/sensitivity.js'
import {
  type MetricInterval,
  type MetricValue,
  UNIFIED_DEFINITIONS,
  type UnifiedRow,
  VAD_WORD_DEFINITIONS,
} from '../../../src/quality/unified/unified-result.js'

export type Measured = readonly [value: MetricValue, interval: MetricInterval]

export function scoredSource(
  name: string,
  subsets: Readonly<Record<string, Readonly<Record<string, Measured>>>>,
  rows: readonly UnifiedRow[] = [],
): ScoredSource {
  const isVad = name === 'vad'
  const scores = Object.entries(subsets).map(([subset, metrics]) => {
    const counts = { declared: 1, selected: 1, eligible: 1, ineligible: 0, ineligible_reasons: {} }
    const measured = Object.entries(metrics).map(([metric, [value, interval]]) => [
      metric,
      { value, interval, p90: null, n: 1 },
    ])
    return [subset, { counts, coverage: 1, metrics: Object.fromEntries(measured) }]
  })
  return {
    rows,
    result: {
      definitions: isVad ? VAD_WORD_DEFINITIONS : UNIFIED_DEFINITIONS,
      tool: { name: 'floorload', version: '0' },
      manifest_sha256: 'a'.repeat(64),
      asr_sha256: null,
      words: { kind: isVad ? 'vad' : 'openai', name, details: {} },
      speech: { kind: 'silero' },
      bootstrap: { resamples: 2000, seed: 0 },
      subsets: Object.fromEntries(scores),
    },
  }
}

export function pauseRow(
  sample: string,
  flags: { readonly intrusion: boolean; readonly speech?: boolean },
): UnifiedRow {
  return {
    sample_id: sample,
    subset: 'synthetic_pause_handling',
    task: 'pause_handling',
    eligible: true,
    pause_intrusion: flags.intrusion,
    inside_pause_onset: false,
    pre_pause_speech: false,
    carry_in: false,
    any_speech: flags.speech ?? flags.intrusion,
    intrusion_words: 0,
    pauses: 1,
    pauses_intruded: 0,
    pause_s: 1,
    intrusion_s: 0,
  }
}

export function turnRow(sample: string, outcome: 'early_start' | 'response' | 'no_response'): UnifiedRow {
  return {
    sample_id: sample,
    subset: 'candor_turn_taking',
    task: 'smooth_turn_taking',
    eligible: true,
    outcome,
    latency_s: null,
    observable_s: 5,
  }
}

export function ineligibleRow(sample: string): UnifiedRow {
  return {
    sample_id: sample,
    subset: 'candor_turn_taking',
    task: 'smooth_turn_taking',
    eligible: false,
    reasons: ['no_trace'],
  }
}
