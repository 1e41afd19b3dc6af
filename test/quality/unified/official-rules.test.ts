import { describe, expect, it } from 'vitest'
import { officialRules } from '../../../src/quality/unified/official-rules.js'

type Chunks = readonly (readonly [number, number | null])[]
const sample = (chunks: Chunks, referenceS: number | null = null) => ({
  words: chunks.map(([startS, endS]) => ({ text: 'word', startS, endS })),
  referenceS,
})

describe('takeover', () => {
  it.each<[string, Chunks, number]>([
    ['no words', [], 0],
    ['one short word', [[1, 1.9]], 0],
    ['one word of a second', [[1, 2]], 1],
    ['one word that float noise makes a hair shorter than a second', [[3.35, 4.35]], 0],
    [
      'three words within a second',
      [
        [1, 1.2],
        [1.3, 1.5],
        [1.6, 1.9],
      ],
      0,
    ],
    [
      'four words within a second',
      [
        [1, 1.05],
        [1.1, 1.15],
        [1.2, 1.25],
        [1.3, 1.35],
      ],
      1,
    ],
    [
      'a last word without an end counts from its start',
      [
        [1, 1.2],
        [3, null],
      ],
      1,
    ],
    [
      'the last word of the file, not the latest',
      [
        [1, 1.2],
        [5, 6],
        [1.5, 1.8],
      ],
      0,
    ],
  ])('%s: %j is %i', (_, chunks, rate) => {
    expect(officialRules([sample(chunks)])).toMatchObject({ takeover_rate: rate, latency_s: null, n: 1 })
  })
})

describe('latency', () => {
  it('is the mean over takeovers, negative ones as 0', () => {
    const samples = [sample([[3, 4.5]], 2.5), sample([[3, 4.5]], 3.5), sample([[3, 3.5]], 2.5)]
    expect(officialRules(samples)).toEqual({ takeover_rate: 2 / 3, latency_s: 0.25, takeovers: 2, n: 3 })
  })

  it.each([
    [
      'a last word without an end',
      [
        sample(
          [
            [1, 1.2],
            [3, null],
          ],
          2,
        ),
      ],
      /subtracts null/,
    ],
    ['no takeover', [sample([[3, 3.5]], 2.5)], /no takeover/],
    ['no sample', [], /no eligible sample/],
  ])('%s gives no number, as the evaluator stops', (_, samples, why) => {
    expect(officialRules(samples)).toMatchObject({
      takeover_rate: null,
      latency_s: null,
      no_number: expect.stringMatching(why),
    })
  })
})
