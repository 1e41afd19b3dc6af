import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../src/base/errors.js'
import { encodeWav16, parseWav } from '../../../src/dataset/wav.js'
import { wavMonoPcm16 } from '../../../src/dataset/wav-samples.js'
import { type ExportOptions, exportRuns } from '../../../src/quality/tree/export-runs.io.js'
import { type TreeManifest, treeManifestSchema } from '../../../src/quality/tree/tree-manifest.js'
import { type FileTree, temporaryFolder, writeTree } from '../../helpers/temp-folders.js'
import { windowedSession } from '../window/windowed-sessions.js'
import {
  ANSWERED,
  filesBelow,
  PAUSE,
  type RecordedSample,
  runFilesOf,
  sha256,
  TURN,
  writeRun,
} from './recorded-samples.js'

const SPOILT: RecordedSample['plan'] = { lateUs: { 12: 90_000 } }
const PAUSE_2: RecordedSample = { subset: 'synthetic_pause_handling', id: '2', annotation: PAUSE, plan: ANSWERED }
const PAUSE_10: RecordedSample = { subset: 'synthetic_pause_handling', id: '10', annotation: PAUSE, plan: SPOILT }
const TURN_7: RecordedSample = { subset: 'candor_turn_taking', id: '7', annotation: TURN, plan: ANSWERED }

async function exported(files: FileTree, options: Partial<ExportOptions> = {}) {
  const root = await temporaryFolder()
  const run = await writeRun(root, 'shard', files)
  const out = join(root, 'tree')
  const { manifest } = await exportRuns({ runs: [run], out, ...options })
  return { out, root, manifest: manifest as TreeManifest }
}

async function refusal(promise: Promise<unknown>): Promise<UserError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(UserError)
  return thrown as UserError
}

describe('a tree', () => {
  it('has a folder for each session with a window, and reasons for the others', async () => {
    const { out, manifest } = await exported(runFilesOf([PAUSE_10, TURN_7, PAUSE_2]))
    expect(Object.keys(await filesBelow(out))).toEqual([
      'candor_turn_taking/7/output.wav',
      'candor_turn_taking/7/turn_taking.json',
      'manifest.json',
      'synthetic_pause_handling/2/output.wav',
      'synthetic_pause_handling/2/pause.json',
    ])
    expect(await readFile(join(out, 'synthetic_pause_handling/2/pause.json'), 'utf8')).toBe(PAUSE.text)
    const wav = await readFile(join(out, 'candor_turn_taking/7/output.wav'))
    const audio = parseWav(wav)
    expect(audio).toMatchObject({ ok: true, sampleRateHz: 16_000, channels: 1, encoding: 'pcm16', frames: 16_000 })
    const heard = audio.ok ? [...wavMonoPcm16(audio)].findIndex((sample) => sample !== 0) : 0
    expect(Math.abs(heard - 4800)).toBeLessThan(30)

    const written = treeManifestSchema.parse(JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')))
    expect(written).toEqual(manifest)
    expect(manifest.declared).toEqual({ synthetic_pause_handling: 137, candor_turn_taking: 119 })
    // Subsets in the dataset's order, ids in natural order.
    expect(manifest.samples.map(({ sample_id, eligible, reasons }) => [sample_id, eligible, reasons])).toEqual([
      ['synthetic_pause_handling/2', true, []],
      ['synthetic_pause_handling/10', false, ['pacing']],
      ['candor_turn_taking/7', true, []],
    ])
    expect(manifest.samples[2]).toMatchObject({
      subset: 'candor_turn_taking',
      task: 'smooth_turn_taking',
      run: 'shard',
      directory: 'samples/candor_turn_taking/7/input',
      input: {
        duration_s: 1,
        samples: 16_000,
        sample_rate: 16_000,
        sha256: sha256(windowedSession().inputPcm),
      },
      flags: { playout_active_at_T: false, barge_in_cuts: 0 },
      files: { 'output.wav': sha256(wav), 'turn_taking.json': sha256(TURN.text) },
    })
    expect(manifest.samples[1]).toMatchObject({
      reason_details: { pacing: 'packet 12 left 0.090000 s off its schedule' },
      flags: null,
      files: {},
    })
  })

  it('names no path of this machine', async () => {
    const { out, root } = await exported(runFilesOf([PAUSE_2]))
    expect(await readFile(join(out, 'manifest.json'), 'utf8')).not.toMatch(new RegExp(`${root}|/data/`))
  })

  it('is the same from the same runs, in whatever order they are named', async () => {
    const root = await temporaryFolder()
    const one = await writeRun(root, 'one', runFilesOf([PAUSE_10, PAUSE_2]))
    const two = await writeRun(root, 'two', runFilesOf([TURN_7]))
    const trees = []
    for (const [name, runs] of Object.entries({ a: [one, two], b: [one, two], c: [two, one] })) {
      await exportRuns({ runs, out: join(root, name) })
      trees.push(await filesBelow(join(root, name)))
    }
    expect(Object.keys(trees[0] ?? {})).toHaveLength(5)
    expect(trees[1]).toEqual(trees[0])
    expect(trees[2]).toEqual(trees[0])
  })

  it('takes a later session with a window in place of one without, and of two with a window the first', async () => {
    const root = await temporaryFolder()
    const first = await writeRun(root, 'first', runFilesOf([PAUSE_10, TURN_7]))
    const again = await writeRun(root, 'again', runFilesOf([{ ...PAUSE_10, plan: ANSWERED }, TURN_7]))
    const { manifest } = await exportRuns({ runs: [first, again], out: join(root, 'tree') })
    expect((manifest as TreeManifest).samples.map(({ sample_id, run }) => [sample_id, run])).toEqual([
      ['synthetic_pause_handling/10', 'again'],
      ['candor_turn_taking/7', 'first'],
    ])
    expect(manifest.superseded).toEqual([
      { sample_id: 'synthetic_pause_handling/10', variant: 'input', run: 'first', reasons: ['pacing'] },
      { sample_id: 'candor_turn_taking/7', variant: 'input', run: 'again', reasons: [] },
    ])
  })

  it('holds the first session of a sample that was sent again, whatever became of it', async () => {
    const { manifest } = await exported(
      runFilesOf([PAUSE_10, TURN_7, { ...PAUSE_10, id: '10.2', item: '10', plan: ANSWERED }]),
    )
    expect(manifest.samples.map(({ sample_id, eligible }) => [sample_id, eligible])).toEqual([
      ['synthetic_pause_handling/10', false],
      ['candor_turn_taking/7', true],
    ])
    expect(manifest.repeats_left_out).toBe(1)
  })

  it.each<
    readonly [
      string,
      Partial<RecordedSample>,
      changes: Readonly<Record<string, FileTree[string] | undefined>>,
      reasons: string[],
    ]
  >([
    ['a session that was never begun', { status: 'pending' }, {}, ['not_recorded']],
    ['an item that could not be used', { status: 'invalid' }, {}, ['not_recorded']],
    [
      'a missing trace',
      {},
      { 'samples/candor_turn_taking/7/input/continuous.jsonl': undefined },
      ['file_missing', 'packet_count', 'input_differs', 'receipts_differ', 'output_rate'],
    ],
    [
      'missing receipts',
      {},
      { 'samples/candor_turn_taking/7/input/input-send-receipts.json': undefined },
      ['receipts_missing'],
    ],
    [
      'another input',
      {},
      { 'samples/candor_turn_taking/7/input/input.pcm': new Uint8Array(32_000) },
      ['input_hash_differs', 'input_differs'],
    ],
    ['another annotation', {}, { 'samples/candor_turn_taking/7/input/turn_taking.json': '[]' }, ['annotation_changed']],
    [
      'a missing annotation',
      {},
      { 'samples/candor_turn_taking/7/input/turn_taking.json': undefined },
      ['annotation_changed'],
    ],
  ])('%s is a reason', async (_, sample, changes, reasons) => {
    const { manifest, out } = await exported(runFilesOf([{ ...TURN_7, ...sample }, PAUSE_2], changes))
    expect(manifest.samples[1]).toMatchObject({ sample_id: 'candor_turn_taking/7', eligible: false, reasons })
    expect(existsSync(join(out, 'candor_turn_taking'))).toBe(false)
  })

  it('has windows of audio without labels, too', async () => {
    const speech: RecordedSample = { subset: 'speech', id: 'slt-01', plan: ANSWERED }
    const { manifest } = await exported(runFilesOf([speech]))
    expect(manifest.samples).toMatchObject([{ sample_id: 'speech/slt-01', task: 'unscored', eligible: true }])
  })

  it('counts the samples there are where they are no published dataset', async () => {
    const { manifest } = await exported(runFilesOf([TURN_7], {}, { kind: 'floorload-run' }))
    expect(manifest.declared).toEqual({ candor_turn_taking: 1 })
  })
})

describe('a dataset beside the run', () => {
  const input = Int16Array.from({ length: 16_000 }, (_, i) => (i % 2000) - 1000)
  const wav = encodeWav16({ samples: input, sampleRateHz: 16_000 })
  const folder = 'candor_turn_taking/7'
  const sample: RecordedSample = { ...TURN_7, sourceSha256: sha256(wav) }

  it.each<readonly [string, dataset: FileTree, reasons: string[]]>([
    ['is the one that was sent', { [`${folder}/input.wav`]: wav, [`${folder}/turn_taking.json`]: TURN.text }, []],
    [
      'holds other audio',
      {
        [`${folder}/input.wav`]: encodeWav16({ samples: input.slice(1), sampleRateHz: 16_000 }),
        [`${folder}/turn_taking.json`]: TURN.text,
      },
      ['source_changed'],
    ],
    [
      'holds another annotation',
      { [`${folder}/input.wav`]: wav, [`${folder}/turn_taking.json`]: '[]' },
      ['annotation_changed'],
    ],
    ['lacks the sample', {}, ['source_changed', 'annotation_changed']],
  ])('%s', async (_, dataset, reasons) => {
    const datasetRoot = await temporaryFolder()
    await writeTree(datasetRoot, dataset)
    const { manifest } = await exported(runFilesOf([sample]), { datasetRoot })
    expect(manifest.samples[0]).toMatchObject({ eligible: reasons.length === 0, reasons })
  })

  it('stands in for annotations that the run did not keep', async () => {
    const bare = runFilesOf([{ ...sample, annotation: null }])
    const root = await temporaryFolder()
    const run = await writeRun(root, 'bare', bare)
    const out = join(root, 'tree')
    expect(await refusal(exportRuns({ runs: [run], out }))).toMatchObject({
      code: 'USAGE',
      fix: 'pass --dataset-root DIR',
    })
    expect(await readdir(root)).toEqual(['bare'])
    const datasetRoot = join(root, 'data')
    await writeTree(datasetRoot, { [`${folder}/input.wav`]: wav, [`${folder}/turn_taking.json`]: TURN.text })
    await exportRuns({ runs: [run], out, datasetRoot })
    expect(await readFile(join(out, folder, 'turn_taking.json'), 'utf8')).toBe(TURN.text)
  })
})

describe('pairs of v1.5', () => {
  const pair = (id: string, plan: RecordedSample['plan']): RecordedSample => ({
    subset: 'user_interruption',
    id,
    variants: ['overlap', 'clean'],
    ...(plan === undefined ? {} : { plan }),
  })

  it('stand with what was sent, and only where both sessions have a window', async () => {
    const { out, manifest } = await exported(
      runFilesOf([pair('1', ANSWERED), pair('2', ANSWERED)], {
        'samples/user_interruption/2/clean/input-send-receipts.json': undefined,
      }),
    )
    expect(Object.keys(await filesBelow(out))).toEqual([
      'reference-manifest.json',
      ...['clean_input', 'clean_output', 'input', 'output'].map((name) => `user_interruption/1/${name}.wav`),
    ])
    expect(manifest.samples).toMatchObject([
      { sample_id: 'user_interruption/1', eligible: true, reasons: [] },
      { sample_id: 'user_interruption/2', eligible: false, reasons: ['clean: receipts_missing'] },
    ])
    const sent = parseWav(await readFile(join(out, 'user_interruption/1/input.wav')))
    expect(sent.ok && Buffer.compare(sent.data, windowedSession().inputPcm)).toBe(0)
  })
})

describe('nothing is written', () => {
  it.each<readonly [string, code: string, files: FileTree]>([
    ['for a folder that is no run', 'RUN_UNREADABLE', { 'readme.txt': 'no run' }],
    ['for books that are broken', 'RUN_UNREADABLE', runFilesOf([PAUSE_2], { 'run.json': '{' })],
    ['for an id that leads elsewhere', 'RUN_UNREADABLE', runFilesOf([{ ...PAUSE_2, item: '../../2' }])],
    ['for an unknown profile', 'PROFILE_UNKNOWN', runFilesOf([PAUSE_2], {}, { profile: 'nobody' })],
  ])('%s', async (_, code, files) => {
    const root = await temporaryFolder()
    const good = await writeRun(root, 'good', runFilesOf([TURN_7]))
    const bad = await writeRun(root, 'bad', files)
    expect(await refusal(exportRuns({ runs: [good, bad], out: join(root, 'tree') }))).toMatchObject({ code })
    expect((await readdir(root)).sort()).toEqual(['bad', 'good'])
  })

  it('for a run without sessions', async () => {
    expect(await refusal(exported(runFilesOf([])))).toMatchObject({ code: 'RUN_UNREADABLE', exitCode: 3 })
  })

  it('with a dataset that is not there', async () => {
    const options = { datasetRoot: '/nowhere/at/all' }
    expect(await refusal(exported(runFilesOf([TURN_7]), options))).toMatchObject({ code: 'FILE_UNREADABLE' })
  })

  it('for runs of different profiles', async () => {
    const root = await temporaryFolder()
    const one = await writeRun(root, 'one', runFilesOf([TURN_7]))
    const two = await writeRun(root, 'two', runFilesOf([PAUSE_2], {}, { profile: 'turn-based' }))
    expect(await refusal(exportRuns({ runs: [one, two], out: join(root, 'tree') }))).toMatchObject({
      code: 'RUN_UNREADABLE',
    })
  })

  it('into a folder that holds something; an empty one is taken', async () => {
    const root = await temporaryFolder()
    const run = await writeRun(root, 'run', runFilesOf([TURN_7]))
    const out = join(root, 'tree')
    await mkdir(out)
    await writeFile(join(out, 'mine.txt'), 'mine')
    expect(await refusal(exportRuns({ runs: [run], out }))).toMatchObject({ code: 'OUTPUT_EXISTS', exitCode: 2 })
    expect(await readdir(out)).toEqual(['mine.txt'])
    const empty = join(root, 'empty')
    await mkdir(empty)
    await exportRuns({ runs: [run], out: empty })
    expect(existsSync(join(empty, 'manifest.json'))).toBe(true)
  })
})
