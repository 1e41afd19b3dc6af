import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Annotation,
  annotationProblem,
  FDB_V10,
  isFdbV10Subset,
  parseAnnotation,
} from '../../src/dataset/annotation.js'
import { CLIP_ID, clipDurationS, type InputClip, sha256Hex } from '../../src/dataset/input-clip.js'
import { foldWindows, START_OF_HEARING } from '../../src/loopback/hearing.js'
import { loadSpeechDetector } from '../../src/speech/detector.io.js'
import { PEAK } from '../../src/speech/shape-speech.js'
import { speechSegments, WINDOW_SAMPLES } from '../../src/speech/speech-segments.js'
import { builtInTurnClips } from '../../src/speech/turns-clips.io.js'

const RATE = 16_000
let clips: readonly InputClip[]
/** Of each clip, what the detector hears in its windows. */
let probabilities: ReadonlyMap<InputClip, Float32Array>
beforeAll(async () => {
  clips = await builtInTurnClips(RATE)
  const detector = await loadSpeechDetector()
  const heard = new Map<InputClip, Float32Array>()
  for (const clip of clips) {
    heard.set(clip, await detector.probabilities(Float32Array.from(clip.pcm, (sample) => sample / 32768)))
  }
  probabilities = heard
})

function annotationOf({ annotation }: InputClip): Annotation {
  const parsed = parseAnnotation(annotation?.file as 'pause.json', annotation?.text ?? '')
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.annotation
}

function clipsWith<K extends Annotation['kind']>(kind: K) {
  return clips.flatMap((clip) => {
    const annotation = annotationOf(clip)
    return annotation.kind === kind ? [{ clip, annotation: annotation as Extract<Annotation, { kind: K }> }] : []
  })
}

/** Spans above -40 dB of the peak, in seconds, where less than 300 ms does not part two. */
function audibleSpans({ pcm }: InputClip): { startS: number; endS: number }[] {
  const spans: { startS: number; endS: number }[] = []
  for (let index = 0; index < pcm.length; index += 1) {
    if (Math.abs(pcm[index] as number) < 0.01 * PEAK) continue
    const last = spans.at(-1)
    if (last !== undefined && index / RATE - last.endS < 0.3) last.endS = (index + 1) / RATE
    else spans.push({ startS: index / RATE, endS: (index + 1) / RATE })
  }
  return spans
}

/** Silence that a model which hears in units of 1 s has heard at the end of each unit, in ms. */
function silenceAtSeconds(clip: InputClip): number[] {
  const windows = probabilities.get(clip) ?? new Float32Array(0)
  let state = START_OF_HEARING
  return Array.from({ length: Math.floor(clipDurationS(clip)) }, (_, second) => {
    const from = Math.floor((second * RATE) / WINDOW_SAMPLES)
    const until = Math.floor(((second + 1) * RATE) / WINDOW_SAMPLES)
    const step = foldWindows(state, [...windows.slice(from, until)])
    state = step.state
    return step.heard.silenceMs
  })
}

const secondAfter = (timeS: number) => Math.ceil(timeS)

describe('the built-in turns', () => {
  test('are 12 clips of each of three tasks, under the names of the benchmark, and no files', () => {
    expect(clips).toHaveLength(36)
    for (const subset of ['synthetic_pause_handling', 'candor_turn_taking', 'synthetic_user_interruption']) {
      const ids = clips.filter((clip) => clip.subset === subset).map(({ id }) => id)
      expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => `built-in-${String(index + 1).padStart(2, '0')}`))
    }
    for (const clip of clips) {
      expect(clip.id).toMatch(CLIP_ID)
      expect(clip).toMatchObject({ variant: 'input', source: { file: null }, normalization: [] })
      expect(clip.windowSamples).toBe(clip.pcm.length)
    }
  })

  test('carry the annotation of their task, and it fits the clip', () => {
    for (const clip of clips) {
      const { subset, annotation } = clip
      expect(isFdbV10Subset(subset) && FDB_V10[subset].annotationFile).toBe(annotation?.file)
      expect(annotation?.sha256).toBe(sha256Hex(new TextEncoder().encode(annotation?.text)))
      expect(annotationProblem(annotationOf(clip), clipDurationS(clip))).toBeUndefined()
    }
  })

  test('last 3 to 8 s each, 6 s on average at most', () => {
    const lengthsS = clips.map(clipDurationS)
    expect(Math.min(...lengthsS)).toBeGreaterThan(3)
    expect(Math.max(...lengthsS)).toBeLessThanOrEqual(8)
    expect(lengthsS.reduce((sum, s) => sum + s, 0) / lengthsS.length).toBeLessThanOrEqual(6)
  })

  test('are annotated where their words end and begin', () => {
    for (const clip of clips) {
      const spans = audibleSpans(clip)
      const annotation = annotationOf(clip)
      const times =
        annotation.kind === 'pauses'
          ? annotation.pauses.flatMap((pause) => [...pause])
          : annotation.kind === 'turn_end'
            ? [annotation.endS]
            : [annotation.startS, annotation.endS]
      const bounds = spans.flatMap(({ startS, endS }) => [startS, endS])
      for (const timeS of times) {
        const nearest = Math.min(...bounds.map((boundS) => Math.abs(boundS - timeS)))
        // Samples just below the threshold before the level is raised may round up to it after.
        expect(nearest, `${clip.subset} ${clip.id} ${timeS}`).toBeLessThan(0.005)
      }
    }
  })

  test('hold speech for the detector in their words and none in pauses and after the last word', () => {
    for (const clip of clips) {
      const segments = speechSegments({ probabilities: probabilities.get(clip) ?? [], samples: clip.pcm.length }).map(
        ({ startSample, endSample }) => ({ startS: startSample / RATE, endS: endSample / RATE }),
      )
      const overlapS = (startS: number, endS: number) =>
        segments.reduce((sum, s) => sum + Math.max(0, Math.min(s.endS, endS) - Math.max(s.startS, startS)), 0)
      const spans = audibleSpans(clip)
      const name = `${clip.subset} ${clip.id}`
      for (const { startS, endS } of spans) expect(overlapS(startS, endS) / (endS - startS), name).toBeGreaterThan(0.85)
      for (const [index, { endS }] of spans.entries()) {
        // The detector ends speech up to four windows late, and begins it up to two early.
        const silenceEndS = spans[index + 1]?.startS ?? clipDurationS(clip)
        if (index < spans.length - 1 || silenceEndS - endS > 0.3) {
          expect(overlapS(endS + 0.128, silenceEndS - 0.064), name).toBe(0)
        }
      }
    }
  })

  test('keep their annotations and windows at another rate', async () => {
    for (const [index, clip] of (await builtInTurnClips(24_000)).entries()) {
      const original = clips[index]
      expect(clip).toMatchObject({ sampleRateHz: 24_000, normalization: ['resampled 16000 Hz to 24000 Hz'] })
      expect(clip.pcm.length).toBe(Math.ceil(((original?.pcm.length ?? 0) * 3) / 2))
      expect([clip.windowSamples, clip.annotation, clip.source]).toEqual([
        original?.windowSamples,
        original?.annotation,
        original?.source,
      ])
    }
  })

  test('are these samples and annotations', () => {
    const digest = clips.map(({ pcmSha256, annotation }) => `${pcmSha256} ${annotation?.sha256}\n`).join('')
    expect(sha256Hex(new TextEncoder().encode(digest))).toBe(
      'c3c6c0ed1ee8a4666101b44c9e3bf09c0bb2015d10eec08a1f2ec79707a5d565',
    )
  })
})

describe('pauses', () => {
  test('are 0.55 to 0.7 s, stand across a whole second with 0.45 s before it, and leave no room for a late reply', () => {
    const samples = clipsWith('pauses')
    expect(samples.filter(({ annotation }) => annotation.pauses.length === 2).length).toBeGreaterThan(0)
    for (const { clip, annotation } of samples) {
      for (const [startS, endS] of annotation.pauses) {
        const second = secondAfter(startS)
        expect(second).toBeGreaterThanOrEqual(2)
        expect(endS - startS).toBeGreaterThanOrEqual(0.55)
        expect(endS - startS).toBeLessThanOrEqual(0.7)
        expect(second - startS).toBeGreaterThanOrEqual(0.45)
        expect(second).toBeLessThan(endS)
      }
      const lastS = audibleSpans(clip).at(-1)?.endS ?? 0
      expect(clipDurationS(clip) - lastS).toBeLessThanOrEqual(0.25)
    }
  })

  test('are too short for a patience of 700 ms and long enough for one of 400', () => {
    for (const { clip, annotation } of clipsWith('pauses')) {
      const silences = silenceAtSeconds(clip)
      expect(Math.max(...silences.slice(1)), clip.id).toBeLessThan(700)
      for (const [startS] of annotation.pauses) {
        expect(silences[secondAfter(startS) - 1], clip.id).toBeGreaterThanOrEqual(400)
      }
    }
  })
})

describe('ends of turns', () => {
  test('fall 0.05 to 0.15 s into a second, in several places, with 2.6 to 3.4 s for the answer', () => {
    const samples = clipsWith('turn_end')
    for (const { clip, annotation } of samples) {
      expect(annotation.endS % 1).toBeGreaterThan(0.049)
      expect(annotation.endS % 1).toBeLessThan(0.15)
      expect(clipDurationS(clip) - annotation.endS).toBeGreaterThan(2.6)
      expect(clipDurationS(clip) - annotation.endS).toBeLessThan(3.4)
    }
    expect(new Set(samples.map(({ annotation }) => (annotation.endS % 1).toFixed(3))).size).toBeGreaterThan(6)
  })

  test('are heard within their unit with a patience of 700 ms, and not before', () => {
    for (const { clip, annotation } of clipsWith('turn_end')) {
      const silences = silenceAtSeconds(clip)
      const unit = Math.floor(annotation.endS)
      expect(silences[unit], clip.id).toBeGreaterThanOrEqual(700)
      expect(Math.max(...silences.slice(1, unit), 0), clip.id).toBe(0)
    }
  })
})

describe('interruptions', () => {
  test('begin 2.3 to 2.7 s after a question of the first two seconds and end soon after a second', () => {
    for (const { clip, annotation } of clipsWith('interruption')) {
      const [question] = audibleSpans(clip)
      const questionEndS = question?.endS ?? 0
      expect(questionEndS).toBeLessThan(1.15)
      expect(annotation.startS - questionEndS).toBeGreaterThan(2.3)
      expect(annotation.startS - questionEndS).toBeLessThan(2.7)
      expect(annotation.endS % 1).toBeLessThan(0.15)
      expect(clipDurationS(clip) - annotation.endS).toBeGreaterThan(2.6)
    }
  })

  test('and their questions are heard within their units with a patience of 700 ms', () => {
    for (const { clip, annotation } of clipsWith('interruption')) {
      const silences = silenceAtSeconds(clip)
      expect(silences[1], clip.id).toBeGreaterThanOrEqual(700)
      expect(silences[Math.floor(annotation.startS)], clip.id).toBe(0)
      expect(silences[Math.floor(annotation.endS)], clip.id).toBeGreaterThanOrEqual(700)
    }
  })
})
