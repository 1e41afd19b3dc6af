import { beforeAll, describe, expect, test } from 'vitest'
import { CLIP_ID, clipDurationS, type InputClip } from '../../src/dataset/input-clip.js'
import { CLIP_SCRIPTS } from '../../src/speech/built-in-texts.js'
import { type BuiltInReply, builtInClips, builtInReplies } from '../../src/speech/clips.io.js'
import { loadSpeechDetector } from '../../src/speech/detector.io.js'
import { PEAK, trimAndLevel, withSilence } from '../../src/speech/shape-speech.js'
import { speechSegments } from '../../src/speech/speech-segments.js'

let clips: InputClip[]
let replies: BuiltInReply[]
beforeAll(async () => {
  clips = await builtInClips(16000)
  replies = await builtInReplies(24000)
})

/** First and last sample that is not digital silence. */
function wordsOf(clip: InputClip): { startSample: number; endSample: number } {
  const isSound = (sample: number) => sample !== 0
  return { startSample: clip.pcm.findIndex(isSound), endSample: clip.pcm.findLastIndex(isSound) + 1 }
}

function peakOf(pcm: Int16Array): number {
  return pcm.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
}

describe('the built-in clips', () => {
  test('are at least 16, with ids that name folders', () => {
    expect(clips.length).toBeGreaterThanOrEqual(16)
    expect(new Set(clips.map((clip) => clip.id)).size).toBe(clips.length)
    for (const clip of clips) {
      expect(clip.id).toMatch(CLIP_ID)
      expect(clip).toMatchObject({ subset: 'speech', variant: 'input', sampleRateHz: 16000, normalization: [] })
    }
  })

  test('alternate between three voices and say 3 to 15 different words each', () => {
    for (const [index, { voice, text }] of CLIP_SCRIPTS.entries()) {
      expect(voice).toBe(['slt', 'rms', 'awb'][index % 3])
      const words = text.split(' ').length
      expect(words).toBeGreaterThanOrEqual(3)
      expect(words).toBeLessThanOrEqual(15)
    }
    expect(new Set(CLIP_SCRIPTS.map(({ text }) => text)).size).toBe(CLIP_SCRIPTS.length)
  })

  test('last 2 to 8 s, of which 0.3 s before and 1.5 to 2.2 s after the words are digital silence', () => {
    for (const clip of clips) {
      const { startSample, endSample } = wordsOf(clip)
      expect(clipDurationS(clip)).toBeGreaterThan(2)
      expect(clipDurationS(clip)).toBeLessThan(8)
      expect(startSample / 16000).toBeCloseTo(0.3, 2)
      const tailS = (clip.pcm.length - endSample) / 16000
      expect(tailS).toBeGreaterThanOrEqual(1.5)
      expect(tailS).toBeLessThan(2.21)
    }
  })

  test('end within a packet of 80 ms and a unit of 1 s, but for two that are whole seconds', () => {
    const whole = clips.filter((clip) => clip.pcm.length % 16000 === 0)
    expect(whole).toHaveLength(2)
    for (const clip of clips) if (!whole.includes(clip)) expect(clip.pcm.length % 1280).not.toBe(0)
  })

  test('peak at -6 dBFS', () => {
    for (const clip of clips) expect(peakOf(clip.pcm)).toBe(PEAK)
  })

  test('hold detected speech over most of their words and none in the silence after them', async () => {
    const detector = await loadSpeechDetector()
    for (const clip of clips) {
      const samples = Float32Array.from(clip.pcm, (sample) => sample / 32768)
      const segments = speechSegments({ probabilities: await detector.probabilities(samples), samples: samples.length })
      const words = wordsOf(clip)
      const covered = segments.reduce((sum, { startSample, endSample }) => {
        return sum + Math.max(0, Math.min(endSample, words.endSample) - Math.max(startSample, words.startSample))
      }, 0)
      expect(covered / (words.endSample - words.startSample), clip.id).toBeGreaterThan(0.85)
      // A segment ends on the grid of 32 ms windows and one or two of them late.
      expect((segments.at(-1)?.endSample ?? 0) - words.endSample, clip.id).toBeLessThan(0.1 * 16000)
      expect(words.startSample - (segments[0]?.startSample ?? 0), clip.id).toBeLessThan(0.064 * 16000)
    }
  })

  test('are the same on every run', async () => {
    expect((await builtInClips(16000)).map((clip) => clip.pcmSha256)).toEqual(clips.map((clip) => clip.pcmSha256))
  })

  test('keep their length in seconds and their source at another rate', async () => {
    const resampled = await builtInClips(24000)
    for (const [index, clip] of resampled.entries()) {
      const original = clips[index]
      expect(clip.pcm.length).toBe(Math.ceil(((original?.pcm.length ?? 0) * 3) / 2))
      expect(clip.id).toBe(original?.id)
      expect(clip.source).toEqual(original?.source)
      expect(clip).toMatchObject({ sampleRateHz: 24000, normalization: ['resampled 16000 Hz to 24000 Hz'] })
    }
    expect(resampled.filter((clip) => clip.pcm.length % 24000 === 0)).toHaveLength(2)
  })
})

describe('the built-in replies', () => {
  test('are 10 of 2 to 7 s, without silence around them', () => {
    expect(replies).toHaveLength(10)
    for (const { pcm, text } of replies) {
      expect(pcm.length / 24000, text).toBeGreaterThan(2)
      expect(pcm.length / 24000, text).toBeLessThan(7)
      expect(peakOf(pcm.subarray(0, 1200))).toBeGreaterThan(0.01 * PEAK)
      expect(peakOf(pcm.subarray(-1200))).toBeGreaterThan(0.01 * PEAK)
    }
  })
})

describe('shaping', () => {
  test('cuts quiet ends, keeps the margin and scales to the peak', () => {
    const pcm = Int16Array.of(9, 9, 9, 10, 0, -1000, 5, 10, 9, 9)
    expect([...trimAndLevel(pcm, 1)]).toEqual([9, 10, 0, -1000, 5, 10, 9].map((v) => Math.round((v * PEAK) / 1000)))
    expect(trimAndLevel(pcm, 100)).toHaveLength(10)
  })

  test.each([
    { isWholeSeconds: false, samples: 9 },
    { isWholeSeconds: true, samples: 10 },
  ])('puts silence on both sides (whole seconds: $isWholeSeconds)', ({ isWholeSeconds, samples }) => {
    const framed = withSilence(Int16Array.of(7, 8), { leadSamples: 3, tailSamples: 4, sampleRateHz: 5, isWholeSeconds })
    expect([...framed]).toEqual([0, 0, 0, 7, 8, ...new Array(samples - 5).fill(0)])
  })

  test('a clip that is whole already is not lengthened', () => {
    const silence = { leadSamples: 3, tailSamples: 5, sampleRateHz: 5, isWholeSeconds: true }
    expect(withSilence(Int16Array.of(7, 8), silence)).toHaveLength(10)
  })
})
