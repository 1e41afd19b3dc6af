/** Smooth turn taking, one sample: before, after or never. Source: docs/metrics.md, "Smooth turn taking". */
import type { TurnTakingSample } from './loaded-sample.js'

export interface TurnTakingFacts {
  readonly outcome: 'early_start' | 'response' | 'no_response'
  /** From the end of the user's turn to the first word; null where the outcome is no response. */
  readonly latencyUs: number | null
  /** From the end of the user's turn to the end of the window. */
  readonly observableUs: number
}

export function turnTakingFacts(sample: Pick<TurnTakingSample, 'totalUs' | 'turnEndUs' | 'words'>): TurnTakingFacts {
  const { totalUs, turnEndUs, words } = sample
  const firstUs = words.reduce((first, { startUs }) => Math.min(first, startUs), Number.POSITIVE_INFINITY)
  const observableUs = totalUs - turnEndUs
  if (firstUs === Number.POSITIVE_INFINITY) return { outcome: 'no_response', latencyUs: null, observableUs }
  if (firstUs < turnEndUs) return { outcome: 'early_start', latencyUs: null, observableUs }
  return { outcome: 'response', latencyUs: firstUs - turnEndUs, observableUs }
}
