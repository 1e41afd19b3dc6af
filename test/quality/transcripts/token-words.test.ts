import { describe, expect, it } from 'vitest'
import { wordsOfTokens } from '../../../src/quality/transcripts/token-words.js'

describe('wordsOfTokens', () => {
  it('joins pieces to words: start of the first, end of the last', () => {
    const tokens = [' he', 'llo', '\u2581wor', 'ld', '.']
    const timestamps = [0.5, 0.75, 1.5, 1.75, 2]
    const durations = [0.25, 0.125, 0.25, 0.25, 0]
    expect(wordsOfTokens({ tokens, timestamps, durations })).toEqual({
      ok: true,
      words: [
        { text: 'hello', startS: 0.5, endS: 0.875 },
        { text: 'world.', startS: 1.5, endS: 2 },
      ],
    })
  })

  it('has no ends without durations, and starts a word at its first sounding token', () => {
    expect(wordsOfTokens({ tokens: ['\u2581', 'a', ' ', ' b'], timestamps: [0, 1, 2, 3], durations: [] })).toEqual({
      ok: true,
      words: [
        { text: 'a', startS: 1, endS: null },
        { text: 'b', startS: 3, endS: null },
      ],
    })
  })

  it('a first token without a blank begins a word', () => {
    const result = wordsOfTokens({ tokens: ['a', 'b'], timestamps: [0, 1], durations: [0.5, 0.5] })
    expect(result).toEqual({ ok: true, words: [{ text: 'ab', startS: 0, endS: 1.5 }] })
  })

  it.each([
    [['a'], [], []],
    [['a'], [0], [1, 2]],
    [['a'], [Number.NaN], [1]],
  ])('refuses lists that do not fit: %j', (tokens, timestamps, durations) => {
    expect(wordsOfTokens({ tokens, timestamps, durations }).ok).toBe(false)
  })
})
