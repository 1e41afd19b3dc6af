import { describe, expect, test } from 'vitest'
import { Accelerator } from '../../src/loopback/accelerator.js'
import { type Phases, type Prediction, predictCapacity, predictLevel } from '../../src/loopback/predict.js'
import { seededRandom } from '../../src/stats/random.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const QUIET = { maxBatch: null, stallEveryS: null, stallMs: 0, oomAt: null }

describe('the prediction', () => {
  test.each<{
    name: string
    sessions: number
    baseMs: number
    perUnitMs: number
    more?: object
    phases?: Phases
    packetMs?: number
    expected: Prediction
  }>([
    { name: 'two bases and all units just fit', sessions: 4, baseMs: 100, perUnitMs: 200, expected: 'meets' },
    { name: 'they do not fit by a hair', sessions: 4, baseMs: 100, perUnitMs: 200.1, expected: 'depends' },
    { name: 'one base and all units just fit', sessions: 4, baseMs: 200, perUnitMs: 200, expected: 'depends' },
    { name: 'one batch is longer than a unit', sessions: 4, baseMs: 200.1, perUnitMs: 200, expected: 'misses' },
    { name: 'the same batch, aligned', sessions: 4, baseMs: 200, perUnitMs: 200, phases: 'aligned', expected: 'meets' },
    {
      name: 'jitter at its upper bound',
      sessions: 4,
      baseMs: 100,
      perUnitMs: 200,
      more: { jitter: 0.01 },
      expected: 'depends',
    },
    {
      name: 'jitter at its lower bound',
      sessions: 4,
      baseMs: 201,
      perUnitMs: 200,
      more: { jitter: 0.01 },
      expected: 'depends',
    },
    {
      name: 'packets that shorten the gap',
      sessions: 4,
      baseMs: 100,
      perUnitMs: 191,
      packetMs: 80,
      expected: 'depends',
    },
    {
      name: 'packets and a gap that suffices',
      sessions: 4,
      baseMs: 100,
      perUnitMs: 190,
      packetMs: 80,
      expected: 'meets',
    },
    {
      name: 'a small batch that is too slow',
      sessions: 4,
      baseMs: 100,
      perUnitMs: 201,
      more: { maxBatch: 2 },
      expected: 'misses',
    },
    {
      name: 'a small batch that may be in time',
      sessions: 4,
      baseMs: 50,
      perUnitMs: 100,
      more: { maxBatch: 2 },
      expected: 'depends',
    },
    {
      name: 'a stall that no slack covers',
      sessions: 1,
      baseMs: 100,
      perUnitMs: 100,
      more: { stallEveryS: 9, stallMs: 701 },
      expected: 'depends',
    },
    {
      name: 'a stall within the slack',
      sessions: 1,
      baseMs: 100,
      perUnitMs: 100,
      more: { stallEveryS: 9, stallMs: 700 },
      expected: 'meets',
    },
    { name: 'more sessions than memory', sessions: 4, baseMs: 1, perUnitMs: 1, more: { oomAt: 4 }, expected: 'misses' },
  ])('$name: $expected', ({ sessions, baseMs, perUnitMs, more, phases, packetMs, expected }) => {
    const accelerator = { baseMs, perUnitMs, ...more }
    const level = { unitMs: 1000, sessions, accelerator, phases: phases ?? 'any' } as const
    expect(predictLevel(packetMs === undefined ? level : { ...level, packetMs })).toBe(expected)
  })

  test('finds capacity 4 of the levels 1, 2, 4, 8 in the worked example', () => {
    const accelerator = { baseMs: 100, perUnitMs: 150 }
    expect(predictCapacity({ levels: [8, 1, 4, 2], unitMs: 1000, accelerator, phases: 'any' })).toEqual({
      levels: [
        { sessions: 1, prediction: 'meets' },
        { sessions: 2, prediction: 'meets' },
        { sessions: 4, prediction: 'meets' },
        { sessions: 8, prediction: 'misses' },
      ],
      atLeast: 4,
      atMost: 4,
    })
  })

  test('names no capacity when the lowest level misses, and both bounds when the phases decide', () => {
    const shared = { unitMs: 1000, phases: 'any' } as const
    const tooSlow = { baseMs: 900, perUnitMs: 150 }
    expect(predictCapacity({ ...shared, levels: [1, 2], accelerator: tooSlow })).toMatchObject({
      atLeast: undefined,
      atMost: undefined,
    })
    const between = { baseMs: 100, perUnitMs: 150 }
    expect(predictCapacity({ ...shared, levels: [5, 6, 7], accelerator: between })).toMatchObject({
      atLeast: 5,
      atMost: 6,
    })
  })
})

/** Share of units that are late when sources offer one unit each, once per unit length, straight to the accelerator. */
async function simulate(
  settings: { unitMs: number; baseMs: number; perUnitMs: number; jitter: number },
  phasesMs: readonly number[],
): Promise<number> {
  const clock = new VirtualClock(0)
  const accelerator = new Accelerator(clock, { ...QUIET, ...settings, seed: 3 })
  const unitsEach = 60
  let late = 0
  let done = 0
  for (const [source, phaseMs] of phasesMs.entries()) {
    for (let unit = 0; unit < unitsEach; unit += 1) {
      const readyAtUs = Math.round((phaseMs + unit * settings.unitMs) * 1000)
      clock.at(readyAtUs, () =>
        accelerator.submit({
          sessionId: `source ${source}`,
          onDone: () => {
            done += 1
            if (clock.nowUs() - readyAtUs > settings.unitMs * 1000) late += 1
          },
          onFailed: () => {},
        }),
      )
    }
  }
  await clock.runUntil(settings.unitMs * 1000 * unitsEach * 4)
  expect(done).toBe(phasesMs.length * unitsEach)
  return late / done
}

describe('prediction and simulation agree', () => {
  const settings = [
    { unitMs: 1000, baseMs: 100, perUnitMs: 150, jitter: 0 },
    { unitMs: 1000, baseMs: 100, perUnitMs: 150, jitter: 0.02 },
    { unitMs: 80, baseMs: 8, perUnitMs: 12, jitter: 0.02 },
    { unitMs: 80, baseMs: 30, perUnitMs: 4, jitter: 0.1 },
    { unitMs: 200, baseMs: 5, perUnitMs: 30, jitter: 0 },
  ]
  const levels = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16]

  test.each(settings)('unit $unitMs ms, base $baseMs, per unit $perUnitMs, jitter $jitter', async (accelerator) => {
    const random = seededRandom(`phases of ${JSON.stringify(accelerator)}`)
    const seen = new Set<Prediction>()
    for (const sessions of levels) {
      const cases: { phases: Phases; phasesMs: number[] }[] = [
        { phases: 'aligned', phasesMs: Array.from({ length: sessions }, () => 0) },
        ...Array.from({ length: 3 }, () => ({
          phases: 'any' as const,
          phasesMs: Array.from({ length: sessions }, () => random.next() * accelerator.unitMs),
        })),
      ]
      for (const { phases, phasesMs } of cases) {
        const prediction = predictLevel({ unitMs: accelerator.unitMs, sessions, accelerator, phases })
        const lateShare = await simulate(accelerator, phasesMs)
        seen.add(prediction)
        if (prediction === 'meets') expect({ sessions, phases, lateShare }).toEqual({ sessions, phases, lateShare: 0 })
        if (prediction === 'misses')
          expect({ sessions, lateShare: lateShare > 0 }).toEqual({ sessions, lateShare: true })
      }
    }
    expect(seen).toContain('meets')
    expect(seen).toContain('misses')
  })
})
