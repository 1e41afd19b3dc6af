import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ratioOfRates } from '../../../src/dataset/resample.js'
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

it('plays each event in its order, none before it came, and nothing behind a cut that came after it', () => {
  fc.assert(
    fc.property(events, (drawn) => {
      const at = (atS: number) => Math.round(atS * 16_000)
      const sorted = [...drawn]
        .sort((a, b) => a.atS - b.atS)
        .map((event) => ({ ...event, atS: at(event.atS) / 16_000 }))
      // Each event's samples say which one it is.
      const playout = sorted.map(({ isCut, atS: timeS, samples }, index): PlayoutEvent => {
        if (isCut) return { kind: 'cut', timeS }
        return { kind: 'audio', timeS, bytes: new Uint8Array(new Int16Array(samples).fill(index + 1).buffer) }
      })
      const { pcm } = observationWindow({ playout, startS: 0, windowSamples: 4000, outputRateHz: 16_000 })
      let last = 0
      for (const [position, value] of pcm.entries()) {
        if (value === 0) continue
        expect(value).toBeGreaterThanOrEqual(last)
        last = value
        expect(position).toBeGreaterThanOrEqual(at(sorted[value - 1]?.atS ?? 0))
        const cut = sorted.findIndex(({ isCut }, index) => isCut && index >= value)
        if (cut >= 0) expect(position).toBeLessThan(at(sorted[cut]?.atS ?? 0))
      }
    }),
  )
})

it('is the same, only later, when everything comes later by whole frames of both rates', () => {
  fc.assert(
    fc.property(
      events,
      fc.constantFrom(...RATES),
      fc.integer({ min: 1, max: 1200 }),
      fc.integer({ min: 1, max: 40 }),
      (drawn, outputRateHz, windowSamples, frames) => {
        const { up, down } = ratioOfRates({ fromHz: outputRateHz, toHz: 16_000 })
        const sorted = [...drawn].sort((a, b) => a.atS - b.atS)
        const windowAfter = (leadFrames: number) => {
          const playout = sorted.map(({ isCut, atS, samples }): PlayoutEvent => {
            const timeS = (Math.round(atS * outputRateHz) + leadFrames * down) / outputRateHz
            if (isCut) return { kind: 'cut', timeS }
            const pcm = Int16Array.from({ length: samples }, (_, i) => ((i * 7919) % 40_000) - 20_000)
            return { kind: 'audio', timeS, bytes: new Uint8Array(pcm.buffer) }
          })
          // Whole frames, so that both windows end on a sample of both rates.
          const length = (Math.ceil(windowSamples / up) + leadFrames) * up
          return observationWindow({ playout, startS: 0, windowSamples: length, outputRateHz }).pcm.subarray(
            leadFrames * up,
          )
        }
        expect(windowAfter(frames)).toEqual(windowAfter(0))
      },
    ),
  )
})
