/** Samples from plain seconds, as the worked examples write them. */
import { expect } from 'vitest'
import type { Annotation, SpanS } from '../../../src/dataset/annotation.js'
import { checkSample, type RawSample } from '../../../src/quality/unified/check-sample.js'
import type { EligibleSample, IneligibleSample, ScoredSubset } from '../../../src/quality/unified/loaded-sample.js'

export interface PlainSample {
  readonly task: string
  readonly T: number
  readonly words: readonly (readonly [number, number | null])[]
  readonly pauses?: readonly SpanS[]
  readonly E?: number
  readonly S?: number
  readonly R?: number
  readonly speech?: readonly SpanS[]
}

const SUBSETS: Readonly<Record<string, ScoredSubset>> = {
  pause_handling: 'candor_pause_handling',
  smooth_turn_taking: 'candor_turn_taking',
  user_interruption: 'synthetic_user_interruption',
}

export function rawSample(plain: PlainSample, id = '1'): RawSample {
  return {
    sampleId: id,
    subset: SUBSETS[plain.task] as ScoredSubset,
    task: plain.task,
    input: { durationS: plain.T },
    annotation: annotationOf(plain),
    words: plain.words.map(([startS, endS]) => ({ text: 'word', startS, endS })),
    speech: plain.speech ?? [],
  }
}

/** Fails the test where a load check does not pass. */
export function loadedSample(plain: PlainSample, id = '1'): EligibleSample {
  const checked = checkSample(rawSample(plain, id))
  if (!checked.ok) return expect.unreachable(checked.problem)
  return checked.value
}

export function ineligibleSamples(subset: ScoredSubset, count: number): IneligibleSample[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'ineligible',
    sampleId: `lost-${index}`,
    subset,
    task: 'any',
    reasons: ['pacing'],
  }))
}

function annotationOf({ pauses, E, S, R }: PlainSample): Annotation {
  if (pauses !== undefined) return { kind: 'pauses', pauses }
  if (E !== undefined) return { kind: 'turn_end', endS: E }
  return { kind: 'interruption', startS: S ?? 0, endS: R ?? 0 }
}
