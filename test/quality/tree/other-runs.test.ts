/** Runs of other recorders, runs that were stopped, and runs that do not belong together. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeWav16, parseWav } from '../../../src/dataset/wav.js'
import { type ExportOptions, exportRuns } from '../../../src/quality/tree/export-runs.io.js'
import type { TreeManifest } from '../../../src/quality/tree/tree-manifest.js'
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

const ID = 'candor_turn_taking/7'
const FOLDER = `samples/${ID}/input`
const BUILT = windowedSession(ANSWERED)
const SENT = new Int16Array(BUILT.inputPcm.buffer, BUILT.inputPcm.byteOffset, 16_000)
const WAV = encodeWav16({ samples: SENT, sampleRateHz: 16_000 })
const TURN_7: RecordedSample = { subset: 'candor_turn_taking', id: '7', annotation: TURN, plan: ANSWERED }
const PAUSE_2: RecordedSample = { subset: 'synthetic_pause_handling', id: '2', annotation: PAUSE, plan: ANSWERED }
const SESSION_FILES = {
  'continuous.jsonl': BUILT.traceText,
  'input-send-receipts.json': BUILT.receiptsText,
  'input.pcm': BUILT.inputPcm,
}

async function exported(runs: Readonly<Record<string, FileTree>>, options: Partial<ExportOptions> = {}) {
  const root = await temporaryFolder()
  const folders: string[] = []
  for (const [name, files] of Object.entries(runs)) folders.push(await writeRun(root, name, files))
  const out = join(root, 'tree')
  const { manifest } = await exportRuns({ runs: folders, out, ...options })
  return { root, out, manifest: manifest as TreeManifest }
}

async function datasetWith(files: FileTree): Promise<string> {
  const root = await temporaryFolder()
  await writeTree(root, files)
  return root
}

describe("the field's recorder", () => {
  /** Names samples `SUBSET/ID`, keeps no copy of the annotation, and says nothing of the window's length. */
  function fieldRun(changes: { readonly directory?: string; readonly source?: Uint8Array } = {}): FileTree {
    const { directory = FOLDER, source = WAV } = changes
    const state = {
      directory,
      status: 'pass',
      source: { file: `${ID}/input.wav`, sha256: sha256(source) },
      input: { sha256: sha256(BUILT.inputPcm), duration_s: 1 },
    }
    const sample = {
      id: ID,
      subset: 'candor_turn_taking',
      directory: `samples/${ID}`,
      paths: { input: `${ID}/input.wav`, annotation: `${ID}/turn_taking.json` },
      sha256: { input: sha256(source), annotation: sha256(TURN.text) },
      errors: [],
      variants: { input: state },
    }
    return {
      ...Object.fromEntries(Object.entries(SESSION_FILES).map(([name, content]) => [`${FOLDER}/${name}`, content])),
      'manifest.json': {
        schema_version: 1,
        kind: 'full-duplex-bench-v1.0',
        profile: 'minicpmo-native-pr2377',
        config: { transport: { input_send_receipts: true } },
      },
      'run.json': { schema_version: 1, status: 'complete', samples: [sample] },
    }
  }
  const DATASET = { [`${ID}/input.wav`]: WAV, [`${ID}/turn_taking.json`]: TURN.text }

  it('is read with its dataset beside it', async () => {
    const datasetRoot = await datasetWith(DATASET)
    const { out, manifest } = await exported({ run: fieldRun() }, { datasetRoot })
    expect(manifest.samples).toMatchObject([{ sample_id: ID, eligible: true, reasons: [], directory: FOLDER }])
    expect(await readFile(join(out, ID, 'turn_taking.json'), 'utf8')).toBe(TURN.text)
  })

  it.each([`./${FOLDER}`, `${FOLDER}/`])('may write the folder of a session as %s', async (directory) => {
    const options = { datasetRoot: await datasetWith(DATASET) }
    const { manifest } = await exported({ run: fieldRun({ directory }) }, options)
    expect(manifest.samples).toMatchObject([{ eligible: true, directory: FOLDER }])
  })

  it.each<readonly [string, dataset: FileTree, source: Uint8Array | undefined, reasons: readonly string[]]>([
    [
      'an annotation that was changed',
      { ...DATASET, [`${ID}/turn_taking.json`]: '[]' },
      undefined,
      ['annotation_changed'],
    ],
    ['no annotation', { [`${ID}/input.wav`]: WAV }, undefined, ['annotation_changed']],
    ['no audio', { [`${ID}/turn_taking.json`]: TURN.text }, undefined, ['source_changed']],
    ['audio that is none', { ...DATASET, [`${ID}/input.wav`]: 'RIFF' }, undefined, ['source_changed']],
    ...[
      ['audio that gives another input', encodeWav16({ samples: SENT.map((v) => -v), sampleRateHz: 16_000 })] as const,
      ['audio that is longer', encodeWav16({ samples: new Int16Array([...SENT, 1]), sampleRateHz: 16_000 })] as const,
    ].map(
      ([name, wav]) =>
        [name, { ...DATASET, [`${ID}/input.wav`]: wav }, wav, ['source_changed']] as [
          string,
          FileTree,
          Uint8Array,
          string[],
        ],
    ),
  ])('its dataset has %s', async (_, dataset, source, reasons) => {
    const options = { datasetRoot: await datasetWith(dataset) }
    const { manifest, out } = await exported({ run: fieldRun(source === undefined ? {} : { source }) }, options)
    expect(manifest.samples[0]?.reasons).toEqual(reasons)
    expect(await readdir(out)).toEqual(['manifest.json'])
  })
})

describe('the window', () => {
  it('is as long as the item where silence was sent after it', async () => {
    const { out, manifest } = await exported({ run: runFilesOf([{ ...TURN_7, windowSamples: 12_001 }]) })
    expect(manifest.samples).toMatchObject([
      { eligible: true, input: { samples: 12_001, duration_s: 12_001 / 16_000 } },
    ])
    expect(parseWav(await readFile(join(out, ID, 'output.wav')))).toMatchObject({ ok: true, frames: 12_001 })
  })
})

describe('a plain run', () => {
  it('has its sessions without labels', async () => {
    const files = Object.fromEntries(
      Object.entries(SESSION_FILES).map(([name, content]) => [`sessions/one/${name}`, content]),
    )
    const { out, manifest } = await exported({
      run: { ...files, 'sessions/two/input.pcm': BUILT.inputPcm, 'manifest.json': { profile: 'minicpmo-native' } },
    })
    expect(Object.keys(await filesBelow(out))).toEqual(['manifest.json', 'sessions/one/output.wav'])
    expect(manifest.sources).toMatchObject([{ run: 'run', run_sha256: null }])
    expect(manifest.samples).toMatchObject([
      { sample_id: 'sessions/one', task: 'unscored', directory: 'sessions/one', eligible: true },
      { sample_id: 'sessions/two', eligible: false, reasons: expect.arrayContaining(['file_missing']) },
    ])
  })
})

describe('a run that was stopped', () => {
  it('has windows of what it finished; a later shard brings the rest', async () => {
    const pending = { ...PAUSE_2, status: 'pending' }
    const books = (samples: readonly RecordedSample[]) => {
      const files = runFilesOf(samples)
      return { ...files, 'run.json': { ...(files['run.json'] as object), status: 'interrupted' } }
    }
    const { manifest } = await exported({ stopped: books([TURN_7, pending]) })
    expect(manifest.samples.map(({ sample_id, reasons }) => [sample_id, reasons])).toEqual([
      ['synthetic_pause_handling/2', ['not_recorded']],
      [ID, []],
    ])
    const both = await exported({ stopped: books([TURN_7, pending]), rest: runFilesOf([PAUSE_2]) })
    expect(both.manifest.samples.map(({ run, eligible }) => [run, eligible])).toEqual([
      ['rest', true],
      ['stopped', true],
    ])
    expect(both.manifest.counts).toEqual({
      synthetic_pause_handling: { selected: 1, eligible: 1 },
      candor_turn_taking: { selected: 1, eligible: 1 },
    })
  })
})

describe('pairs', () => {
  const pair: RecordedSample = {
    subset: 'user_interruption',
    id: '1',
    variants: ['overlap', 'clean'],
    plan: ANSWERED,
    annotation: { file: 'metadata.json', text: '{"timestamps":[0.25,0.5]}' },
  }

  it('stand with their description where the run kept it', async () => {
    const { out, manifest } = await exported({ run: runFilesOf([pair]) })
    expect(await readFile(join(out, 'user_interruption/1/metadata.json'), 'utf8')).toBe(pair.annotation?.text)
    const output = await readFile(join(out, 'user_interruption/1/clean_output.wav'))
    expect(manifest.samples[0]?.files).toMatchObject({ 'clean_output.wav': sha256(output) })
  })

  it('have no tree in common with single samples', async () => {
    const mixed = exported({ one: runFilesOf([TURN_7]), two: runFilesOf([pair]) })
    await expect(mixed).rejects.toMatchObject({
      code: 'RUN_UNREADABLE',
      message: expect.stringContaining('one tree cannot'),
    })
  })
})

describe('nothing is written', () => {
  it.each<readonly [string, changes: object]>([
    ['a subset that leads elsewhere', { subset: '..' }],
    ['an annotation that leads elsewhere', { annotation: { file: '../../run.json', text: '{}' } }],
  ])('for %s', async (_, changes) => {
    const run = runFilesOf([{ ...TURN_7, ...changes }])
    await expect(exported({ run })).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
  })

  it('of a session whose folder lies outside the run', async () => {
    const files = runFilesOf([TURN_7])
    const books = JSON.parse(JSON.stringify(files['run.json'])) as { samples: { variants: { input: object } }[] }
    Object.assign(books.samples[0]?.variants.input ?? {}, { directory: '../other' })
    const { manifest } = await exported({ run: { ...files, 'run.json': books } })
    expect(manifest.samples).toMatchObject([{ eligible: false, reasons: expect.arrayContaining(['file_missing']) }])
  })

  it.each(['after the first session', 'after the last session'])('when it is interrupted %s', async (when) => {
    const root = await temporaryFolder()
    const run = await writeRun(root, 'run', runFilesOf([TURN_7, PAUSE_2]))
    const controller = new AbortController()
    const options: ExportOptions = {
      runs: [run],
      out: join(root, 'tree'),
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done === (when === 'after the first session' ? 1 : 2)) controller.abort()
      },
    }
    await expect(exportRuns(options)).rejects.toMatchObject({ name: 'AbortError' })
    expect(existsSync(join(root, 'tree'))).toBe(false)
    expect(await readdir(root)).toEqual(['run'])
  })
})
