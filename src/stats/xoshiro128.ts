/**
 * The bits behind `seededRandom`: public algorithms with published test values, so that another implementation can
 * repeat a schedule from its printed seed.
 */

const MASK_64 = 0xffff_ffff_ffff_ffffn

/**
 * xoshiro128**, version 1.1: 32 random bits for each call. Period 2^128 - 1.
 * @param state four 32-bit words, not all 0
 * Source: Blackman and Vigna, https://prng.di.unimi.it/xoshiro128starstar.c (public domain).
 */
export function xoshiro128StarStar(state: readonly [number, number, number, number]): () => number {
  let [s0, s1, s2, s3] = state
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0
    const shifted = s1 << 9
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = rotateLeft(s3, 11)
    return result
  }
}

/**
 * Four words of state from a text: FNV-1a (64 bit) over its UTF-8 bytes, then two outputs of SplitMix64, low word
 * first.
 * Sources: FNV, https://datatracker.ietf.org/doc/draft-eastlake-fnv/; Vigna, https://prng.di.unimi.it/splitmix64.c,
 * which the authors of xoshiro name for seeding it.
 */
export function stateFromText(text: string): readonly [number, number, number, number] {
  const next = splitMix64(fnv1a64(text))
  const first = next()
  const second = next()
  return [lowWord(first), lowWord(first >> 32n), lowWord(second), lowWord(second >> 32n)]
}

/** The 64-bit FNV-1a hash of the text's UTF-8 bytes. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf2_9ce4_8422_2325n
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100_0000_01b3n) & MASK_64
  return hash
}

/** 64 random bits for each call, from 64 bits of state. */
export function splitMix64(seed: bigint): () => bigint {
  let state = seed & MASK_64
  return () => {
    state = (state + 0x9e37_79b9_7f4a_7c15n) & MASK_64
    let mixed = state
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK_64
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK_64
    return mixed ^ (mixed >> 31n)
  }
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

function lowWord(value: bigint): number {
  return Number(value & 0xffff_ffffn)
}
