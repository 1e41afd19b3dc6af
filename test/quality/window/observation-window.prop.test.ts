import fc from 'fast-check'
import { expect, it } from 'vitest'
import { observationWindow } from '../../../src/quality/window/observation-window.js'
import type { PlayoutEvent } from '../../../src/quality/window/window-record.js'

const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000]
/** The resampler's filter reaches this far on each side, in samples of the slower rate. */
const REACH = 12

const events = fc.array(
  fc.record({
    isCut: fc.boolean(),
    atS: fc.double({ min: 0, max: 0.2, noNaN: true }),
    samples: fc.integer({ min: 1, max: 900 }),
  }),
  { maxLength: 12 },
)

it('has the length of the input, and is silent where nothing was received before', () => {
  fc.assert(
    fc.property(
      events,
      fc.constantFrom(...RATES),
      fc.integer({ min: 1, max: 2400 }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (drawn, outputRateHz, windowSamples, startS) => {
        const sorted = [...drawn].sort((a, b) => a.atS - b.atS)
        const playout = sorted.map(({ isCut, atS, samples }): PlayoutEvent => {
          const timeS = startS + atS
          if (isCut) return { kind: 'cut', timeS }
          return { kind: 'audio', timeS, bytes: new Uint8Array(new Int16Array(samples).fill(20_000).buffer) }
        })
        const { pcm, flags } = observationWindow({ playout, startS, windowSamples, outputRateHz })
        expect(pcm.length).toBe(windowSamples)
        const firstS = sorted.find(({ isCut }) => !isCut)?.atS ?? Number.POSITIVE_INFINITY
        const silent = Math.max(0, Math.floor(firstS * 16_000 - REACH * Math.max(1, 16_000 / outputRateHz)))
        expect(pcm.subarray(0, silent).every((sample) => sample === 0)).toBe(true)
        expect(flags.playout_active_at_T).toBe(flags.queued_audio_cropped_s > 0)
        expect(flags.barge_in_cuts).toBeLessThanOrEqual(sorted.filter(({ isCut }) => isCut).length)
      },
    ),
  )
})
