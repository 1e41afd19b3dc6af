import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFdb } from '../../src/dataset/dataset-check.io.js'
import { detectFdb } from '../../src/dataset/fdb-folder.io.js'
import { FDB_VERSIONS, type FdbKind } from '../../src/dataset/fdb-versions.js'
import { datasetFolder } from '../helpers/dataset-folders.js'
import { writeTree } from '../helpers/temp-folders.js'
import { wav16 } from './wav-builder.js'

const check = (kind: FdbKind, root: string) => checkFdb(root, FDB_VERSIONS[kind])

describe('a download is checked', () => {
  it('counts what is there of what was published, and names what it ignores', async () => {
    const root = await datasetFolder('fdb-v1.0', [1, 2])
    await rm(join(root, 'icc_backchannel'), { recursive: true })
    await mkdir(join(root, 'scores'))
    await writeFile(join(root, 'candor_turn_taking', '.DS_Store'), '')
    const { subsets, ignored, problems } = await check('fdb-v1.0', root)
    expect(problems).toEqual([])
    expect(ignored).toEqual(['scores'])
    const usual = { is_there: true, observed: 2, usable: 2, ignored: [] }
    expect(subsets).toEqual([
      { ...usual, subset: 'synthetic_pause_handling', declared: 137 },
      { ...usual, subset: 'candor_pause_handling', declared: 216 },
      { ...usual, subset: 'candor_turn_taking', declared: 119, ignored: ['.DS_Store'] },
      { ...usual, subset: 'synthetic_user_interruption', declared: 200 },
      { subset: 'icc_backchannel', is_there: false, declared: 55, observed: 0, usable: 0, ignored: [] },
    ])
  })

  it('a sample with two problems is one sample less', async () => {
    const root = await datasetFolder('fdb-v1.5', [1, 2, 3])
    await rm(join(root, 'user_backchannel/2'), { recursive: true })
    await mkdir(join(root, 'user_backchannel/2'))
    const { subsets, problems } = await check('fdb-v1.5', root)
    expect(subsets[1]).toMatchObject({ observed: 3, usable: 2 })
    expect(problems).toEqual([
      { sample: 'user_backchannel/2', problem: 'input.wav is missing' },
      { sample: 'user_backchannel/2', problem: 'metadata.json is missing' },
      { sample: 'user_backchannel/2', problem: 'clean_input.wav is missing' },
    ])
  })

  const outside = 'does not fit the audio'
  it.each([
    ['v1.0', 'candor_pause_handling', 'pause.json', '[{"timestamp":[0.5,NaN]}]', 'is not valid JSON'],
    ['v1.0', 'candor_pause_handling', 'pause.json', '[]', 'is not a list of pauses'],
    ['v1.0', 'candor_pause_handling', 'pause.json', '[{"timestamp":[0.5,1.000001]}]', outside],
    ['v1.0', 'candor_pause_handling', 'pause.json', '[{"timestamp":[0.75,0.5]}]', outside],
    ['v1.0', 'candor_turn_taking', 'turn_taking.json', '[{"timestamp":[1.5,1.6]}]', outside],
    [
      'v1.0',
      'candor_turn_taking',
      'turn_taking.json',
      '[{"timestamp":[1,2]},{"timestamp":[1,2]}]',
      'is not a list of one',
    ],
    ['v1.0', 'synthetic_user_interruption', 'interrupt.json', '[{"timestamp":[0.75,0.5]}]', outside],
    ['v1.0', 'synthetic_user_interruption', 'interrupt.json', '[{"timestamp":[0.5,1e999]}]', 'is not a list of one'],
    ['v1.0', 'synthetic_user_interruption', 'interrupt.json', Buffer.of(0xff, 0xfe), 'is not UTF-8 text'],
    ['v1.0', 'icc_backchannel', 'input.wav', wav16([1, 2]).subarray(0, -1), 'is cut short'],
    [
      'v1.5',
      'background_speech',
      'metadata.json',
      '{"timestamps":[0.5]}',
      'is not an object with timestamps [start, end]',
    ],
    ['v1.5', 'background_speech', 'metadata.json', '{"timestamps":[0.5,0.5]}', 'does not end after its start'],
    ['v1.5', 'background_speech', 'metadata.json', '{"timestamps":[-0.1,0.5]}', 'lies outside [0, 1]'],
    ['v1.5', 'background_speech', 'metadata.json', '{"timestamps":[0.5,1.000001]}', 'lies outside [0, 1]'],
    ['v1.5', 'background_speech', 'clean_input.wav', 'no audio', 'is not a WAV file'],
  ])('%s %s: %s %j %s', async (version, subset, file, content, problem) => {
    const root = await datasetFolder(`fdb-${version}` as FdbKind, [1])
    await writeTree(root, { [`${subset}/1/${file}`]: content })
    const { problems } = await check(`fdb-${version}` as FdbKind, root)
    expect(problems).toEqual([{ sample: `${subset}/1`, problem: expect.stringContaining(problem) }])
    expect(problems[0]?.problem.startsWith(file)).toBe(true)
  })

  it('times at the very ends are well-formed', async () => {
    const root = await datasetFolder('fdb-v1.5', [1])
    await writeTree(root, { 'background_speech/1/metadata.json': { timestamps: [0, 1.0000004] } })
    expect((await check('fdb-v1.5', root)).problems).toEqual([])
  })

  it('of a sample without usable audio the annotation is checked for its shape alone', async () => {
    const root = await datasetFolder('fdb-v1.0', [1])
    await writeTree(root, {
      'candor_turn_taking/1/input.wav': '',
      'candor_turn_taking/1/turn_taking.json': '[{"timestamp":[99,99]}]',
    })
    const { problems } = await check('fdb-v1.0', root)
    expect(problems.map(({ problem }) => problem)).toEqual(['input.wav is an empty file (0 bytes)'])
  })

  it('links and folders in the place of files are named, not followed', async () => {
    const root = await datasetFolder('fdb-v1.0', [1])
    await rm(join(root, 'candor_turn_taking/1/turn_taking.json'))
    await symlink(join(root, 'nowhere'), join(root, 'candor_turn_taking/1/turn_taking.json'))
    await symlink(join(root, 'candor_turn_taking/1'), join(root, 'icc_backchannel/2'))
    await rm(join(root, 'synthetic_pause_handling'), { recursive: true })
    await symlink(join(root, 'candor_pause_handling'), join(root, 'synthetic_pause_handling'))
    await rm(join(root, 'candor_pause_handling/1/input.wav'))
    await mkdir(join(root, 'candor_pause_handling/1/input.wav'))
    expect((await check('fdb-v1.0', root)).problems).toEqual([
      { sample: 'synthetic_pause_handling', problem: 'the subset is a symbolic link' },
      { sample: 'candor_pause_handling/1', problem: 'input.wav is a folder' },
      { sample: 'candor_turn_taking/1', problem: 'turn_taking.json is a symbolic link' },
      { sample: 'icc_backchannel/2', problem: 'the sample is a symbolic link' },
    ])
  })
})

describe('the version is told by the subsets', () => {
  it.each([{ kinds: ['fdb-v1.0'] }, { kinds: ['fdb-v1.5'] }] as { kinds: FdbKind[] }[])(
    '$kinds',
    async ({ kinds: [kind = 'fdb-v1.0'] }) => {
      expect(await detectFdb(await datasetFolder(kind, [1]))).toEqual([kind])
    },
  )

  it('a folder may hold both, or neither; a file is no subset', async () => {
    const root = await datasetFolder('fdb-v1.0', [1])
    await mkdir(join(root, 'talking_to_other'))
    expect(await detectFdb(root)).toEqual(['fdb-v1.0', 'fdb-v1.5'])
    const other = await datasetFolder('fdb-v1.0', [])
    await writeFile(join(other, 'candor_turn_taking'), '')
    expect(await detectFdb(other)).toEqual([])
  })
})
