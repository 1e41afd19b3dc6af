/**
 * Randomness that can be repeated: one seed per dimension (starts, order, jitter, faults), each printed with the
 * result.
 */

import { assert } from '../base/errors.js'
import { stateFromText, xoshiro128StarStar } from './xoshiro128.js'

export interface SeededRandom {
  /** 0 or more, below 1: a multiple of 2^-53. */
  next(): number
  /**
   * A whole number from 0 to `limit - 1`; `limit` is a whole number of at least 1. Uneven by less than `limit` in
   * 2^53.
   */
  integer(limit: number): number
  /** 0 or more, exponentially distributed, at most 37 means; `mean` is above 0. Gaps of a Poisson process. */
  exponential(mean: number): number
  /** A shuffled copy, every order equally likely. */
  shuffle<T>(items: readonly T[]): T[]
}

/**
 * A generator of its own state; equal seeds give equal sequences on every machine. (The last digit of `exponential`
 * may depend on the JavaScript engine, since it takes a logarithm.) xoshiro128** seeded by the text of the seed (see
 * `stateFromText`); each `next` takes two words, the first its upper 27 bits, the second its lower 26. Not for
 * secrets.
 * @param seed any text, or a finite number, which means its decimal text: 7 and '7' are one seed
 */
export function seededRandom(seed: number | string): SeededRandom {
  assert(typeof seed === 'string' || Number.isFinite(seed), `seed is ${seed}, not a finite number`)
  const nextWord = xoshiro128StarStar(stateFromText(String(seed)))

  const next = () => {
    const upper = nextWord() >>> 5
    const lower = nextWord() >>> 6
    return (upper * 0x400_0000 + lower) / 0x20_0000_0000_0000
  }

  const integer = (limit: number) => {
    assert(Number.isSafeInteger(limit) && limit >= 1, `limit is ${limit}; it must be a whole number from 1`)
    return Math.floor(next() * limit)
  }

  const exponential = (mean: number) => {
    assert(mean > 0 && Number.isFinite(mean), `mean is ${mean}; it must be above 0`)
    return -mean * Math.log1p(-next())
  }

  // Durstenfeld (1964): the last place first.
  const shuffle = <T>(items: readonly T[]): T[] => {
    const shuffled = [...items]
    for (let last = shuffled.length - 1; last > 0; last--) {
      const chosen = integer(last + 1)
      const moved = shuffled[last] as T
      shuffled[last] = shuffled[chosen] as T
      shuffled[chosen] = moved
    }
    return shuffled
  }

  return { next, integer, exponential, shuffle }
}

/**
 * The seed of one dimension, so that drawing more in one of them moves no other: `deriveSeed(7, 'starts')` is
 * `7/starts`.
 * @param seed itself possibly derived
 * @param label not empty and without a slash, so that two different pairs never give one seed
 */
export function deriveSeed(seed: number | string, label: string): string {
  assert(label !== '' && !label.includes('/'), `seed label is '${label}'; it must be a word without a slash`)
  return `${seed}/${label}`
}
