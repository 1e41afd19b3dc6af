import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DetectorAudio,
  INPUT_SAMPLES,
  type LockstepRun,
  lockstepProbabilities,
  MEMORY_LAYERS,
  MEMORY_NUMBERS,
} from '../../src/speech/detector-lockstep.js'

/** A stand-in for the model whose result depends on all that a row has seen, in which order, and on nothing of other rows. */
function standIn(rows: number): { readonly run: LockstepRun; readonly count: () => number } {
  let count = 0
  const run: LockstepRun = async (input, memory) => {
    count += 1
    const probabilities = new Float32Array(rows)
    const after = memory.slice()
    for (let row = 0; row < rows; row += 1) {
      let sum = 0
      for (let at = 0; at < INPUT_SAMPLES; at += 1) sum += (input[row * INPUT_SAMPLES + at] as number) * ((at % 7) + 1)
      let result = sum / 1000
      for (let layer = 0; layer < MEMORY_LAYERS; layer += 1) {
        const last = (layer * rows + row) * MEMORY_NUMBERS + MEMORY_NUMBERS - 1
        after[last] = 0.5 * (memory[last] as number) + (layer + 1) * sum
        result += after[last] as number
      }
      probabilities[row] = result
    }
    return { probabilities, memory: after }
  }
  return { run, count: () => count }
}

const stream = fc
  .tuple(fc.integer({ min: 0, max: 2600 }), fc.integer({ min: 1, max: 1e6 }))
  .map(([length, seed]) => Float32Array.from({ length }, (_, at) => (Math.imul(at + seed, 40503) % 64) / 64))

const alone = async (audio: DetectorAudio) =>
  (await lockstepProbabilities([audio], { rows: 1, run: standIn(1).run }))[0]

describe('streams in lockstep', () => {
  test('have the results that each has alone, whatever their number, lengths and order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stream, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (streams, rows) => {
        const together = await lockstepProbabilities(streams, { rows, run: standIn(rows).run })
        expect(together).toEqual(await Promise.all(streams.map(alone)))
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    { name: 'no stream, no run', windows: [], runs: 0 },
    { name: 'a stream without samples', windows: [0], runs: 0 },
    { name: 'rows that end together', windows: [3, 3, 3, 3], runs: 6 },
    { name: 'a row that ends goes on with the next stream', windows: [1, 1, 4, 1, 1], runs: 4 },
    { name: 'the longest goes first, not last', windows: [2, 2, 2, 6], runs: 6 },
  ])('$name', async ({ windows, runs }) => {
    const model = standIn(2)
    const results = await lockstepProbabilities(
      windows.map((count) => new Float32Array(count * 512)),
      { rows: 2, run: model.run },
    )
    expect(results.map(({ length }) => length)).toEqual(windows)
    expect(model.count()).toBe(runs)
  })

  test('16-bit samples are the same audio, and are left unchanged', async () => {
    const pcm = Int16Array.from({ length: 1500 }, (_, at) => Math.imul(at, 40503))
    const before = pcm.slice()
    expect(await alone(pcm)).toEqual(await alone(Float32Array.from(pcm, (sample) => sample / 32768)))
    expect(pcm).toEqual(before)
  })
})
