import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { speechSegments } from '../../src/speech/speech-segments.js'

interface Vectors {
  readonly cases: readonly {
    readonly params: Readonly<Record<string, number>>
    readonly samples: number
    readonly probabilities: number[]
    readonly segments: [number, number][]
  }[]
}
/** Made by Silero's own Python tools; `origin` in the file names the version and the script. */
const vectors: Vectors = JSON.parse(readFileSync(new URL('../vectors/audio/silero.json', import.meta.url), 'utf8'))

const PARAMETER_NAMES: Readonly<Record<string, string>> = {
  threshold: 'threshold',
  neg_threshold: 'negThreshold',
  min_speech_duration_ms: 'minSpeechMs',
  min_silence_duration_ms: 'minSilenceMs',
  speech_pad_ms: 'padMs',
}

test.each(vectors.cases.map((vector, index) => ({ index, ...vector })))(
  'vector $index gives the segments of the Python tools ($params)',
  ({ params, samples, probabilities, segments }) => {
    const parameters = Object.fromEntries(Object.entries(params).map(([name, value]) => [PARAMETER_NAMES[name], value]))
    const actual = speechSegments({ probabilities, samples, ...parameters })
    expect(actual.map(({ startSample, endSample }) => [startSample, endSample])).toEqual(segments)
  },
)

/** Windows written as digits: tenths of a probability. */
function segmentsOf(windows: string, samples = windows.length * 512): string {
  const probabilities = [...windows].map((digit) => Number(digit) / 10)
  const segments = speechSegments({ probabilities, samples })
  return segments.map(({ startSample, endSample }) => `${startSample / 512}-${endSample / 512}`).join(' ')
}

describe('by hand, with the default parameters', () => {
  test.each([
    { name: 'nothing', windows: '', segments: '' },
    { name: 'silence', windows: '0000', segments: '' },
    // 250 ms are 7.8125 windows: 7 are too short, 8 are enough.
    { name: '7 windows are too short', windows: '0999999900000', segments: '' },
    { name: '8 windows are enough', windows: '09999999900000', segments: '1-9' },
    // 100 ms are 3.125 windows: the fifth quiet window is the first that is at least so much later than the first.
    { name: 'a gap of 4 windows joins', windows: '99999999000099999999', segments: '0-20' },
    { name: 'a gap of 5 windows parts', windows: '999999990000099999999', segments: '0-8 13-21' },
    { name: 'the threshold itself is speech', windows: '0555555550000000', segments: '1-9' },
    { name: 'below it, speech does not start', windows: '0444444444444444', segments: '' },
    { name: 'between the thresholds, speech goes on', windows: '09444444444000000', segments: '1-11' },
    { name: 'a window between the thresholds does not end a gap', windows: '99999999004000000', segments: '0-8' },
    { name: 'speech that is open at the end lasts to the end', windows: '999999999000', segments: '0-12' },
  ])('$name', ({ windows, segments }) => {
    expect(segmentsOf(windows)).toBe(segments)
  })

  test('the last segment ends with the audio, not with its window', () => {
    expect(segmentsOf('9999999999', 9.5 * 512)).toBe('0-9.5')
  })
})

test('a wrong number of probabilities is our own mistake and throws', () => {
  expect(() => speechSegments({ probabilities: [0, 0], samples: 512 })).toThrow('one probability for each window')
})
