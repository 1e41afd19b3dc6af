import { describe, expect, it } from 'vitest'
import { parseWordAnswer } from '../../../src/quality/transcripts/word-answer.js'

const YES = { text: 'yes', startS: 0.5, endS: 0.75 }

describe('parseWordAnswer', () => {
  it.each([
    ['the OpenAI API', { text: 'Yes.', words: [{ word: 'yes', start: 0.5, end: 0.75 }] }, 'Yes.', [YES]],
    ['words named text, no text beside them', { words: [{ text: 'yes', start: 0.5, end: 0.75 }] }, 'yes', [YES]],
    ['a word without an end', { words: [{ word: 'yes', start: 1 }] }, 'yes', [{ text: 'yes', startS: 1, endS: null }]],
    [
      'words in segments only',
      { text: 'yes', segments: [{ words: [{ word: 'yes', start: 0.5, end: 0.75 }] }, { words: null }] },
      'yes',
      [YES],
    ],
    ['output.json', { text: ' yes', chunks: [{ text: 'yes', timestamp: [0.5, 0.75] }] }, ' yes', [YES]],
    ['silence', { text: '', words: [] }, '', []],
    ['silence without a list', { text: ' ' }, ' ', []],
    ['an empty list alone', { words: [] }, '', []],
  ])('reads %s', (_, answer, text, words) => {
    expect(parseWordAnswer(JSON.stringify(answer))).toEqual({ ok: true, transcript: { text, words } })
  })

  it.each([
    ['yes', /is not valid JSON: yes/],
    ['', /it is empty/],
    ['[]', /is no transcription/],
    ['{}', /has no words with times/],
    ['{"text": "yes"}', /has no words with times/],
    ['{"text": "yes", "words": []}', /has no words with times/],
    ['{"words": [{"word": "yes", "start": "0.5"}]}', /no usable times: word 0.start/],
    ['{"words": [{"word": "yes", "start": null}]}', /no usable times: word 0.start/],
    ['{"words": [{"word": "yes", "start": 1e999}]}', /no usable times: word 0.start/],
    ['{"words": {"word": "yes"}}', /no usable times/],
    ['{"text": "yes", "chunks": [{"text": "yes", "timestamp": [null, 1]}]}', /wrong chunks/],
  ])('refuses %s', (text, problem) => {
    expect(parseWordAnswer(text)).toEqual(
      expect.objectContaining({ ok: false, problem: expect.stringMatching(problem) }),
    )
  })
})
