import { describe, expect, test } from 'vitest'
import { toDetectorRate } from '../../src/loopback/detector-rate.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import { foldWindows, type Heard, START_OF_HEARING } from '../../src/loopback/hearing.js'
import { type SpeechDetector, speechListeners } from '../../src/loopback/speech-listener.js'

const tone = (samples: number, amplitude: number) =>
  Int16Array.from({ length: samples }, (_, at) => Math.round(amplitude * Math.sin(at / 10)))

test('a wavering probability stays speech until it falls below the lower threshold', () => {
  const fold = (...probabilities: number[]) => foldWindows(START_OF_HEARING, probabilities).heard
  expect(fold(0.49, 0.49)).toEqual({ speechMs: 0, silenceMs: 64 })
  expect(fold(0.5, 0.36, 0.35)).toEqual({ speechMs: 96, silenceMs: 0 })
  expect(fold(0.5, 0.34, 0.49)).toEqual({ speechMs: 32, silenceMs: 64 })
})

describe('the energy listener', () => {
  test.each([16_000, 24_000, 48_000])('hears loud and silent stretches across units at %i Hz', (rate) => {
    const listener = energyListener(rate)
    const unit = (rate * 80) / 1000
    const heard = [0, 5000, 5000, 0, 0].map((amplitude) => listener.hear(tone(unit, amplitude)) as Heard)
    // 80 ms are two windows and a half: what is left over counts with the unit that completes it.
    expect(heard.map(({ speechMs }) => speechMs)).toEqual([0, 96, 64, 32, 0])
    expect(heard.map(({ silenceMs }) => silenceMs)).toEqual([64, 0, 0, 64, 128])
  })

  test('takes quiet noise for silence', () => {
    expect(energyListener(16_000).hear(tone(16_000, 200))).toEqual({ speechMs: 0, silenceMs: 31 * 32 })
  })
})

describe('conversion to the rate of the detector', () => {
  test.each([
    { rate: 16_000, samples: 1280 },
    { rate: 24_000, samples: 1920 },
    { rate: 8_000, samples: 640 },
  ])('80 ms at $rate Hz are 1280 samples of the same sound', ({ rate, samples }) => {
    const wave = (at: number) => 0.5 * Math.sin(2 * Math.PI * 300 * at)
    const pcm = Int16Array.from({ length: samples }, (_, index) => Math.round(32768 * wave(index / rate)))
    const converted = toDetectorRate(pcm, rate)
    expect(converted).toHaveLength(1280)
    for (const [index, sample] of converted.slice(2, -2).entries()) {
      expect(Math.abs(sample - wave((index + 2) / 16_000))).toBeLessThan(0.02)
    }
  })
})

/** Counts its steps; the state is the sum of all first samples, so that a wrong state shows. */
function countingDetector() {
  let steps = 0
  const detector: SpeechDetector<number> = {
    createState: () => 0,
    process: async (state, window) => {
      steps += 1
      await new Promise((resolve) => setImmediate(resolve))
      const next = state + (window[0] ?? 0)
      return { probability: Math.min(1, next), state: next }
    },
  }
  return { detector, steps: () => steps }
}

describe('the speech listener', () => {
  const loud = new Int16Array(1024).fill(16_384)
  const silent = new Int16Array(1024)

  test('works out the same audio once, however many sessions send it and whether at once or later', async () => {
    const { detector, steps } = countingDetector()
    const listeners = speechListeners(detector)
    const hearAll = async () => {
      const listener = listeners(16_000)
      return Promise.all([listener.hear(silent), listener.hear(loud), listener.hear(silent)])
    }
    const [first, second] = await Promise.all([hearAll(), hearAll()])
    const third = await hearAll()
    expect(first.map(({ speechMs }) => speechMs)).toEqual([0, 64, 64])
    expect([second, third]).toEqual([first, first])
    expect(steps()).toBe(6)
  })

  test('shares the beginning only with audio that differs later, and nothing with another beginning', async () => {
    const { detector, steps } = countingDetector()
    const listeners = speechListeners(detector)
    const run = async (...units: Int16Array[]) => {
      const listener = listeners(16_000)
      const heard: Heard[] = []
      for (const unit of units) heard.push(await listener.hear(unit))
      return heard.map(({ speechMs }) => speechMs)
    }
    expect(await run(silent, silent)).toEqual([0, 0])
    expect(steps()).toBe(4)
    expect(await run(silent, loud)).toEqual([0, 64])
    expect(steps()).toBe(6)
    expect(await run(loud, silent)).toEqual([64, 64])
    expect(steps()).toBe(10)
  })

  test('answers in order and the same when its memory is too small', async () => {
    const { detector, steps } = countingDetector()
    const listeners = speechListeners(detector, { rememberedUnitsMax: 1 })
    const hear = async () => {
      const listener = listeners(16_000)
      const order: number[] = []
      const heard = await Promise.all(
        [silent, loud, silent].map(async (unit, index) => {
          const result = await listener.hear(unit)
          order.push(index)
          return result.speechMs
        }),
      )
      return { heard, order }
    }
    expect(await hear()).toEqual({ heard: [0, 64, 64], order: [0, 1, 2] })
    expect(await hear()).toEqual({ heard: [0, 64, 64], order: [0, 1, 2] })
    expect(steps()).toBeGreaterThan(6)
  })

  test('tells a failure to whoever waits, and does not remember it', async () => {
    let isBroken = true
    const listeners = speechListeners<number>({
      createState: () => 0,
      process: async (state) => {
        if (isBroken) throw new Error('broken')
        return { probability: 1, state }
      },
    })
    await expect(listeners(16_000).hear(loud)).rejects.toThrow('broken')
    isBroken = false
    expect(await listeners(16_000).hear(loud)).toEqual({ speechMs: 64, silenceMs: 0 })
  })
})
