import { createHash } from 'node:crypto'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import type { FdbKind } from '../../src/dataset/fdb-versions.js'
import { loadFdbInputs } from '../../src/dataset/full-duplex-bench.io.js'
import type { SampleRule } from '../../src/dataset/sample-selection.js'
import { datasetFolder } from '../helpers/dataset-folders.js'
import { bodies, data, fmt, riff, wav16 } from './wav-builder.js'

const ALL: SampleRule = { kind: 'counts', perSubset: 'all', counts: {} }
const first = (perSubset: number): SampleRule => ({ kind: 'counts', perSubset, counts: {} })

async function load(kind: FdbKind, root: string, rule: SampleRule = ALL) {
  const notes: string[] = []
  const options = {
    kind,
    root,
    rule,
    givenRule: 'all',
    targetRateHz: 16000,
    onNote: (note: string) => notes.push(note),
  }
  return { ...(await loadFdbInputs(options)), notes }
}

async function errorOf(kind: FdbKind, root: string, rule: SampleRule = ALL): Promise<UserError> {
  const thrown = await load(kind, root, rule).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof UserError)) throw new Error(`no UserError: ${thrown}`)
  return thrown
}

describe('the samples of a download', () => {
  test('v1.5: subsets in their order, ids in numeric order, overlap before clean, the event beside overlap alone', async () => {
    const { clips } = await load('fdb-v1.5', await datasetFolder('fdb-v1.5', [10, 9, 1]), first(2))
    expect(clips.map(({ subset, id, variant }) => `${subset}/${id}/${variant}`)).toEqual(
      ['user_interruption', 'user_backchannel', 'talking_to_other', 'background_speech'].flatMap((subset) => [
        `${subset}/1/overlap`,
        `${subset}/1/clean`,
        `${subset}/9/overlap`,
        `${subset}/9/clean`,
      ]),
    )
    expect(clips.slice(0, 2).map(({ annotation }) => annotation?.file)).toEqual(['metadata.json', undefined])
  })

  test('v1.0: each with its annotation, byte for byte, and the hashes of the files', async () => {
    const root = await datasetFolder('fdb-v1.0', [2, 1])
    const text = ' [ {"timestamp":[0.5, 0.75], "text":"[ PAUSE ]"} ]\r\n'
    await writeFile(join(root, 'candor_pause_handling/1/pause.json'), text)
    const { clips } = await load('fdb-v1.0', root, first(1))
    expect(clips.map(({ subset, annotation }) => [subset, annotation?.file])).toEqual([
      ['synthetic_pause_handling', 'pause.json'],
      ['candor_pause_handling', 'pause.json'],
      ['candor_turn_taking', 'turn_taking.json'],
      ['synthetic_user_interruption', 'interrupt.json'],
      ['icc_backchannel', undefined],
    ])
    const file = join(root, 'candor_pause_handling/1/input.wav')
    expect(clips[1]).toMatchObject({
      id: '1',
      variant: 'input',
      source: { file, sha256: sha256(await readFile(file)) },
      windowSamples: 16_000,
      annotation: { text, sha256: sha256(Buffer.from(text)) },
    })
  })

  test('the books say what was there and what was chosen', async () => {
    const root = await datasetFolder('fdb-v1.0', [1, 2, 3])
    await rm(join(root, 'icc_backchannel'), { recursive: true })
    await mkdir(join(root, 'scores'))
    await mkdir(join(root, 'candor_turn_taking', '_old'))
    await writeFile(join(root, 'candor_turn_taking', 'README'), '')
    const rule: SampleRule = { kind: 'counts', perSubset: 1, counts: { candor_turn_taking: 2, icc_backchannel: 0 } }
    const { books, notes } = await load('fdb-v1.0', root, rule)
    expect(books).toEqual({
      kind: 'fdb-v1.0',
      root,
      inventory: {
        declared: {
          synthetic_pause_handling: 137,
          candor_pause_handling: 216,
          candor_turn_taking: 119,
          synthetic_user_interruption: 200,
          icc_backchannel: 55,
        },
        observed: {
          synthetic_pause_handling: 3,
          candor_pause_handling: 3,
          candor_turn_taking: 3,
          synthetic_user_interruption: 3,
        },
        ignored: 3,
      },
      selection: {
        rule: 'all',
        selected: {
          synthetic_pause_handling: 1,
          candor_pause_handling: 1,
          candor_turn_taking: 2,
          synthetic_user_interruption: 1,
        },
      },
    })
    expect(notes).toEqual([
      'Full-Duplex-Bench v1.0: synthetic_pause_handling 1, candor_pause_handling 1, candor_turn_taking 2, synthetic_user_interruption 1',
      `${root}: 3 entries ignored`,
    ])
  })

  test('float and 8-bit stereo files are normalized and noted; the window has the length at 16 kHz, rounded up', async () => {
    const root = await datasetFolder('fdb-v1.5', [1])
    const folder = join(root, 'user_backchannel', '1')
    await writeFile(join(folder, 'input.wav'), riff([fmt({ tag: 3, bits: 32, channels: 3 }), data(bodies.float32)]))
    await writeFile(join(folder, 'clean_input.wav'), riff([fmt({ bits: 8, rateHz: 48000 }), data(bodies.pcm8)]))
    await writeFile(join(folder, 'metadata.json'), '{"timestamps":[0,0.001]}')
    const { clips, notes } = await load('fdb-v1.5', root)
    const changed = clips.filter((clip) => clip.normalization.length > 0)
    expect(changed.map((clip) => [clip.variant, clip.pcm.length, clip.windowSamples])).toEqual([
      ['overlap', 267, 267],
      ['clean', 267, 267],
    ])
    expect(notes).toContain(`${join(folder, 'clean_input.wav')}: resampled 48000 Hz to 16000 Hz`)
  })
})

describe('nothing is loaded', () => {
  test('when samples are bad: all problems together, each with its sample', async () => {
    const root = await datasetFolder('fdb-v1.0', [1, 2])
    await writeFile(join(root, 'candor_turn_taking/2/input.wav'), '')
    await writeFile(join(root, 'candor_pause_handling/1/pause.json'), '[{"timestamp":[0.5,1.5]}]')
    await rm(join(root, 'synthetic_user_interruption/2/interrupt.json'))
    const { code, message } = await errorOf('fdb-v1.0', root)
    expect(code).toBe('DATASET_INVALID')
    expect(message).toContain('3 problems: candor_pause_handling/1: pause.json does not fit the audio: pause 1')
    expect(message).toContain('candor_turn_taking/2: input.wav is an empty file')
    expect(message).toContain('synthetic_user_interruption/2: interrupt.json is missing')
  })

  test('a bad sample that is not chosen is in nobody’s way', async () => {
    const root = await datasetFolder('fdb-v1.0', [1, 2])
    await writeFile(join(root, 'candor_turn_taking/2/input.wav'), '')
    expect((await load('fdb-v1.0', root, first(1))).clips).toHaveLength(5)
  })

  test.each([
    { name: 'root', gone: '', code: 'FILE_UNREADABLE' },
    { name: 'subset', gone: 'talking_to_other', code: 'FILE_UNREADABLE' },
    { name: 'recording', gone: 'background_speech/1/clean_input.wav', code: 'DATASET_INVALID' },
  ])('a missing $name is named', async ({ gone, code }) => {
    const root = await datasetFolder('fdb-v1.5', [1])
    await rm(join(root, gone), { recursive: true })
    const error = await errorOf('fdb-v1.5', root)
    expect(error.code).toBe(code)
    expect(error.message).toContain(
      code === 'DATASET_INVALID' ? 'background_speech/1: clean_input.wav is missing' : gone,
    )
  })

  test('a subset without samples is AUDIO_NONE', async () => {
    const root = await datasetFolder('fdb-v1.5', [1])
    await rm(join(root, 'talking_to_other', '1'), { recursive: true })
    expect((await errorOf('fdb-v1.5', root)).code).toBe('AUDIO_NONE')
  })

  test('a choice of nothing, or of what is not there', async () => {
    const root = await datasetFolder('fdb-v1.5', [1])
    expect(await errorOf('fdb-v1.5', root, first(0))).toMatchObject({ code: 'SELECTION' })
    const unknown: SampleRule = { kind: 'counts', perSubset: 1, counts: { user_interuption: 1 } }
    expect(await errorOf('fdb-v1.5', root, unknown)).toMatchObject({
      code: 'SELECTION',
      message: expect.stringContaining('did you mean user_interruption?'),
    })
  })

  test('symbolic links are refused wherever they stand, when they are chosen', async () => {
    const root = await datasetFolder('fdb-v1.5', [1, 2])
    const elsewhere = join(root, 'elsewhere')
    await cp(join(root, 'user_interruption'), elsewhere, { recursive: true })
    await symlink(join(elsewhere, '1'), join(root, 'user_backchannel', '3'))
    await rm(join(root, 'background_speech', '2', 'input.wav'))
    await symlink(join(elsewhere, '1', 'input.wav'), join(root, 'background_speech', '2', 'input.wav'))
    expect((await load('fdb-v1.5', root, first(1))).clips).toHaveLength(8)
    const { message } = await errorOf('fdb-v1.5', root)
    expect(message).toContain('2 problems: user_backchannel/3: the sample is a symbolic link')
    expect(message).toContain('background_speech/2: input.wav is a symbolic link')

    await rm(join(root, 'user_interruption'), { recursive: true })
    await symlink(elsewhere, join(root, 'user_interruption'))
    const refusal = { code: 'DATASET_INVALID', message: expect.stringContaining('user_interruption: the subset is a') }
    expect(await errorOf('fdb-v1.5', root, first(1))).toMatchObject(refusal)
  })

  test('of very many problems twenty are named and the rest counted', async () => {
    const root = await datasetFolder(
      'fdb-v1.0',
      Array.from({ length: 7 }, (_, index) => index + 1),
    )
    for (const subset of ['candor_pause_handling', 'candor_turn_taking', 'icc_backchannel']) {
      for (let id = 1; id <= 7; id += 1) await writeFile(join(root, subset, String(id), 'input.wav'), wav16([]))
    }
    const { message } = await errorOf('fdb-v1.0', root)
    expect(message).toMatch(/: 21 problems: .*; and 1 more$/)
  })
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
