import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ratioOfRates, resampledLength, resamplePoly } from '../../src/dataset/resample.js'

interface Vectors {
  readonly origin: string
  readonly cases: readonly { up: number; down: number; inputSamples: number; output: number[] }[]
}
/** Made by scipy; `origin` in the file names the versions and the script. */
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../vectors/audio/resample-poly.json', import.meta.url), 'utf8'),
)

/** The input that the vectors' file describes. */
function input(samples: number): Float64Array {
  return Float64Array.from({ length: samples }, (_, i) => {
    return 0.5 * Math.sin(0.07 * i + 0.0009 * i * i) + (0.3 * ((i * 7919) % 101)) / 101 - 0.2
  })
}

describe.each(vectors.cases)('$inputSamples samples by $up/$down', ({ up, down, inputSamples, output }) => {
  test('equal scipy within 1e-9', () => {
    const actual = resamplePoly(input(inputSamples), { up, down })
    expect(actual.length).toBe(output.length)
    expect(resampledLength(inputSamples, { up, down })).toBe(output.length)
    const worst = output.reduce(
      (most, value, index) => Math.max(most, Math.abs(value - (actual[index] ?? Number.NaN))),
      0,
    )
    expect(worst).toBeLessThan(1e-9)
  })
})

test('equal rates give a copy', () => {
  const samples = input(5)
  const copy = resamplePoly(samples, { up: 4, down: 4 })
  expect(copy).toEqual(samples)
  expect(copy).not.toBe(samples)
})

test('nothing stays nothing', () => {
  expect(resamplePoly(new Float64Array(0), { up: 3, down: 2 }).length).toBe(0)
})

test.each([
  { fromHz: 16000, toHz: 22050, ratio: { up: 441, down: 320 } },
  { fromHz: 44100, toHz: 16000, ratio: { up: 160, down: 441 } },
  { fromHz: 8000, toHz: 8000, ratio: { up: 1, down: 1 } },
])('$fromHz Hz to $toHz Hz is a ratio in lowest terms', ({ fromHz, toHz, ratio }) => {
  expect(ratioOfRates({ fromHz, toHz })).toEqual(ratio)
})

test.each([0, -1, 1.5, Number.NaN])('a ratio of %d is our own mistake and throws', (up) => {
  expect(() => resamplePoly(input(3), { up, down: 2 })).toThrow('assertion failed')
})

test('a slow sine keeps its shape, whatever the ratio', () => {
  const part = fc.integer({ min: 1, max: 60 })
  fc.assert(
    fc.property(part, part, (up, down) => {
      const perSample = 0.01 * Math.min(1, up / down)
      const samples = Float64Array.from({ length: 2000 }, (_, i) => Math.sin(2 * Math.PI * perSample * i))
      const output = resamplePoly(samples, { up, down })
      const from = Math.ceil(output.length * 0.3)
      for (let n = from; n < output.length - from; n += 7) {
        expect(Math.abs((output[n] ?? 0) - Math.sin((2 * Math.PI * perSample * n * down) / up))).toBeLessThan(0.01)
      }
    }),
    { numRuns: 30 },
  )
})
