import { describe, expect, test } from 'vitest'
import { encodeWav16, parseWav } from '../../src/dataset/wav.js'
import { wavChannel, wavMonoPcm16 } from '../../src/dataset/wav-samples.js'
import { bodies, data, expected, fmt, riff, SAMPLES, values16, wav16 } from './wav-builder.js'

const list = (bytes: number) => ['LIST', Buffer.alloc(bytes, 'x')] as const
const fact = ['fact', Buffer.from([0x21, 3, 0, 0])] as const
const ds64 = (dataBytes: number) => {
  const body = Buffer.alloc(28)
  body.writeBigUInt64LE(BigInt(dataBytes), 8)
  return ['ds64', body] as const
}
const pcm16 = bodies.pcm16

const readable = [
  { name: 'PCM16', file: riff([fmt(), data(pcm16)]), encoding: 'pcm16' },
  { name: 'PCM24', file: riff([fmt({ bits: 24 }), data(bodies.pcm24)]), encoding: 'pcm24' },
  { name: 'PCM32', file: riff([fmt({ bits: 32 }), data(bodies.pcm32)]), encoding: 'pcm32' },
  { name: 'PCM8 of odd length, padded', file: riff([fmt({ bits: 8 }), data(bodies.pcm8)]), encoding: 'pcm8' },
  {
    name: 'float32 with fact',
    file: riff([fmt({ tag: 3, bits: 32 }), fact, data(bodies.float32)]),
    encoding: 'float32',
  },
  {
    name: 'float64 with fact',
    file: riff([fmt({ tag: 3, bits: 64 }), fact, data(bodies.float64)]),
    encoding: 'float64',
  },
  { name: 'extensible PCM16', file: riff([fmt({ subFormat: 1 }), data(pcm16)]), encoding: 'pcm16' },
  { name: 'extensible PCM24', file: riff([fmt({ subFormat: 1, bits: 24 }), data(bodies.pcm24)]), encoding: 'pcm24' },
  {
    name: 'extensible float32',
    file: riff([fmt({ subFormat: 3, bits: 32 }), data(bodies.float32)]),
    encoding: 'float32',
  },
  { name: 'LIST before data', file: riff([fmt(), list(26), data(pcm16)]), encoding: 'pcm16' },
  { name: 'LIST before fmt', file: riff([list(26), fmt(), data(pcm16)]), encoding: 'pcm16' },
  { name: 'LIST of odd size, padded, before data', file: riff([fmt(), list(27), data(pcm16)]), encoding: 'pcm16' },
  { name: 'LIST after data', file: riff([fmt(), data(pcm16), list(26)]), encoding: 'pcm16' },
  {
    name: 'fmt of 18 bytes',
    file: riff([['fmt ', Buffer.concat([fmt()[1], Buffer.alloc(2)])], data(pcm16)]),
    encoding: 'pcm16',
  },
  {
    name: 'data size 0xFFFFFFFF',
    file: riff([fmt(), data(pcm16, 0xffffffff)], { size: 0xffffffff }),
    encoding: 'pcm16',
  },
  {
    name: 'data size 0x7FFFF000',
    file: riff([fmt(), data(pcm16, 0x7ffff000)], { size: 0x7ffff024 }),
    encoding: 'pcm16',
  },
  {
    name: 'data size 0x7FFFF000 in whole frames of 3 bytes, padded',
    file: riff([fmt({ bits: 24 }), data(bodies.pcm24, 0x7ffff000 - (0x7ffff000 % 3))]),
    encoding: 'pcm24',
  },
  {
    name: 'junk after the RIFF end',
    file: Buffer.concat([wav16(values16), Buffer.from('data junk')]),
    encoding: 'pcm16',
  },
  { name: 'a RIFF size of 0', file: riff([fmt(), data(pcm16)], { size: 0 }), encoding: 'pcm16' },
  {
    name: 'RF64',
    file: riff([ds64(pcm16.length), fmt(), data(pcm16, 0xffffffff), list(8)], { form: 'RF64', size: 0xffffffff }),
    encoding: 'pcm16',
  },
] as const

describe.each(readable)('$name', ({ file, encoding }) => {
  test.each([0, 1, 3])('is read sample for sample at offset %i of its buffer', (offset) => {
    const pooled = new Uint8Array(file.length + offset + 5).fill(0xaa)
    pooled.set(file, offset)
    const audio = parseWav(pooled.subarray(offset, offset + file.length))
    if (!audio.ok) throw new Error(audio.problem)
    expect({ ...audio, data: undefined }).toEqual({
      ok: true,
      sampleRateHz: 16000,
      channels: 1,
      encoding,
      frames: SAMPLES,
      data: undefined,
    })
    expect([...wavChannel(audio, 0)]).toEqual(expected[encoding])
    if (encoding === 'pcm16') expect([...wavMonoPcm16(audio)]).toEqual(values16)
  })
})

test('channels are told apart', () => {
  const three = Buffer.alloc(3 * 3 * 2)
  for (let index = 0; index < 9; index += 1) three.writeInt16LE(index * 1000, index * 2)
  const audio = parseWav(riff([fmt({ channels: 3, rateHz: 48000 }), data(three)]))
  if (!audio.ok) throw new Error(audio.problem)
  expect(audio).toMatchObject({ channels: 3, frames: 3, sampleRateHz: 48000 })
  expect([0, 1, 2].map((channel) => [...wavChannel(audio, channel)].map((value) => value * 32768))).toEqual([
    [0, 3000, 6000],
    [1000, 4000, 7000],
    [2000, 5000, 8000],
  ])
})

const nan = Buffer.alloc(12)
nan.writeFloatLE(Number.NaN, 4)
const cut = riff([fmt(), data(pcm16)]).subarray(0, 44 + 650 * 2)
const unreadable = [
  { name: 'no bytes', file: Buffer.alloc(0), kind: 'empty', problem: 'is an empty file (0 bytes)' },
  { name: 'data size 0', file: riff([fmt(), data(Buffer.alloc(0))]), kind: 'empty', problem: 'data chunk of 0 bytes' },
  {
    name: 'data size 0 with bytes following',
    file: riff([fmt(), data(pcm16, 0)]),
    kind: 'empty',
    problem: 'data chunk of 0 bytes',
  },
  { name: 'audio cut off', file: cut, kind: 'truncated', problem: 'declares 1602 bytes of audio and holds 1300' },
  {
    name: 'audio cut off by one byte',
    file: wav16(values16).subarray(0, -1),
    kind: 'truncated',
    problem: 'declares 1602 bytes of audio and holds 1601',
  },
  {
    name: 'an RF64 file cut off',
    file: riff([ds64(5_000_000_000), fmt(), data(pcm16, 0xffffffff)], { form: 'RF64' }),
    kind: 'truncated',
    problem: 'declares 5000000000 bytes of audio and holds 1602',
  },
  {
    name: 'a stream cut off within a frame',
    file: riff([fmt(), data(pcm16, 0xffffffff)]).subarray(0, -1),
    kind: 'truncated',
    problem: '1601 bytes of audio in frames of 2 bytes',
  },
  {
    name: 'not whole frames',
    file: riff([fmt({ channels: 2 }), data(pcm16)]),
    kind: 'truncated',
    problem: '1602 bytes of audio in frames of 4 bytes',
  },
  {
    name: 'fmt cut off',
    file: riff([fmt()]).subarray(0, 30),
    kind: 'truncated',
    problem: 'cut off in its fmt chunk (declares 16 bytes and holds 10)',
  },
  {
    name: 'a header cut off',
    file: Buffer.from('RIFF\x01\x02'),
    kind: 'truncated',
    problem: 'cut off in its first header (6 bytes)',
  },
  {
    name: 'another container',
    file: Buffer.from('OggS and more of it'),
    kind: 'unsupported',
    problem: 'starts with "OggS", not "RIFF"',
  },
  {
    name: 'bytes that are no text',
    file: Buffer.from([0xff, 0xfb, 0x90, 0]),
    kind: 'unsupported',
    problem: 'starts with 0xfffb9000',
  },
  {
    name: 'a RIFF file of another type',
    file: riff([fmt()], { type: 'AVI ' }),
    kind: 'unsupported',
    problem: 'RIFF of type "AVI "',
  },
  { name: 'no fmt', file: riff([list(4)]), kind: 'unsupported', problem: 'no fmt chunk' },
  {
    name: 'data before fmt',
    file: riff([data(pcm16), fmt()]),
    kind: 'unsupported',
    problem: 'no fmt chunk before its data chunk',
  },
  { name: 'no data', file: riff([fmt(), list(4)]), kind: 'unsupported', problem: 'no data chunk' },
  {
    name: 'a short fmt',
    file: riff([['fmt ', Buffer.alloc(14)], data(pcm16)]),
    kind: 'unsupported',
    problem: 'fmt chunk of 14 bytes',
  },
  {
    name: 'mu-law',
    file: riff([fmt({ tag: 7, bits: 8 }), data(bodies.pcm8)]),
    kind: 'unsupported',
    problem: 'format tag 0x0007',
  },
  {
    name: 'ADPCM',
    file: riff([fmt({ tag: 0x11, bits: 4, frameBytes: 256 }), data(pcm16)]),
    kind: 'unsupported',
    problem: 'format tag 0x0011',
  },
  {
    name: '12 bits',
    file: riff([fmt({ bits: 12, frameBytes: 2 }), data(pcm16)]),
    kind: 'unsupported',
    problem: '12-bit PCM',
  },
  {
    name: 'half floats',
    file: riff([fmt({ tag: 3, bits: 16 }), data(pcm16)]),
    kind: 'unsupported',
    problem: '16-bit float',
  },
  { name: '0 channels', file: riff([fmt({ channels: 0 }), data(pcm16)]), kind: 'unsupported', problem: '0 channels' },
  {
    name: 'a rate of 0',
    file: riff([fmt({ rateHz: 0 }), data(pcm16)]),
    kind: 'unsupported',
    problem: 'sample rate of 0 Hz',
  },
  {
    name: 'frames of the wrong size',
    file: riff([fmt({ frameBytes: 4 }), data(pcm16)]),
    kind: 'unsupported',
    problem: '4 bytes a frame, but 1 × 16 bits are 2',
  },
  {
    name: 'a float that is not a number',
    file: riff([fmt({ tag: 3, bits: 32 }), data(nan)]),
    kind: 'unsupported',
    problem: 'not a number (sample 1)',
  },
]

test.each(unreadable)('$name is a problem with its reason', ({ file, kind, problem }) => {
  const result = parseWav(file)
  expect(result).toEqual({ ok: false, kind, problem: expect.stringContaining(problem) })
})

test('the writer gives the 44-byte header of the format and the samples', () => {
  // By hand from the RIFF specification.
  const header = '52494646 28000000 57415645 666d7420 10000000 0100 0100 c05d0000 80bb0000 0200 1000 64617461 04000000'
  const bytes = encodeWav16({ samples: Int16Array.of(1, -2), sampleRateHz: 24000 })
  expect(Buffer.from(bytes).toString('hex')).toBe(`${header.replaceAll(' ', '')}0100feff`)
})
