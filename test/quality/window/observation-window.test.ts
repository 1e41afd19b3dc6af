import { describe, expect, it } from 'vitest'
import { observationWindow } from '../../../src/quality/window/observation-window.js'
import type { PlayoutEvent } from '../../../src/quality/window/window-record.js'

/** At 16 kHz out, so that samples of the window are those that were received; times are in samples. */
const START_S = 100
const WINDOW = 10

function audio(atSample: number, ...samples: number[]): PlayoutEvent {
  return {
    kind: 'audio',
    timeS: START_S + atSample / 16_000,
    bytes: new Uint8Array(Int16Array.from(samples).buffer),
  }
}

function cut(atSample: number): PlayoutEvent {
  return { kind: 'cut', timeS: START_S + atSample / 16_000 }
}

function played(...playout: PlayoutEvent[]) {
  const { pcm, flags } = observationWindow({ playout, startS: START_S, windowSamples: WINDOW, outputRateHz: 16_000 })
  return { pcm: [...pcm], flags }
}

const QUIET = {
  playout_active_at_T: false,
  queued_audio_cropped_s: 0,
  audio_received_after_T: false,
  barge_in_cuts: 0,
}

describe('the window', () => {
  it.each<readonly [name: string, playout: readonly PlayoutEvent[], pcm: readonly number[], flags: object]>([
    ['is silence without audio', [], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], {}],
    ['has audio where it was received, and gaps', [audio(1, 1, 2), audio(5, 3)], [0, 1, 2, 0, 0, 3, 0, 0, 0, 0], {}],
    ['plays first in, first out', [audio(1, 1, 2, 3), audio(2, 4), audio(2, 5)], [0, 1, 2, 3, 4, 5, 0, 0, 0, 0], {}],
    [
      'ends at T, whatever is queued',
      [audio(7, 1, 2), audio(8, 3, 4, 5)],
      [0, 0, 0, 0, 0, 0, 0, 1, 2, 3],
      { playout_active_at_T: true, queued_audio_cropped_s: 2 / 16_000 },
    ],
    ['may be filled to its last sample', [audio(8, 1, 2)], [0, 0, 0, 0, 0, 0, 0, 0, 1, 2], {}],
    [
      'takes nothing of audio that comes at T',
      [audio(10, 1, 2)],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      { playout_active_at_T: true, queued_audio_cropped_s: 2 / 16_000 },
    ],
    ['notes audio after T', [audio(10.5, 1)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], { audio_received_after_T: true }],
    [
      'stops at a cut, and goes on with what comes after it',
      [audio(0, 1, 2, 3, 4, 5, 6), cut(3), audio(5, 7)],
      [1, 2, 3, 0, 0, 7, 0, 0, 0, 0],
      { barge_in_cuts: 1 },
    ],
    [
      'plays at once after a cut, though the audio before it would still play',
      [audio(0, 1, 2, 3, 4, 5, 6), cut(2), audio(2, 7)],
      [1, 2, 7, 0, 0, 0, 0, 0, 0, 0],
      { barge_in_cuts: 1 },
    ],
    ['is not cut where nothing plays', [audio(0, 1, 2), cut(2)], [1, 2, 0, 0, 0, 0, 0, 0, 0, 0], {}],
    [
      'is cut once where two events tell of it',
      [audio(0, 1, 2, 3, 4), cut(2), cut(2), cut(3)],
      [1, 2, 0, 0, 0, 0, 0, 0, 0, 0],
      { barge_in_cuts: 1 },
    ],
    [
      'can be cut again, with the first cut left as it was',
      [audio(0, 1, 2, 3, 4, 5), cut(1), audio(4, 6, 7, 8), cut(5)],
      [1, 0, 0, 0, 6, 0, 0, 0, 0, 0],
      { barge_in_cuts: 2 },
    ],
    [
      'loses queued audio beyond T to a cut',
      [audio(8, 1, 2, 3, 4), cut(9)],
      [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
      { barge_in_cuts: 1 },
    ],
    [
      'is not cut after T',
      [audio(9, 1, 2), cut(10.5)],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      { playout_active_at_T: true, queued_audio_cropped_s: 1 / 16_000 },
    ],
    ['is not cut before the first packet', [cut(-5), audio(0, 1)], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], {}],
    [
      'passes over audio that is none',
      [{ kind: 'undecodable', timeS: START_S, problem: 'is empty' }, audio(0, 1)],
      [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      {},
    ],
  ])('%s', (_, playout, pcm, flags) => {
    expect(played(...playout)).toEqual({ pcm, flags: { ...QUIET, ...flags } })
  })

  it('ends at T itself, where T is no whole sample of the output', () => {
    const playing = (samples: number) =>
      observationWindow({
        playout: [{ kind: 'audio', timeS: START_S, bytes: new Uint8Array(2 * samples) }],
        startS: START_S,
        windowSamples: 3,
        outputRateHz: 24_000,
      }).flags
    expect(playing(4)).toMatchObject({ playout_active_at_T: false, queued_audio_cropped_s: 0 })
    expect(playing(5)).toMatchObject({ playout_active_at_T: true, queued_audio_cropped_s: 0.5 / 24_000 })
  })

  it('rounds a half to the even sample, as Python does', () => {
    const at = (timeS: number) =>
      [
        ...observationWindow({
          playout: [{ kind: 'audio', timeS, bytes: new Uint8Array([1, 0]) }],
          startS: 0,
          windowSamples: 8,
          outputRateHz: 16_000,
        }).pcm,
      ].indexOf(1)
    expect([1.5, 2.5, 3.5].map((sample) => at(sample / 16_000))).toEqual([2, 2, 4])
  })

  it('clips what the resampler overshoots', () => {
    const square = Int16Array.from({ length: 480 }, (_, i) => (Math.floor(i / 24) % 2 === 0 ? 32_767 : -32_768))
    const { pcm } = observationWindow({
      playout: [{ kind: 'audio', timeS: 0, bytes: new Uint8Array(square.buffer) }],
      startS: 0,
      windowSamples: 320,
      outputRateHz: 24_000,
    })
    expect([Math.max(...pcm), Math.min(...pcm)]).toEqual([32_767, -32_768])
  })
})
