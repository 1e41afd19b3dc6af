import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import { FDB_V15_SUBSETS, loadFdbInputs } from '../../src/dataset/full-duplex-bench.io.js'
import { bodies, data, fmt, riff, wav16 } from './wav-builder.js'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'floorload-fdb-'))
  for (const [index, subset] of FDB_V15_SUBSETS.entries()) {
    for (const id of [10, 9, 1]) {
      mkdirSync(join(root, subset, String(id)), { recursive: true })
      writeFileSync(join(root, subset, String(id), 'input.wav'), wav16([index, id, 1]))
      writeFileSync(join(root, subset, String(id), 'clean_input.wav'), wav16([index, id]))
    }
  }
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

async function load(maxPerSubset?: number) {
  const notes: string[] = []
  const options = { version: 'v1.5', root, targetRateHz: 16000, onNote: (note: string) => notes.push(note) } as const
  const clips = await loadFdbInputs(maxPerSubset === undefined ? options : { ...options, maxPerSubset })
  return { clips, notes }
}

async function errorOf(): Promise<UserError> {
  const thrown = await load().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof UserError)) throw new Error(`no UserError: ${thrown}`)
  return thrown
}

test('subsets stand in their order, ids in numeric order, overlap before clean', async () => {
  const { clips, notes } = await load(2)
  expect(clips.map(({ subset, id, variant }) => `${subset}/${id}/${variant}`)).toEqual(
    ['user_interruption', 'user_backchannel', 'talking_to_other', 'background_speech'].flatMap((subset) => [
      `${subset}/1/overlap`,
      `${subset}/1/clean`,
      `${subset}/9/overlap`,
      `${subset}/9/clean`,
    ]),
  )
  expect([...(clips[0]?.pcm ?? [])]).toEqual([0, 1, 1])
  expect([...(clips[1]?.pcm ?? [])]).toEqual([0, 1])
  expect(clips[0]?.source.file).toBe(join(root, 'user_interruption', '1', 'input.wav'))
  expect(notes).toEqual([])
})

test('all samples are loaded where no number is given', async () => {
  expect((await load()).clips).toHaveLength(4 * 3 * 2)
})

test('float and 8-bit stereo files are normalized and noted', async () => {
  const folder = join(root, 'user_backchannel', '9')
  writeFileSync(join(folder, 'input.wav'), riff([fmt({ tag: 3, bits: 32, channels: 3 }), data(bodies.float32)]))
  writeFileSync(join(folder, 'clean_input.wav'), riff([fmt({ bits: 8, rateHz: 48000 }), data(bodies.pcm8)]))
  const { clips, notes } = await load()
  expect(clips.filter((clip) => clip.normalization.length > 0).map((clip) => [clip.variant, clip.pcm.length])).toEqual([
    ['overlap', 267],
    ['clean', 267],
  ])
  expect(notes).toContain(`${join(folder, 'clean_input.wav')}: resampled 48000 Hz to 16000 Hz`)
})

test('unknown entries are ignored and counted', async () => {
  mkdirSync(join(root, 'scores'))
  mkdirSync(join(root, 'background_speech', '_old'))
  writeFileSync(join(root, 'background_speech', 'README'), '')
  const { clips, notes } = await load()
  expect(clips).toHaveLength(24)
  expect(notes).toEqual([`${root}: 3 entries ignored`])
})

test.each([
  { name: 'root', gone: '', code: 'FILE_UNREADABLE' },
  { name: 'subset', gone: 'talking_to_other', code: 'FILE_UNREADABLE' },
  { name: 'file', gone: 'background_speech/9/clean_input.wav', code: 'FILE_UNREADABLE' },
])('a missing $name is named', async ({ gone, code }) => {
  rmSync(join(root, gone), { recursive: true })
  const error = await errorOf()
  mkdirSync(root, { recursive: true })
  expect(error.code).toBe(code)
  expect(error.message).toContain(join(root, gone))
})

test('a subset without samples is AUDIO_NONE', async () => {
  rmSync(join(root, 'talking_to_other'), { recursive: true })
  mkdirSync(join(root, 'talking_to_other'))
  expect((await errorOf()).code).toBe('AUDIO_NONE')
})

test('all bad files are reported together', async () => {
  writeFileSync(join(root, 'user_interruption', '1', 'input.wav'), '')
  writeFileSync(join(root, 'background_speech', '10', 'clean_input.wav'), wav16([1, 2]).subarray(0, -1))
  const { code, message } = await errorOf()
  expect(code).toBe('AUDIO_INVALID')
  expect(message).toMatch(/^2 audio files cannot be used: .*user_interruption.1.input\.wav is an empty file/)
  expect(message).toContain('declares 4 bytes of audio and holds 3')
})

test.skipIf(process.platform === 'win32')('symbolic links are refused wherever they stand', async () => {
  const elsewhere = join(root, 'elsewhere')
  cpSync(join(root, 'user_interruption'), elsewhere, { recursive: true })
  rmSync(join(root, 'user_interruption'), { recursive: true })
  symlinkSync(elsewhere, join(root, 'user_interruption'))
  symlinkSync(join(elsewhere, '1'), join(root, 'user_backchannel', '11'))
  rmSync(join(root, 'background_speech', '1', 'input.wav'))
  symlinkSync(join(elsewhere, '1', 'input.wav'), join(root, 'background_speech', '1', 'input.wav'))
  const { code, message } = await errorOf()
  expect(code).toBe('AUDIO_INVALID')
  expect(message.match(/is a symbolic link/g)).toHaveLength(3)
})
