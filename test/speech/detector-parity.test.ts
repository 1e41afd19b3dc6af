import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { pcm16Bytes, sha256Hex } from '../../src/dataset/input-clip.js'
import { parseWav } from '../../src/dataset/wav.js'
import { wavMonoPcm16 } from '../../src/dataset/wav-samples.js'
import { loadSpeechDetector } from '../../src/speech/detector.io.js'
import { speechSegments } from '../../src/speech/speech-segments.js'

type Part = readonly [voice: string, from: number, to: number, gain: number] | readonly [voice: null, samples: number]

interface Clip {
  readonly parts: readonly Part[]
  readonly noise?: readonly [seed: number, peak: number]
  readonly samples: number
  readonly sha256: string
  /** By parameters; null where they equal the first. */
  readonly segments: readonly ([number, number][] | null)[]
}

const vectorsUrl = new URL('../vectors/speech/', import.meta.url)
/** Made by Silero's own Python tools, with make-parity-vectors.py beside it. */
const golden: {
  readonly files: Readonly<Record<string, string>>
  readonly parameters: readonly Readonly<Record<string, number>>[]
  readonly clips: readonly Clip[]
} = JSON.parse(readFileSync(new URL('parity.json', vectorsUrl), 'utf8'))

const PARAMETER_NAMES: Readonly<Record<string, string>> = {
  threshold: 'threshold',
  min_speech_duration_ms: 'minSpeechMs',
  min_silence_duration_ms: 'minSilenceMs',
  speech_pad_ms: 'padMs',
}

const voices = Object.fromEntries(
  Object.entries(golden.files).map(([voice, file]) => {
    const audio = parseWav(readFileSync(new URL(file, vectorsUrl)))
    if (!audio.ok) throw new Error(audio.problem)
    return [voice, wavMonoPcm16(audio)]
  }),
)

/** The script's recipe again. */
function render({ parts, noise }: Clip): Int16Array {
  const samples = parts.flatMap((part) => {
    if (part[0] === null) return new Array<number>(part[1]).fill(0)
    const [voice, from, to, gain] = part
    return Array.from(voices[voice]?.subarray(from, to) ?? [], (sample) => (sample * gain) >> 8)
  })
  if (noise !== undefined) {
    let [seed] = noise
    const peak = noise[1]
    for (const [index, sample] of samples.entries()) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      samples[index] = sample + Math.floor(((seed >>> 16) * (2 * peak + 1)) / 65536) - peak
    }
  }
  return Int16Array.from(samples, (sample) => Math.max(-32768, Math.min(32767, sample)))
}

const clips = golden.clips.map(render)
let probabilities: Float32Array[] = []
beforeAll(async () => {
  const detector = await loadSpeechDetector()
  probabilities = await detector.probabilitiesOf(clips)
})

test('the clips are those that the Python tools were given', () => {
  expect(clips.map((clip) => clip.length)).toEqual(golden.clips.map(({ samples }) => samples))
  expect(clips.map((clip) => sha256Hex(pcm16Bytes(clip)))).toEqual(golden.clips.map(({ sha256 }) => sha256))
})

test.each(golden.parameters.map((parameters, index) => ({ parameters, index })))(
  'with $parameters every segment equals that of the Python tools to the sample',
  ({ parameters, index }) => {
    const own = Object.entries(parameters).map(([name, value]) => [PARAMETER_NAMES[name], value])
    const found = clips.map((clip, at) =>
      speechSegments({
        probabilities: probabilities[at] ?? [],
        samples: clip.length,
        ...Object.fromEntries(own),
      }).map(({ startSample, endSample }) => [startSample, endSample]),
    )
    expect(found).toEqual(golden.clips.map(({ segments }) => segments[index] ?? segments[0]))
  },
)
