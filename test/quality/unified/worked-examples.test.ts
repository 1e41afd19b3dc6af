/** The worked examples of the metrics, number for number. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LoadedSample, ScoredSubset } from '../../../src/quality/unified/loaded-sample.js'
import { rowOf, scoreSamples } from '../../../src/quality/unified/score-samples.js'
import { ineligibleSamples, loadedSample, type PlainSample } from './sample-builder.js'

interface OneSample extends PlainSample {
  readonly id: string
  readonly expect: Readonly<Record<string, unknown>>
  readonly why: string
}

interface WholeSubset {
  readonly id: string
  readonly subset: ScoredSubset
  readonly of?: readonly (string | PlainSample)[]
  readonly latencies?: readonly number[]
  readonly early?: number
  readonly silent?: number
  readonly ineligible?: number
  readonly expect: Readonly<Record<string, unknown>>
  readonly why: string
}

const EXAMPLES = JSON.parse(readFileSync('test/vectors/unified/worked_examples.json', 'utf8')) as (
  | OneSample
  | WholeSubset
)[]
const ONE = EXAMPLES.filter((example): example is OneSample => 'T' in example)
const WHOLE = EXAMPLES.filter((example): example is WholeSubset => 'subset' in example)

describe('one sample', () => {
  it.each(ONE.map((example) => [`${example.id}: ${example.why}`, example] as const))('%s', (_, example) => {
    expect(rowOf(loadedSample(example))).toMatchObject(example.expect)
  })
})

describe('a whole subset', () => {
  it.each(WHOLE.map((example) => [`${example.id}: ${example.why}`, example] as const))('%s', (_, example) => {
    const samples = [...samplesOf(example), ...ineligibleSamples(example.subset, example.ineligible ?? 0)]
    const scores = scoreSamples(samples, { withOfficialRules: true }).subsets[example.subset]
    for (const [name, expected] of Object.entries(example.expect)) {
      const found = name in (scores ?? {}) ? scores?.[name as keyof typeof scores] : scores?.metrics[name]
      expectClose(found, expected, name)
    }
  })

  it('covers every example', () => {
    expect(ONE.length + WHOLE.length).toBe(EXAMPLES.length)
    expect(EXAMPLES.length).toBe(33)
  })
})

function samplesOf({ of, latencies = [], early = 0, silent = 0 }: WholeSubset): LoadedSample[] {
  if (of !== undefined) {
    return of.map((one) =>
      loadedSample(typeof one === 'string' ? (ONE.find(({ id }) => id === one) as OneSample) : one),
    )
  }
  const turn = (words: PlainSample['words']) => loadedSample({ task: 'smooth_turn_taking', T: 12, E: 4, words })
  return [
    ...latencies.map((latency) => turn([[4 + latency, null]])),
    ...Array.from({ length: early }, () => turn([[3, 3.2]])),
    ...Array.from({ length: silent }, () => turn([])),
  ]
}

/** Numbers within 1e-9, everything else the same; keys that are not named do not matter. */
function expectClose(found: unknown, expected: unknown, name: string): void {
  if (typeof expected === 'number') {
    expect(found, name).toBeTypeOf('number')
    expect(Math.abs((found as number) - expected), `${name}: ${found} is not ${expected}`).toBeLessThan(1e-9)
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      expectClose((found as Readonly<Record<string, unknown>>)[key], value, `${name}.${key}`)
    }
  } else expect(found, name).toBe(expected)
}
