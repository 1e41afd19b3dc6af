import { describe, expect, it } from 'vitest'
import { checkInputLength, checkSample } from '../../../src/quality/unified/check-sample.js'
import { type PlainSample, rawSample } from './sample-builder.js'

const PAUSES = { task: 'pause_handling', T: 10, pauses: [[2, 3]], words: [] } as const satisfies PlainSample
const TURN = { task: 'smooth_turn_taking', T: 10, E: 4, words: [] } as const satisfies PlainSample
const CUT_IN = { task: 'user_interruption', T: 10, S: 4, R: 6, words: [], speech: [] } as const satisfies PlainSample

describe('a sample at the very edge is accepted', () => {
  it.each<[string, PlainSample]>([
    [
      'a word at 0, and one at T',
      {
        ...PAUSES,
        words: [
          [0, 1],
          [10, 11],
        ],
      },
    ],
    ['a word that float noise puts before 0', { ...PAUSES, words: [[-5e-14, 1]] }],
    ['a word less than half a microsecond after T', { ...PAUSES, words: [[10.0000004, null]] }],
    ['a word that ends long after T', { ...PAUSES, words: [[9, 1000]] }],
    ['a word that ends before it starts', { ...PAUSES, words: [[9, 8]] }],
    ['a pause over the whole window', { ...PAUSES, pauses: [[0, 10]] }],
    [
      'pauses that touch, one of no length',
      {
        ...PAUSES,
        pauses: [
          [1, 1],
          [1, 2],
          [2, 3],
        ],
      },
    ],
    ['E at 0', { ...TURN, E: 0 }],
    ['E at T', { ...TURN, E: 10 }],
    ['S = R = T', { ...CUT_IN, S: 10, R: 10 }],
    ['a word at R', { ...CUT_IN, words: [[6, 7]] }],
    ['a word that float noise puts before R', { ...CUT_IN, words: [[5.99999999999, 7]] }],
    [
      'speech from 0 to T in segments that touch',
      {
        ...CUT_IN,
        speech: [
          [0, 5],
          [5, 10],
        ],
      },
    ],
  ])('%s', (_, plain) => {
    expect(checkSample(rawSample(plain))).toMatchObject({ ok: true })
  })
})

describe('a sample beyond the edge is refused', () => {
  it.each<[string, PlainSample, RegExp]>([
    ['a word a microsecond before 0', { ...PAUSES, words: [[-1e-6, 1]] }, /word 1.* outside \[0, 10\]/],
    [
      'a word a microsecond after T',
      {
        ...TURN,
        words: [
          [5, 6],
          [10.000001, 11],
        ],
      },
      /word 2.* outside \[0, 10\]/,
    ],
    ['a word a microsecond before R', { ...CUT_IN, words: [[5.999999, 7]] }, /word 1.* before the end of the inter/],
    [
      'a word outside, behind one before R',
      {
        ...CUT_IN,
        words: [
          [5, 7],
          [11, 12],
        ],
      },
      /word 2.* outside/,
    ],
    ['a pause that ends after T', { ...PAUSES, pauses: [[2, 10.000001]] }, /pause 1.* outside/],
    ['a pause that ends before it starts', { ...PAUSES, pauses: [[3, 2.999999]] }, /pause 1.* before it starts/],
    [
      'pauses that overlap',
      {
        ...PAUSES,
        pauses: [
          [1, 2],
          [1.999999, 3],
        ],
      },
      /pause 2.* overlaps/,
    ],
    [
      'pauses out of order',
      {
        ...PAUSES,
        pauses: [
          [4, 5],
          [1, 2],
        ],
      },
      /pause 2.* out of order/,
    ],
    ['no pause', { ...PAUSES, pauses: [] }, /no pause/],
    ['E after T', { ...TURN, E: 10.000001 }, /end of the user's turn/],
    ['S after R', { ...CUT_IN, S: 6.000001 }, /starts at 6.000001 s, after its end/],
    ['R after T', { ...CUT_IN, R: 11 }, /interruption's end/],
    ['speech after T', { ...CUT_IN, speech: [[9, 10.000001]] }, /speech segment 1.* outside/],
    ['speech of no length', { ...CUT_IN, speech: [[1, 1]] }, /speech segment 1.* no positive length/],
    [
      'speech out of order',
      {
        ...CUT_IN,
        speech: [
          [3, 4],
          [1, 2],
        ],
      },
      /speech segment 2.* starts before the end/,
    ],
    ['no input length', { ...TURN, T: 0 }, /input lasts 0 s/],
    ['a bad pause before a bad word', { ...PAUSES, pauses: [[2, 1]], words: [[11, 12]] }, /pause 1/],
  ])('%s', (_, plain, problem) => {
    expect(checkSample(rawSample(plain))).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })
})

describe('the length of the input', () => {
  it.each([
    [{ durationS: 10 }, 10_000_000],
    [{ samples: 160_000, sampleRateHz: 16_000 }, 10_000_000],
    [{ durationS: 9.999999, samples: 160_000, sampleRateHz: 16_000 }, 9_999_999],
  ])('%o lasts %i us', (input, totalUs) => {
    expect(checkInputLength(input)).toMatchObject({ ok: true, value: { totalUs } })
  })

  it.each([
    [{}, /does not say/],
    [{ samples: 160_000 }, /does not say/],
    [{ durationS: -1 }, /lasts -1 s/],
    [{ durationS: 9.999998, samples: 160_000, sampleRateHz: 16_000 }, /160000 samples at 16000 Hz are 10 s/],
  ])('%o is refused', (input, problem) => {
    expect(checkInputLength(input)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })
})
