import { expect, it } from 'vitest'
import type { InputClip } from '../../src/dataset/input-clip.js'
import { expectedLevelS } from '../../src/sweep/level-duration.js'

const clip = (lengthS: number) => ({ pcm: new Int16Array(16_000 * lengthS), sampleRateHz: 16_000 }) as InputClip

it.each([
  { name: 'one after the other', concurrency: 1, sessions: 3, lengthsS: [4, 6], unitMs: 1000, isS: 1 + 5 + 7 + 5 },
  { name: 'shared by the slots', concurrency: 2, sessions: 4, lengthsS: [4], unitMs: 0, isS: 1 + 8 },
  { name: 'never less than the longest', concurrency: 8, sessions: 8, lengthsS: [1, 9], unitMs: 0, isS: 1 + 9 },
])('a level lasts its sessions, $name', ({ concurrency, sessions, lengthsS, unitMs, isS }) => {
  const inputs = lengthsS.map(clip)
  expect(expectedLevelS({ concurrency, repeat: 1, sessions }, { inputs, profile: { unit_ms: unitMs } })).toBe(isS)
})
