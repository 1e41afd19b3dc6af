import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeWav16, parseWav } from '../../src/dataset/wav.js'
import { wavMonoPcm16 } from '../../src/dataset/wav-samples.js'
import { bodies, data, fmt, riff } from './wav-builder.js'

test('what is written is read back', () => {
  fc.assert(
    fc.property(
      fc.int16Array({ minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 384000 }),
      fc.nat(7),
      (samples, sampleRateHz, offset) => {
        const written = encodeWav16({ samples, sampleRateHz })
        const pooled = new Uint8Array(written.length + offset)
        pooled.set(written, offset)
        const audio = parseWav(pooled.subarray(offset))
        if (!audio.ok) throw new Error(audio.problem)
        expect(audio).toMatchObject({ sampleRateHz, channels: 1, encoding: 'pcm16', frames: samples.length })
        expect(wavMonoPcm16(audio)).toEqual(samples)
      },
    ),
  )
})

/** Whole or not, the parser answers, and an answer of audio accounts for whole frames of the bytes given. */
function checkAnswer(bytes: Uint8Array): void {
  const result = parseWav(bytes)
  if (!result.ok) {
    expect(result.problem).not.toBe('')
    return
  }
  expect(result.frames).toBeGreaterThan(0)
  expect(result.data.length).toBeLessThanOrEqual(bytes.length)
  expect(result.data.length % (result.frames * result.channels)).toBe(0)
}

test('the parser survives any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), checkAnswer))
  const afterHeader = fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), bytes]))
  fc.assert(fc.property(afterHeader, checkAnswer))
})

test('the parser survives any damage to a good file', () => {
  const good = riff([fmt({ subFormat: 3, bits: 32 }), ['LIST', Buffer.alloc(7)], data(bodies.float32.subarray(0, 80))])
  const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 })
  fc.assert(
    fc.property(damage, fc.nat(good.length), (changes, length) => {
      const bytes = Uint8Array.from(good)
      for (const [at, value] of changes) bytes[at] = value
      checkAnswer(bytes.subarray(0, length))
    }),
    { numRuns: 1000 },
  )
})

test('every shortened file is a problem', () => {
  const good = riff([fmt(), data(bodies.pcm16.subarray(0, 40))])
  for (let length = 0; length < good.length; length += 1) expect(parseWav(good.subarray(0, length)).ok).toBe(false)
})
