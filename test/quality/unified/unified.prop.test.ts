import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadedSample } from '../../../src/quality/unified/loaded-sample.js'
import { rowOf, scoreSamples } from '../../../src/quality/unified/score-samples.js'
import type { LatencyMetric, ShareMetric, SubsetScores } from '../../../src/quality/unified/unified-result.js'
import { ineligibleSamples, loadedSample, type PlainSample } from './sample-builder.js'

/** Few distinct times, so that ties and touching spans are common. */
const timeS = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((half) => half / 2),
  fc.constantFrom(3.999999, 4.000001, 5, 6, 6.000001, 9, 9.000001),
)
const word = fc.tuple(timeS, fc.option(timeS))
const spans = fc
  .uniqueArray(timeS, { maxLength: 8 })
  .map((times) => times.sort((a, b) => a - b))
  .map((times) => times.flatMap((start, at) => (at % 2 === 0 ? [[start, times[at + 1] ?? 10] as const] : [])))
  .map((pairs) => pairs.filter(([start, end]) => start < end))

const turnSample = fc
  .array(word, { maxLength: 4 })
  .map((words): PlainSample => ({ task: 'smooth_turn_taking', T: 10, E: 4, words }))
const pauseSample = fc.tuple(spans, fc.array(word, { maxLength: 5 })).map(
  ([pauses, words]): PlainSample => ({
    task: 'pause_handling',
    T: 10,
    pauses: pauses.length === 0 ? [[3, 3]] : pauses,
    words,
  }),
)
const interruptionSample = fc.tuple(spans, fc.array(word, { maxLength: 3 })).map(
  ([speech, words]): PlainSample => ({
    task: 'user_interruption',
    T: 10,
    S: 2,
    R: 4,
    speech,
    words: words.filter(([startS]) => startS >= 4),
  }),
)

const capture = (sample: fc.Arbitrary<PlainSample>) =>
  fc.record({ plain: fc.array(sample, { maxLength: 12 }), lost: fc.integer({ min: 0, max: 3 }) })
const RUNS = { numRuns: 60 }

function scoresOf(
  subset: 'candor_turn_taking' | 'candor_pause_handling' | 'synthetic_user_interruption',
  { plain, lost }: { plain: readonly PlainSample[]; lost: number },
): SubsetScores | undefined {
  const samples: LoadedSample[] = [
    ...plain.map((one, index) => loadedSample(one, String(index))),
    ...ineligibleSamples(subset, lost),
  ]
  return scoreSamples(samples, { withOfficialRules: false }).subsets[subset]
}

const share = (scores: SubsetScores, name: string) => scores.metrics[name] as ShareMetric
const latency = (scores: SubsetScores) => scores.metrics.response_latency_s as LatencyMetric

describe.each([
  ['candor_turn_taking', turnSample, 'early_start_rate'],
  ['synthetic_user_interruption', interruptionSample, 'speaking_at_end_rate'],
] as const)('%s', (subset, sample, early) => {
  it('a quantile is at most k exactly when the response rate at k is at least q', () => {
    fc.assert(
      fc.property(capture(sample), (given) => {
        const scores = scoresOf(subset, given)
        if (scores === undefined || latency(scores).n === 0) return
        for (const k of [1, 2, 5]) {
          const { count, n } = share(scores, `response_rate_${k}s`)
          const isWithin = (value: unknown) => typeof value === 'number' && value <= k
          expect(isWithin(latency(scores).value)).toBe(2 * count >= n)
          expect(isWithin(latency(scores).p90)).toBe(10 * count >= 9 * n)
        }
      }),
      RUNS,
    )
  })

  it('every sample has exactly one outcome', () => {
    fc.assert(
      fc.property(capture(sample), (given) => {
        const scores = scoresOf(subset, given)
        if (scores === undefined) return
        const rows = given.plain.map((one) => rowOf(loadedSample(one)))
        const responses = rows.filter((row) => 'outcome' in row && row.outcome === 'response').length
        expect(share(scores, early).count + responses + share(scores, 'no_response_rate').count).toBe(latency(scores).n)
      }),
      RUNS,
    )
  })
})

describe.each([
  ['candor_pause_handling', pauseSample],
  ['candor_turn_taking', turnSample],
  ['synthetic_user_interruption', interruptionSample],
] as const)('%s', (subset, sample) => {
  it('shares lie inside their intervals and their bounds, and the bounds get wider with what is unknown', () => {
    fc.assert(
      fc.property(capture(sample), (given) => {
        const scores = scoresOf(subset, given)
        if (scores === undefined) return
        const { selected } = scores.counts
        for (const metric of Object.values(scores.metrics)) {
          if (!('selected_bounds' in metric)) continue
          const { count, n, value, interval, selected_bounds: bounds } = metric
          expect(count).toBeLessThanOrEqual(n)
          expect(bounds[0]).toBe(count / selected)
          expect(bounds[1] - bounds[0]).toBeCloseTo((selected - n) / selected, 12)
          if (value === null || interval === null) continue
          expect(value).toBeGreaterThanOrEqual(Math.max(interval[0], bounds[0]))
          expect(value).toBeLessThanOrEqual(Math.min(interval[1], bounds[1]))
        }
      }),
      RUNS,
    )
  })

  it('the order of words changes no row', () => {
    fc.assert(
      fc.property(sample, fc.nat(), (plain, turn) => {
        const at = plain.words.length === 0 ? 0 : turn % plain.words.length
        const turned = [...plain.words.slice(at), ...plain.words.slice(0, at)].reverse()
        expect(rowOf(loadedSample({ ...plain, words: turned }))).toEqual(rowOf(loadedSample(plain)))
      }),
      RUNS,
    )
  })
})

it('a pause sample intrudes exactly when one of its pauses is hit, and covers no more than its pauses', () => {
  fc.assert(
    fc.property(pauseSample, (plain) => {
      const row = rowOf(loadedSample(plain))
      if (!('pause_intrusion' in row)) return expect.unreachable()
      expect(row.pause_intrusion).toBe(row.pauses_intruded > 0)
      expect(row.pauses_intruded).toBeLessThanOrEqual(Math.min(row.pauses, row.intrusion_words))
      expect(row.intrusion_s).toBeLessThanOrEqual(row.pause_s)
      if (row.inside_pause_onset) expect(row.pause_intrusion).toBe(true)
    }),
  )
})

it('a subset more changes no figure of the others', () => {
  fc.assert(
    fc.property(fc.array(turnSample, { minLength: 1, maxLength: 6 }), pauseSample, (turns, pause) => {
      const own = turns.map((one, index) => loadedSample(one, String(index)))
      const alone = scoreSamples(own, { withOfficialRules: true })
      const together = scoreSamples([loadedSample(pause), ...own], { withOfficialRules: true })
      expect(together.subsets.candor_turn_taking).toEqual(alone.subsets.candor_turn_taking)
    }),
    { numRuns: 20 },
  )
})
