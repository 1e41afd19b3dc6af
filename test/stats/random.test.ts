import { describe, expect, test } from 'vitest'
import { deriveSeed, seededRandom } from '../../src/stats/random.js'
import { fnv1a64, splitMix64, stateFromText, xoshiro128StarStar } from '../../src/stats/xoshiro128.js'
import { expectClose } from './close.js'

describe('the bits agree with published values', () => {
  test('xoshiro128** from the words 1, 2, 3, 4', () => {
    const next = xoshiro128StarStar([1, 2, 3, 4])
    // rand_xoshiro 0.6.0 (Rust), Xoshiro128StarStar::from_seed
    expect(Array.from({ length: 10 }, next)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ])
  })

  test('SplitMix64 from 1234567', () => {
    const next = splitMix64(1234567n)
    // rand_xoshiro 0.6.0 (Rust), SplitMix64::seed_from_u64
    expect(Array.from({ length: 3 }, next)).toEqual([6457827717110365317n, 3203168211198807973n, 9817491932198370423n])
  })

  // The FNV authors' test vectors for 'a' and 'foobar'; fnv 1.0.7 (Rust) for all
  test.each([
    { text: '', expected: 0xcbf29ce484222325n },
    { text: 'a', expected: 0xaf63dc4c8601ec8cn },
    { text: 'foobar', expected: 0x85944171f73967e8n },
    { text: 'Zürich', expected: 0x0ef841596f67fdc0n },
  ])("FNV-1a of '$text'", ({ text, expected }) => {
    expect(fnv1a64(text)).toBe(expected)
  })
})

describe('a seeded generator', () => {
  // rand_xoshiro 0.6.0 seed_from_u64(fnv 1.0.7 of the text), two words a number as Python's random.random takes them
  test.each([
    {
      seed: 7,
      words: [3357438005, 858155512, 3791976206, 3250463214],
      first: [0.7817144483313329, 0.8828882631421643, 0.6628704449701966, 0.8229420446331656],
      tenThousandth: 0.6394447057666164,
    },
    {
      seed: '7/starts',
      words: [2166795710, 2120571988, 2920153354, 2146900336],
      first: [0.5044964365194301, 0.6799011863757981, 0.05523924039425576, 0.04099715402922077],
      tenThousandth: 0.8584396015023518,
    },
    {
      seed: 'Zürich',
      words: [3129074176, 4244501102, 1687694718, 1671647748],
      first: [0.7285443618018174, 0.39294704339810327, 0.15946480554547582, 0.527298510200938],
      tenThousandth: 0.23330995551454503,
    },
  ])('repeats the sequence of $seed', ({ seed, words, first, tenThousandth }) => {
    expect(Array.from({ length: 4 }, xoshiro128StarStar(stateFromText(String(seed))))).toEqual(words)
    const random = seededRandom(seed)
    const numbers = Array.from({ length: 10_000 }, () => random.next())
    expect(numbers.slice(0, 4)).toEqual(first)
    expect(numbers.at(-1)).toBe(tenThousandth)
  })

  test('takes a number for its decimal text', () => {
    expect(seededRandom(7).next()).toBe(seededRandom('7').next())
    expect(seededRandom(7).next()).not.toBe(seededRandom(8).next())
  })

  test('keeps a state of its own', () => {
    const [one, other] = [seededRandom(1), seededRandom(1)]
    one.next()
    expect(other.next()).toBe(seededRandom(1).next())
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('of seed %s throws', (seed) => {
    expect(() => seededRandom(seed)).toThrow('seed')
  })
})

describe('numbers of a shape', () => {
  test('whole numbers hit every value about equally often', () => {
    const random = seededRandom('integers')
    const hits = new Array<number>(6).fill(0)
    for (let draw = 0; draw < 60_000; draw++) {
      const value = random.integer(6)
      hits[value] = (hits[value] as number) + 1
    }
    // Standard deviation 91.
    for (const hit of hits) expect(Math.abs(hit - 10_000)).toBeLessThan(400)
  })

  test('an exponential gap is -mean log(1 - u), so that u = 0 is no gap', () => {
    // numpy 2.4.6: -250 * log1p(-0.7817144483313329), the first number of seed 7
    expectClose(seededRandom(7).exponential(250), 380.4878008211614)
  })

  test('exponential gaps have the mean asked for, and 1 / e of them are longer', () => {
    const random = seededRandom('gaps')
    const gaps = Array.from({ length: 40_000 }, () => random.exponential(250))
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    // Standard errors 1.25 and 0.0024.
    expect(Math.abs(mean - 250)).toBeLessThan(5)
    expect(Math.abs(gaps.filter((gap) => gap > 250).length / gaps.length - Math.exp(-1))).toBeLessThan(0.01)
  })

  test('a shuffle reaches every order about equally often', () => {
    const random = seededRandom('orders')
    const hits = new Map<string, number>()
    for (let round = 0; round < 24_000; round++) {
      const order = random.shuffle(['a', 'b', 'c', 'd']).join('')
      hits.set(order, (hits.get(order) ?? 0) + 1)
    }
    expect(hits.size).toBe(24)
    // Standard deviation 31.
    for (const hit of hits.values()) expect(Math.abs(hit - 1000)).toBeLessThan(150)
  })

  test.each([0, -1, 1.5, Number.NaN])('a limit of %s throws', (limit) => {
    expect(() => seededRandom(1).integer(limit)).toThrow('limit')
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a mean of %s throws', (mean) => {
    expect(() => seededRandom(1).exponential(mean)).toThrow('mean')
  })
})

describe('a derived seed', () => {
  test('names its dimension and reads back', () => {
    expect(deriveSeed(7, 'starts')).toBe('7/starts')
    expect(deriveSeed(deriveSeed(7, 'level-8'), 'jitter')).toBe('7/level-8/jitter')
  })

  test('gives each dimension a sequence of its own', () => {
    const firsts = ['starts', 'order', 'jitter', 'faults'].map((label) => seededRandom(deriveSeed(7, label)).next())
    expect(new Set(firsts).size).toBe(4)
  })

  test.each(['', 'a/b'])("of label '%s' throws, or two pairs could give one seed", (label) => {
    expect(() => deriveSeed(7, label)).toThrow('label')
  })
})
