/**
 * The published v1.0 rules for pause handling, turn taking and user interruption, as the official evaluators have them: the
 * takeover rate and the clamped latency. A reference beside the unified metrics, not one of them. Doubles as they stand in
 * the files, in the evaluators' order of operations, since `duration < 1` and `latency < 0` see float noise.
 * Source: Full-Duplex-Bench v1.0, `eval_pause_handling.py`, `eval_smooth_turn_taking.py`, `eval_user_interruption.py`; their
 * quirks are listed in docs/metrics.md, "Official rules".
 */
import type { Word } from '../transcripts/transcript.js'
import type { OfficialRules } from './unified-result.js'

export interface OfficialSample {
  /** In the order of the file: the first and the last count, whatever their times. */
  readonly words: readonly Word[]
  /** E or R in seconds, as in the file; null for pause handling, which has no latency. */
  readonly referenceS: number | null
}

const SPAN_S = 1
const WORDS_MAX = 3

/** @param samples the eligible ones of one subset */
export function officialRules(samples: readonly OfficialSample[]): OfficialRules {
  const nothing = { takeover_rate: null, latency_s: null, takeovers: null, n: samples.length }
  if (samples.length === 0) return { ...nothing, no_number: 'no eligible sample: the evaluator divides by zero' }
  let takeovers = 0
  let latencySumS = 0
  for (const sample of samples) {
    const isTakeover = takesOver(sample)
    if (isTakeover === undefined) {
      return { ...nothing, no_number: 'a last word without an end: the evaluator subtracts null and stops' }
    }
    if (!isTakeover) continue
    takeovers += 1
    if (sample.referenceS !== null) latencySumS += latencyOf(sample.words, sample.referenceS)
  }
  const rate = takeovers / samples.length
  if (samples.every(({ referenceS }) => referenceS === null)) {
    return { takeover_rate: rate, latency_s: null, takeovers, n: samples.length }
  }
  if (takeovers === 0) {
    return { ...nothing, takeovers, no_number: 'no takeover: the evaluator divides by zero for the latency' }
  }
  return { takeover_rate: rate, latency_s: latencySumS / takeovers, takeovers, n: samples.length }
}

/** Undefined where the evaluator stops with an error. */
function takesOver({ words, referenceS }: OfficialSample): boolean | undefined {
  const [first, last] = [words[0], words.at(-1)]
  if (first === undefined || last === undefined) return false
  // Only the pause evaluator takes the start of a last word that has no end.
  const lastEndS = last.endS ?? (referenceS === null ? last.startS : undefined)
  if (lastEndS === undefined) return undefined
  return !(lastEndS - first.startS < SPAN_S && words.length <= WORDS_MAX)
}

function latencyOf(words: readonly Word[], referenceS: number): number {
  const latencyS = (words[0]?.startS ?? 0) - referenceS
  return Math.max(0, latencyS)
}
