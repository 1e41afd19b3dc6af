import { describe, expect, it } from 'vitest'
import type { SpeechFinder } from '../../../src/quality/detection/speech-finder.js'
import { vadTranscriptsFromFile } from '../../../src/quality/transcripts/vad-file.io.js'
import { vadTranscripts } from '../../../src/quality/transcripts/vad-transcripts.io.js'
import { INTERRUPTION, PAUSE, R, smallTree, TURN } from './small-tree.js'

/** The second half of each window is speech. */
function halfFinder(windows: Int16Array[]): SpeechFinder {
  return {
    identity: { kind: 'silero', version: '6.2' },
    async find(given) {
      windows.push(...given)
      return given.map(({ length }) => [{ startSample: length / 2, endSample: length }])
    },
    async close() {},
  }
}

describe('vadTranscripts', () => {
  it('counts segments as words, of the reply alone for an interruption, and is a definition of its own', async () => {
    const windows: Int16Array[] = []
    const read = await vadTranscripts(await smallTree(), halfFinder(windows))
    expect(windows.map(({ length }) => length)).toEqual([32_000, 32_000, 12_000])
    expect(read.transcripts.get(TURN)?.words).toEqual([{ text: '[speech]', startS: 1, endS: 2 }])
    expect(read.transcripts.get(INTERRUPTION)?.words).toEqual([{ text: '[speech]', startS: 1.625, endS: 2 }])
    expect(read).toMatchObject({
      recognizer: { kind: 'vad', name: 'vad', details: { version: '6.2' } },
      asrSha256: null,
    })
  })

  it('a reply part without a sample has no words and is not detected on', async () => {
    const windows: Int16Array[] = []
    const tree = await smallTree({ [`${INTERRUPTION}/interrupt.json`]: [{ timestamp: [0.5, 2] }] })
    const { transcripts } = await vadTranscripts(tree, halfFinder(windows))
    expect(windows).toHaveLength(2)
    expect(transcripts.get(INTERRUPTION)?.words).toEqual([])
    expect(transcripts.get(PAUSE)?.words).toHaveLength(1)
  })
})

describe('segments of another detector', () => {
  const files = (interruption: unknown) => ({
    [`${PAUSE}/vad.json`]: [[0.1, 0.4]],
    [`${TURN}/vad.json`]: [],
    [`${INTERRUPTION}/vad.json`]: interruption as object,
  })

  it('are the words; of an interruption what lies after R', async () => {
    const tree = await smallTree(
      files([
        [0, 0.5],
        [1.1, 1.4],
        [1.45, 1.5],
      ]),
    )
    const { recognizer, transcripts } = await vadTranscriptsFromFile(tree, 'vad.json')
    expect(recognizer).toMatchObject({ kind: 'vad', details: { kind: 'file', file: 'vad.json' } })
    const times = (name: string) => transcripts.get(name)?.words.map(({ startS, endS }) => [startS, endS])
    expect(times(PAUSE)).toEqual([[0.1, 0.4]])
    expect(times(TURN)).toEqual([])
    // The second one carries over R.
    expect(times(INTERRUPTION)).toEqual([
      [R, 1.4],
      [1.45, 1.5],
    ])
  })

  it('do not begin with what ends at R', async () => {
    const tree = await smallTree(files([[1, R]]))
    const { transcripts } = await vadTranscriptsFromFile(tree, 'vad.json')
    expect(transcripts.get(INTERRUPTION)?.words).toEqual([])
  })

  it.each([
    { name: 'is missing', extra: {}, message: /1 has no vad\.json/ },
    { name: 'is no list', extra: files({ a: 1 }), message: /synthetic_user_interruption\/3: vad\.json is not a list/ },
    {
      name: 'has a segment backwards',
      extra: files([[1, 0.5]]),
      message: /3: vad\.json: speech segment 1, .* no positive/,
    },
    { name: 'begins too early', extra: files([[-1, 0.5]]), message: /3: vad\.json: speech segment 1, .* lies outside/ },
    {
      name: 'has no order',
      extra: files([
        [1, 1.5],
        [0.2, 0.4],
      ]),
      message: /3: vad\.json: speech segment 2, .* before the end/,
    },
  ])('are refused where a file $name', async ({ extra, message }) => {
    const tree = await smallTree(extra)
    await expect(vadTranscriptsFromFile(tree, 'vad.json')).rejects.toMatchObject({
      code: 'TREE_INVALID',
      message: expect.stringMatching(message),
    })
  })
})
