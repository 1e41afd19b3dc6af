import { describe, expect, it } from 'vitest'
import type { SpeechFinder } from '../../../src/quality/detection/speech-finder.js'
import { vadTranscripts } from '../../../src/quality/transcripts/vad-transcripts.io.js'
import { INTERRUPTION, PAUSE, smallTree, TURN } from './small-tree.js'

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
