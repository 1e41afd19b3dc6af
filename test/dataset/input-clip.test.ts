import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CLIP_ID,
  clipDurationS,
  clipIdFromFileName,
  makeInputClip,
  pcm16Bytes,
  windowSamplesOf,
} from '../../src/dataset/input-clip.js'
import { compareNatural } from '../../src/dataset/natural-order.js'

describe('a clip id', () => {
  test.each([
    { names: ['hello.wav'], ids: ['hello'] },
    { names: ['Hello.WAV', 'hello.wav'], ids: ['Hello', 'hello-2'] },
    { names: ['a b.wav', 'a  b.wav', 'a-b.wav'], ids: ['a-b', 'a-b-2', 'a-b-3'] },
    { names: ['x-2.wav', 'x.wav', 'x.wav'], ids: ['x-2', 'x', 'x-3'] },
    { names: ['.hidden.wav', '--.wav', '音声.wav', ''], ids: ['hidden', 'clip', 'clip-2', 'clip-3'] },
    { names: ['../../etc/passwd', 'end..wav', 'tab\t.wav'], ids: ['etc-passwd', 'end', 'tab'] },
    { names: ['v1.2_final.wav', 'noext'], ids: ['v1.2_final', 'noext'] },
  ])('comes from the file name: $names', ({ names, ids }) => {
    const taken = new Set<string>()
    expect(names.map((name) => clipIdFromFileName(name, taken))).toEqual(ids)
  })

  test('is always valid, unique in any case, and short enough for a folder', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 150 }), { maxLength: 20 }), (names) => {
        const taken = new Set<string>()
        const ids = names.map((name) => clipIdFromFileName(name, taken))
        for (const id of ids) expect(id).toMatch(CLIP_ID)
        expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(names.length)
        expect(Math.max(0, ...ids.map((id) => id.length))).toBeLessThan(110)
      }),
    )
  })
})

test('a clip carries the hash of its little-endian bytes and its length in seconds', () => {
  const pcm = Int16Array.of(97 + 256 * 98, 99 + 256 * 100)
  const source = { file: null, sha256: '' }
  const clip = makeInputClip({
    id: 'x',
    subset: 's',
    variant: 'input',
    sampleRateHz: 8,
    pcm,
    source,
    normalization: [],
  })
  expect(Buffer.from(pcm16Bytes(pcm)).toString('latin1')).toBe('abcd')
  // printf abcd | sha256sum
  expect(clip.pcmSha256).toBe('88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589')
  expect(clipDurationS(clip)).toBe(0.25)
})

test.each([
  { id: '../x', samples: 1 },
  { id: '', samples: 1 },
  { id: 'x', samples: 0 },
])('a clip "$id" of $samples samples is our own mistake and throws', ({ id, samples }) => {
  const pcm = new Int16Array(samples)
  const source = { file: null, sha256: '' }
  const make = () => makeInputClip({ id, subset: '', variant: '', sampleRateHz: 8, pcm, source, normalization: [] })
  expect(make).toThrow('assertion failed')
})

describe('natural order', () => {
  test.each([
    { sorted: ['1', '2', '10', '100', '9a', 'a'] },
    { sorted: ['user1.wav', 'user2.wav', 'user10.wav', 'user10b.wav'] },
    { sorted: ['007', '07', '7', '8'] },
    { sorted: ['A', 'a', 'b', 'é'] },
    { sorted: ['99999999999999999998', '99999999999999999999', '100000000000000000000'] },
    { sorted: ['', 'a', 'a1', 'a1b'] },
  ])('is $sorted', ({ sorted }) => {
    expect([...sorted].reverse().sort(compareNatural)).toEqual(sorted)
  })

  test('is a total order', () => {
    const name = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'B', '-', '.'), maxLength: 6 })
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNatural(a, b))).toBe(-Math.sign(compareNatural(b, a)) + 0)
        expect(compareNatural(a, b) === 0).toBe(a === b)
        if (compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0) expect(compareNatural(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

test.each([
  { sampleRateHz: 16_000, samples: 16_001, windowSamples: 16_001 },
  { sampleRateHz: 24_000, samples: 25, windowSamples: 16 },
  { sampleRateHz: 8_000, samples: 3, windowSamples: 6 },
])(
  'the window of a clip is its length at 16 kHz: $samples at $sampleRateHz Hz',
  ({ windowSamples, samples, ...rest }) => {
    const source = { file: null, sha256: '' }
    const parts = {
      id: 'x',
      subset: 's',
      variant: 'input',
      pcm: new Int16Array(samples),
      source,
      normalization: [],
      ...rest,
    }
    expect(makeInputClip(parts)).toMatchObject({ windowSamples, annotation: null })
    expect(makeInputClip({ ...parts, windowSamples: 7 }).windowSamples).toBe(7)
  },
)

test.each([
  [16_000, 100, 100],
  [48_000, 100, 34],
  [44_100, 441, 160],
  [44_100, 442, 161],
])('a file of %i Hz and %i samples has a window of %i samples', (rateHz, frames, samples) => {
  expect(windowSamplesOf(frames, rateHz)).toBe(samples)
})
