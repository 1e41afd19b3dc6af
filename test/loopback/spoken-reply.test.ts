import { describe, expect, test } from 'vitest'
import { Accelerator } from '../../src/loopback/accelerator.js'
import { SpokenReply } from '../../src/loopback/spoken-reply.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const RATE = 24_000

interface Setup {
  readonly replyMs?: number
  readonly chunkMs?: number
  readonly maxLeadMs?: number | undefined
  readonly oomAt?: number | null
  readonly delayMs?: number
}

/** Each chunk takes 50 ms of the accelerator. */
function makeReply({ replyMs = 1000, chunkMs = 200, maxLeadMs, oomAt = null, delayMs = 0 }: Setup) {
  const clock = new VirtualClock(0)
  const settings = { baseMs: 40, perUnitMs: 10, jitter: 0, maxBatch: null, seed: 1, stallEveryS: null, stallMs: 0 }
  const accelerator = new Accelerator(clock, { ...settings, oomAt })
  const told: (readonly [atMs: number, ms: number | string, isLast?: boolean])[] = []
  const samples: number[] = []
  const pcm = Int16Array.from({ length: (replyMs * RATE) / 1000 }, (_, index) => index % 30_000)
  const spoken = new SpokenReply({
    clock,
    accelerator,
    sessionId: 'a',
    reply: { text: 'One two.', voice: 'test', pcm },
    sampleRateHz: RATE,
    chunkMs,
    maxLeadMs,
    delayMs,
    onChunk: (chunk, isLast) => {
      samples.push(...chunk)
      told.push([clock.nowUs() / 1000, (chunk.length * 1000) / RATE, isLast])
    },
    onFailed: (code) => told.push([clock.nowUs() / 1000, code]),
  })
  return { clock, accelerator, spoken, told, isWhole: () => samples.join() === pcm.join() }
}

describe('a spoken reply', () => {
  test.each<{ name: string; setup: Setup; expected: [number, number, boolean][] }>([
    {
      name: 'leaves chunk by chunk as the accelerator is done with it',
      setup: { replyMs: 700 },
      expected: [
        [50, 200, false],
        [100, 200, false],
        [150, 200, false],
        [200, 100, true],
      ],
    },
    {
      name: 'is never further ahead than its lead',
      setup: { replyMs: 900, maxLeadMs: 400 },
      expected: [
        [50, 200, false],
        [100, 200, false],
        [250, 200, false],
        [450, 200, false],
        [550, 100, true],
      ],
    },
    {
      name: 'has its first chunk leave even where that alone is longer than the lead',
      setup: { replyMs: 400, maxLeadMs: 100 },
      expected: [
        [50, 200, false],
        [350, 200, true],
      ],
    },
    {
      name: 'is put off as a whole',
      setup: { replyMs: 400, delayMs: 300 },
      expected: [
        [350, 200, false],
        [400, 200, true],
      ],
    },
    { name: 'may be shorter than a chunk', setup: { replyMs: 40 }, expected: [[50, 40, true]] },
    { name: 'may be empty', setup: { replyMs: 0 }, expected: [[50, 0, true]] },
  ])('$name', async ({ setup, expected }) => {
    const { clock, spoken, told, isWhole } = makeReply(setup)
    spoken.start()
    await clock.runUntil(10_000_000)
    expect(told).toEqual(expected)
    expect(isWhole()).toBe(true)
  })

  test('lets what it holds go at once, joined up to a second, and holds nothing any more', async () => {
    const { clock, spoken, told, isWhole } = makeReply({ replyMs: 3000, maxLeadMs: 200 })
    spoken.start()
    await clock.runUntil(400_000)
    expect(told.slice(0, 2)).toEqual([
      [50, 200, false],
      [250, 200, false],
    ])
    spoken.releaseAll()
    spoken.releaseAll()
    await clock.runUntil(10_000_000)
    // Eight chunks were done by then, two of them had left.
    expect(told.slice(2, 5)).toEqual([
      [400, 1000, false],
      [400, 200, false],
      [450, 200, false],
    ])
    expect(told.at(-1)?.[2]).toBe(true)
    expect(isWhole()).toBe(true)
  })

  test.each([
    { name: 'before it has begun', setup: { delayMs: 100 }, atMs: 40, playedMs: 0 },
    { name: 'before anything has left', atMs: 40, playedMs: 0 },
    { name: 'while it is played', atMs: 120, playedMs: 70 },
    { name: 'when all has been played', atMs: 9000, playedMs: 1000 },
  ])('says how much was played when it is cut $name', async ({ setup = {}, atMs, playedMs }) => {
    const { clock, accelerator, spoken, told } = makeReply(setup)
    spoken.start()
    await clock.runUntil(atMs * 1000)
    expect(spoken.cancel()).toEqual({ playedMs })
    const toldBefore = told.length
    await clock.runUntil(20_000_000)
    expect(told).toHaveLength(toldBefore)
    expect(accelerator.queueLength).toBe(0)
  })

  test('counts the time in which there was nothing to play', async () => {
    // Chunks of 20 ms every 50 ms: played from 50 to 70 and from 100 on.
    const { clock, spoken } = makeReply({ chunkMs: 20 })
    spoken.start()
    await clock.runUntil(110_000)
    expect(spoken.playsUntilUs).toBe(120_000)
    expect(spoken.cancel()).toEqual({ playedMs: 30 })
  })

  test('fails once where the accelerator does', async () => {
    const { clock, spoken, told } = makeReply({ oomAt: 1 })
    spoken.start()
    await clock.runUntil(1_000_000)
    expect(told).toEqual([[0, 'cuda_out_of_memory']])
  })
})
