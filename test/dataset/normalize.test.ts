import { describe, expect, test } from 'vitest'
import { normalizeToPcm16, pcm16FromUnit, resamplePcm16, unitFromPcm16 } from '../../src/dataset/normalize.js'
import { summarizeActions } from '../../src/dataset/normalize-notes.js'
import { parseWav, type WavAudio } from '../../src/dataset/wav.js'
import { bodies, data, fmt, riff, SAMPLES, values16, wav16 } from './wav-builder.js'

function audioOf(file: Uint8Array): WavAudio {
  const audio = parseWav(file)
  if (!audio.ok) throw new Error(audio.problem)
  return audio
}

function stereo16(left: readonly number[], right: readonly number[], rateHz = 16000): Buffer {
  const body = Buffer.alloc(4 * left.length)
  left.forEach((value, index) => {
    body.writeInt16LE(value, 4 * index)
    body.writeInt16LE(right[index] ?? 0, 4 * index + 2)
  })
  return riff([fmt({ channels: 2, rateHz }), data(body)])
}

test('mono PCM16 at the target rate is copied sample for sample', () => {
  const { pcm, actions } = normalizeToPcm16(audioOf(wav16(values16)), 16000)
  expect([...pcm]).toEqual(values16)
  expect(actions).toEqual([])
})

test('the copy does not share memory with the file', () => {
  const file = wav16([1, 2, 3])
  const { pcm } = normalizeToPcm16(audioOf(file), 16000)
  file.fill(0)
  expect([...pcm]).toEqual([1, 2, 3])
})

const conversions = [
  { name: '8-bit', file: riff([fmt({ bits: 8 }), data(bodies.pcm8)]), value: (v: number) => (v >> 8) << 8 },
  // The extra 37/256 and 12345/65536 of the wider bodies round away.
  { name: '24-bit', file: riff([fmt({ bits: 24 }), data(bodies.pcm24)]), value: (v: number) => v },
  { name: '32-bit', file: riff([fmt({ bits: 32 }), data(bodies.pcm32)]), value: (v: number) => v },
  { name: '32-bit float', file: riff([fmt({ tag: 3, bits: 32 }), data(bodies.float32)]), value: (v: number) => v },
]

test.each(conversions)('$name samples are scaled and rounded', ({ name, file, value }) => {
  const { pcm, actions } = normalizeToPcm16(audioOf(file), 16000)
  expect([...pcm]).toEqual(values16.map(value))
  expect(actions).toEqual([`converted from ${name}`])
})

test('channels are averaged, and halves go to the even neighbour', () => {
  const { pcm, actions } = normalizeToPcm16(
    audioOf(stereo16([1, 2, -1, -2, 32767, 5], [0, 1, 0, -1, 32767, -5])),
    16000,
  )
  expect([...pcm]).toEqual([0, 2, 0, -2, 32767, 0])
  expect(actions).toEqual(['averaged 2 channels'])
})

test('samples beyond full scale are clipped and counted', () => {
  const file = riff([fmt({ tag: 3, bits: 64 }), data(bodies.float64)])
  const { pcm, actions } = normalizeToPcm16(audioOf(file), 16000)
  expect([pcm[0], pcm[1]]).toEqual([-32768, 32767])
  const beyond = values16.filter((v) => Math.abs((v * 32768) / 30000 + 0.5) > 32768).length
  expect(actions).toEqual(['converted from 64-bit float', `clipped ${beyond} samples`])
})

test('actions stand in the order in which they are done', () => {
  const file = riff([fmt({ bits: 24, channels: 3, rateHz: 48000 }), data(bodies.pcm24)])
  const { pcm, actions } = normalizeToPcm16(audioOf(file), 16000)
  expect(pcm.length).toBe(Math.ceil(SAMPLES / 3 / 3))
  expect(actions.slice(0, 3)).toEqual([
    'converted from 24-bit',
    'averaged 3 channels',
    'resampled 48000 Hz to 16000 Hz',
  ])
})

describe('half to even', () => {
  test.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [-0.5, 0],
    [-1.5, -2],
    [-2.5, -2],
    [0.4999, 0],
    [-0.5001, -1],
    [32767.4, 32767],
    [32767.5, 32767],
    [-32768.5, -32768],
  ])('%d gives %i', (value, rounded) => {
    expect(pcm16FromUnit(Float64Array.of(value / 32768)).pcm[0]).toBe(rounded)
  })
})

test('PCM16 to full scale 1 and back is exact', () => {
  const pcm = Int16Array.from(values16)
  expect(pcm16FromUnit(unitFromPcm16(pcm)).pcm).toEqual(pcm)
  expect(resamplePcm16(pcm, { fromHz: 16000, toHz: 16000 })).toEqual(pcm)
})

test('silence stays digital silence in every rate', () => {
  expect(new Set(resamplePcm16(new Int16Array(500), { fromHz: 16000, toHz: 22050 }))).toEqual(new Set([0]))
})

test('what was done to several files is said once', () => {
  const clip = (file: string, normalization: string[]) => ({ id: file, normalization, source: { file, sha256: '' } })
  const clips = [
    clip('a.wav', ['averaged 2 channels', 'resampled 48000 Hz to 16000 Hz']),
    clip('b.wav', ['clipped 3 samples']),
    clip('c.wav', ['averaged 2 channels', 'clipped 7 samples']),
  ]
  expect(summarizeActions(clips)).toEqual([
    '2 files: averaged 2 channels',
    'a.wav: resampled 48000 Hz to 16000 Hz',
    '2 files: clipped samples',
  ])
  expect(summarizeActions(clips.slice(0, 2))).toContain('b.wav: clipped 3 samples')
})
