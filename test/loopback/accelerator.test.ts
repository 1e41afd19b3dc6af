import { describe, expect, test } from 'vitest'
import { Accelerator, type AcceleratorSettings, OUT_OF_MEMORY_CODE } from '../../src/loopback/accelerator.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const SETTINGS: AcceleratorSettings = {
  baseMs: 100,
  perUnitMs: 50,
  jitter: 0,
  maxBatch: null,
  seed: 1,
  stallEveryS: null,
  stallMs: 0,
  oomAt: null,
}

interface Offer {
  readonly atMs: number
  readonly session: string
}

/** Runs offers through an accelerator. @returns `session@ms` of each unit done (or failed), in order, ms from the start */
async function run(settings: Partial<AcceleratorSettings>, offers: readonly Offer[]): Promise<string[]> {
  const clock = new VirtualClock(0)
  const accelerator = new Accelerator(clock, { ...SETTINGS, ...settings })
  const log: string[] = []
  const note = (session: string, what = '') => log.push(`${session}${what}@${clock.nowUs() / 1000}`)
  for (const { atMs, session } of offers) {
    clock.at(atMs * 1000, () =>
      accelerator.submit({
        sessionId: session,
        onDone: () => note(session),
        onFailed: (code) => note(session, `!${code}`),
      }),
    )
  }
  await clock.runUntil(60_000_000)
  return log
}

const at = (atMs: number, ...sessions: string[]): Offer[] => sessions.map((session) => ({ atMs, session }))

describe('the accelerator', () => {
  test.each<{ name: string; settings?: Partial<AcceleratorSettings>; offers: Offer[]; expected: string[] }>([
    { name: 'takes base and one unit for a unit alone', offers: at(10, 'a'), expected: ['a@160'] },
    {
      name: 'shares a batch between units that are ready at one instant, done in order of arrival',
      offers: at(0, 'b', 'a', 'c'),
      expected: ['b@250', 'a@250', 'c@250'],
    },
    {
      name: 'starts the next batch when the one in progress ends, with all that came meanwhile',
      offers: [...at(0, 'a'), ...at(1, 'b'), ...at(149, 'c')],
      expected: ['a@150', 'b@350', 'c@350'],
    },
    {
      name: 'takes a unit that is ready at the very end of a batch into the next one',
      offers: [...at(0, 'a'), ...at(150, 'b')],
      expected: ['a@150', 'b@300'],
    },
    {
      name: 'takes one unit of a session per batch, and the others in later ones',
      offers: at(0, 'a', 'a', 'b', 'a'),
      expected: ['a@200', 'b@200', 'a@350', 'a@500'],
    },
    {
      name: 'keeps to the largest batch, the first come first',
      settings: { maxBatch: 2 },
      offers: at(0, 'a', 'b', 'c', 'd', 'e'),
      expected: ['a@200', 'b@200', 'c@400', 'd@400', 'e@550'],
    },
    {
      name: 'lets a waiting session go before another second unit of one that came earlier',
      settings: { maxBatch: 1 },
      offers: [...at(0, 'a', 'b', 'a'), ...at(1, 'c')],
      expected: ['a@150', 'b@300', 'a@450', 'c@600'],
    },
    {
      name: 'stalls the first batch that begins after each stall is due',
      settings: { stallEveryS: 1, stallMs: 400 },
      offers: [...at(0, 'a'), ...at(1000, 'a'), ...at(1600, 'a'), ...at(5200, 'a'), ...at(5900, 'a')],
      expected: ['a@150', 'a@1550', 'a@1750', 'a@5750', 'a@6050'],
    },
    {
      name: 'fails every unit of a batch that memory cannot hold, at once, and goes on',
      settings: { oomAt: 3 },
      offers: [...at(0, 'a', 'b', 'c'), ...at(10, 'd', 'e')],
      expected: [
        `a!${OUT_OF_MEMORY_CODE}@0`,
        `b!${OUT_OF_MEMORY_CODE}@0`,
        `c!${OUT_OF_MEMORY_CODE}@0`,
        'd@210',
        'e@210',
      ],
    },
  ])('$name', async ({ settings, offers, expected }) => {
    expect(await run(settings ?? {}, offers)).toEqual(expected)
  })

  test('fails a small batch too when the open sessions have used up the memory', async () => {
    const clock = new VirtualClock(0)
    const accelerator = new Accelerator(clock, { ...SETTINGS, oomAt: 2 })
    const log: string[] = []
    const submit = (sessionId: string) =>
      accelerator.submit({ sessionId, onDone: () => log.push('done'), onFailed: (code) => log.push(code) })
    accelerator.openSession('a')
    submit('a')
    await clock.runUntil(1_000_000)
    accelerator.openSession('b')
    submit('a')
    await clock.runUntil(2_000_000)
    accelerator.closeSession('b')
    submit('a')
    await clock.runUntil(3_000_000)
    expect(log).toEqual(['done', OUT_OF_MEMORY_CODE, 'done'])
  })

  test('forgets the units of a cancelled session, waiting or running, and no time with them', async () => {
    const clock = new VirtualClock(0)
    const accelerator = new Accelerator(clock, SETTINGS)
    const log: string[] = []
    const submit = (sessionId: string) =>
      accelerator.submit({
        sessionId,
        onDone: () => log.push(`${sessionId}@${clock.nowUs() / 1000}`),
        onFailed: () => log.push('failed'),
      })
    submit('a')
    submit('b')
    await clock.runUntil(1000)
    submit('a')
    submit('c')
    accelerator.cancelSession('a')
    expect(accelerator.queueLength).toBe(1)
    await clock.runUntil(1_000_000)
    expect(log).toEqual(['b@200', 'c@350'])
  })

  test('varies within the bounds of its jitter, differently for each batch and the same for each seed', async () => {
    const offers = Array.from({ length: 200 }, (_, index) => at(index * 300, 'a')).flat()
    const durations = async (seed: number) =>
      (await run({ jitter: 0.1, seed }, offers)).map((entry, index) => Number(entry.split('@')[1]) - index * 300)
    const first = await durations(7)
    expect(first).toHaveLength(200)
    expect(Math.min(...first)).toBeGreaterThanOrEqual(135)
    expect(Math.max(...first)).toBeLessThanOrEqual(165)
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(25)
    expect(await durations(7)).toEqual(first)
    expect(await durations(8)).not.toEqual(first)
  })

  test('counts from the instant a batch could start, so late timers do not slow it down', async () => {
    const clock = new VirtualClock(0)
    const accelerator = new Accelerator(clock, SETTINGS)
    const log: number[] = []
    const submit = () =>
      accelerator.submit({ sessionId: 'a', onDone: () => log.push(clock.nowUs() / 1000), onFailed: () => {} })
    submit()
    submit()
    clock.at(149_000, () => clock.stall(21_000))
    await clock.runUntil(1_000_000)
    expect(log).toEqual([170, 300])
  })

  test('adds up batches, units and busy time', async () => {
    const clock = new VirtualClock(0)
    const accelerator = new Accelerator(clock, SETTINGS)
    const sizes: number[] = []
    accelerator.onBatch = (size) => sizes.push(size)
    for (const sessionId of ['a', 'b', 'a']) accelerator.submit({ sessionId, onDone: () => {}, onFailed: () => {} })
    await clock.runUntil(1_000_000)
    expect(accelerator.counters).toMatchObject({ batches: 2, units: 3, busyUs: 350_000 })
    expect(sizes).toEqual([2, 1])
  })
})
