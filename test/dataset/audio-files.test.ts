import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import { AUDIO_FILE_BYTES_MAX } from '../../src/dataset/audio-file.io.js'
import { loadAudioInputs } from '../../src/dataset/audio-files.io.js'
import { bodies, data, fmt, riff, wav16 } from './wav-builder.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'floorload-audio-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

function write(files: Readonly<Record<string, Uint8Array>>): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
}

async function load(paths: string[]) {
  const notes: string[] = []
  const clips = await loadAudioInputs({ paths, targetRateHz: 16000, onNote: (note) => notes.push(note) })
  return { clips, notes }
}

async function errorOf(paths: string[]): Promise<UserError> {
  const thrown = await load(paths).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof UserError)) throw new Error(`no UserError: ${thrown}`)
  expect(thrown.fix).toBeTruthy()
  expect(thrown.message).not.toContain('\n')
  return thrown
}

const stereo48 = riff([fmt({ channels: 2, rateHz: 48000 }), data(bodies.pcm16.subarray(0, 1600))])

test('a folder gives its WAV files in natural order, without subfolders, hidden and other files', async () => {
  write({
    '10.wav': wav16([10]),
    '9.wav': wav16([9]),
    'b.WAV': wav16([3]),
    'a.wav': wav16([2]),
    '._a.wav': Buffer.from('resource fork'),
    'notes.txt': Buffer.from('x'),
    'deeper/1.wav': wav16([4]),
  })
  mkdirSync(join(folder, 'folder.wav'))
  const { clips, notes } = await load([folder])
  expect(clips.map(({ id, subset, variant, pcm }) => [id, subset, variant, ...pcm])).toEqual([
    ['9', 'audio', 'input', 9],
    ['10', 'audio', 'input', 10],
    ['a', 'audio', 'input', 2],
    ['b', 'audio', 'input', 3],
  ])
  expect(notes).toEqual([])
})

test('paths keep their order, and equal names get different ids', async () => {
  write({ 'one/a.wav': wav16([1]), 'two/a.wav': wav16([2]), 'z.wav': wav16([3]) })
  const { clips } = await load([join(folder, 'z.wav'), join(folder, 'two'), join(folder, 'one')])
  expect(clips.map(({ id, pcm }) => [id, ...pcm])).toEqual([
    ['z', 3],
    ['a', 2],
    ['a-2', 1],
  ])
})

test('a clip names its file and the hash of its bytes', async () => {
  write({ 'a.wav': stereo48 })
  const file = join(folder, 'a.wav')
  const { clips, notes } = await load([file])
  expect(clips[0]).toMatchObject({
    sampleRateHz: 16000,
    source: { file, sha256: createHash('sha256').update(stereo48).digest('hex') },
    normalization: ['averaged 2 channels', 'resampled 48000 Hz to 16000 Hz'],
  })
  expect(clips[0]?.pcm.length).toBe(Math.ceil(400 / 3))
  expect(notes).toEqual([`${file}: averaged 2 channels`, `${file}: resampled 48000 Hz to 16000 Hz`])
})

test('24-bit and 32-bit files are accepted and noted once for all', async () => {
  const wide = riff([fmt({ bits: 24 }), data(bodies.pcm24)])
  write({ 'a.wav': wide, 'b.wav': wide, 'c.wav': riff([fmt({ bits: 32 }), data(bodies.pcm32)]) })
  const { notes } = await load([folder])
  expect(notes).toEqual(['2 files: converted from 24-bit', `${join(folder, 'c.wav')}: converted from 32-bit`])
})

describe('a file is refused with what was found and what is allowed', () => {
  const rate = (rateHz: number) => wav16([1], rateHz)
  test.each([
    { name: 'empty', file: Buffer.alloc(0), found: 'is an empty file (0 bytes)', fix: 'record or copy' },
    { name: 'no audio', file: wav16([]), found: 'holds no audio', fix: 'record or copy' },
    {
      name: 'cut short',
      file: wav16([1, 2, 3]).subarray(0, -2),
      found: 'declares 6 bytes of audio and holds 4',
      fix: 'record or copy',
    },
    { name: 'not WAV', file: Buffer.from('ID3 and so on'), found: 'starts with "ID3 "', fix: 'ffmpeg -i' },
    {
      name: '8-bit',
      file: riff([fmt({ bits: 8 }), data(bodies.pcm8)]),
      found: 'holds 8-bit samples',
      fix: 'pcm_s16le',
    },
    {
      name: 'float32',
      file: riff([fmt({ tag: 3, bits: 32 }), data(bodies.float32)]),
      found: 'holds 32-bit float samples',
      fix: 'pcm_s16le',
    },
    {
      name: 'float64',
      file: riff([fmt({ tag: 3, bits: 64 }), data(bodies.float64)]),
      found: 'holds 64-bit float samples',
      fix: 'pcm_s16le',
    },
    {
      name: 'compressed',
      file: riff([fmt({ tag: 7, bits: 8 }), data(bodies.pcm8)]),
      found: 'format tag 0x0007',
      fix: 'pcm_s16le',
    },
    { name: 'a rate just too low', file: rate(7999), found: 'sample rate of 7999 Hz', fix: '-ar 16000' },
    { name: 'a rate just too high', file: rate(192001), found: 'sample rate of 192001 Hz', fix: '-ar 16000' },
  ])('$name', async ({ file, found, fix }) => {
    write({ 'in put.wav': file })
    const path = join(folder, 'in put.wav')
    const error = await errorOf([path])
    expect(error.code).toBe('AUDIO_INVALID')
    expect(error.message.startsWith(`${path} `)).toBe(true)
    expect(error.message).toContain(found)
    expect(error.message).toContain('allowed: WAV, PCM of 16, 24 or 32 bits, 8000 to 192000 Hz')
    expect(error.fix).toContain(fix)
    if (error.fix?.includes('ffmpeg')) expect(error.fix).toContain(`'${path}'`)
  })

  test('too large to read', async () => {
    write({ 'a.wav': wav16([1]) })
    truncateSync(join(folder, 'a.wav'), AUDIO_FILE_BYTES_MAX + 1)
    expect((await errorOf([folder])).message).toContain(`has ${AUDIO_FILE_BYTES_MAX + 1} bytes`)
  })
})

test('rates just within the limits are accepted', async () => {
  write({ 'low.wav': wav16([1], 8000), 'high.wav': wav16([1], 192000) })
  const { clips } = await load([folder])
  expect(clips.map(({ id, pcm }) => [id, pcm.length])).toEqual([
    ['high', 1],
    ['low', 2],
  ])
})

test('all bad files are named together, five of them, then their number', async () => {
  write({ 'good.wav': wav16([1]) })
  for (let index = 1; index <= 7; index += 1) write({ [`${index}.wav`]: Buffer.alloc(0) })
  const { code, message } = await errorOf([folder])
  expect(code).toBe('AUDIO_INVALID')
  expect(message).toMatch(/^7 audio files cannot be used: /)
  expect(message.match(/\d\.wav is an empty file/g)).toHaveLength(5)
  expect(message).toContain('; and 2 more; allowed:')
  expect(message).not.toContain('good.wav')
})

describe('nothing to read', () => {
  test('a folder without WAV files is AUDIO_NONE', async () => {
    write({ 'a.mp3': Buffer.from('x') })
    const error = await errorOf([folder])
    expect(error).toMatchObject({ code: 'AUDIO_NONE', at: folder })
    expect(error.message).toContain('among 1 entries')
  })

  test('no paths are AUDIO_NONE', async () => {
    expect((await errorOf([])).code).toBe('AUDIO_NONE')
  })

  test('a missing path is FILE_UNREADABLE and named', async () => {
    const path = join(folder, 'missing.wav')
    const error = await errorOf([path])
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', at: path })
    expect(error.message).toContain(path)
  })

  test.skipIf(process.platform === 'win32')('a device is not read for ever', async () => {
    expect((await errorOf(['/dev/zero'])).code).toBe('FILE_UNREADABLE')
  })
})
