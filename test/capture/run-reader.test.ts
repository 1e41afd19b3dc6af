import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type RecordedRun, readRun, readSession, type SessionEntry } from '../../src/capture/run-reader.io.js'
import { senderStalls } from '../../src/capture/self-monitoring.js'
import { type FileTree, folderWith } from '../helpers/temp-folders.js'

const MANIFEST = { profile: 'minicpmo-native', concurrency: 2 }
const EMPTY_SESSION = { 'sessions/one/continuous.jsonl': '' }

async function runOf(files: FileTree, name?: string): Promise<RecordedRun> {
  return readRun(await folderWith(files, name))
}

/** A run in the field's layout whose books name these variants of one sample, by their status. */
function fieldRun(statuses: Readonly<Record<string, string>>, books: object = {}, manifest: object = {}): FileTree {
  const variants = Object.fromEntries(Object.entries(statuses).map(([variant, status]) => [variant, { status }]))
  return {
    'manifest.json': { profile: 'minicpmo-native', config: { load: { concurrency: 4 } }, ...manifest },
    'run.json': { status: 'complete', samples: [{ id: 'a1', directory: 'samples/pause/a1', variants }], ...books },
  }
}

describe('the plain layout', () => {
  it('has a session in each folder of sessions/, by name', async () => {
    const run = await runOf({
      'manifest.json': MANIFEST,
      'sessions/two/continuous.jsonl': '',
      'sessions/one/input.pcm': '',
      'sessions/notes.txt': 'no folder, no session',
    })
    expect(run).toMatchObject({ layout: 'plain', profileName: 'minicpmo-native', concurrency: 2, isComplete: true })
    expect(run.sessions.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(run.sessions[0]?.directory).toBe(join(run.directory, 'sessions', 'one'))
  })

  it('may be a level without a session', async () => {
    const run = await runOf({ 'manifest.json': MANIFEST, 'sessions/README': '' })
    expect(run.sessions).toEqual([])
  })
})

describe('the field’s layout', () => {
  it('names sessions by subset, sample and variant, in the order of the books', async () => {
    const run = await runOf(fieldRun({ overlap: 'pass', clean: 'fail' }))
    expect(run).toMatchObject({ layout: 'field', concurrency: 4, repeat: 1, role: 'level', isComplete: true })
    expect(run.sessions.map(({ name }) => name)).toEqual(['pause/a1/overlap', 'pause/a1/clean'])
    expect(run.sessions[1]?.directory).toBe(join(run.directory, 'samples', 'pause', 'a1', 'clean'))
  })

  it('finds a session without a directory of its own below its sample', async () => {
    const samples = [{ id: 'b2', variants: { input: { status: 'pass', input: { duration_s: 2.5 } } } }]
    const run = await runOf(fieldRun({}, { samples }))
    expect(run.sessions).toMatchObject([{ name: 'b2/input', declaredInputS: 2.5 }])
  })

  it('a directory of the variant wins', async () => {
    const samples = [{ id: 'b2', directory: 'samples/b2', variants: { input: { directory: 'samples/x/b2/in' } } }]
    expect((await runOf(fieldRun({}, { samples }))).sessions.map(({ name }) => name)).toEqual(['x/b2/in'])
  })

  it.each([
    {
      name: 'all ended',
      status: 'complete',
      variants: { a: 'pass', b: 'fail', c: 'error' },
      sessions: 3,
      isComplete: true,
      invalid: 0,
    },
    {
      name: 'running, yet all ended',
      status: 'running',
      variants: { a: 'pass' },
      sessions: 1,
      isComplete: true,
      invalid: 0,
    },
    {
      name: 'one not begun',
      status: 'complete',
      variants: { a: 'pass', b: 'pending' },
      sessions: 1,
      isComplete: false,
      invalid: 0,
    },
    { name: 'interrupted', status: 'interrupted', variants: { a: 'pass' }, sessions: 1, isComplete: false, invalid: 0 },
    { name: 'still preparing', status: 'preparing', variants: {}, sessions: 0, isComplete: false, invalid: 0 },
    {
      name: 'a dataset item that is no use',
      status: 'complete',
      variants: { a: 'pass', b: 'invalid' },
      sessions: 1,
      isComplete: true,
      invalid: 1,
    },
  ])('books: $name', async ({ status, variants, sessions, isComplete, invalid }) => {
    const run = await runOf(fieldRun(variants, { status }))
    expect(run.sessions).toHaveLength(sessions)
    expect(run).toMatchObject({ isComplete, invalidItems: invalid })
  })

  it.each(['../outside', '../run-beside/x', '/etc', 'samples/../../outside'])(
    'reads nothing from a directory that leads out of the run, and keeps its session as a failed one: %s',
    async (directory) => {
      const samples = [{ id: 'a', variants: { bad: { directory, status: 'pass' }, good: { status: 'pass' } } }]
      const run = await runOf(fieldRun({}, { samples }))
      const [bad, good] = run.sessions
      expect(run.sessions).toHaveLength(2)
      expect(good?.name).toBe('a/good')
      const recording = await readSession(bad as SessionEntry, { inputRateHz: 16_000 })
      expect(recording.lines).toEqual([])
      expect(recording.fileProblems).toEqual([expect.stringContaining('lies outside the run')])
    },
  )

  it('takes what the run was judged by from its manifest', async () => {
    const evaluation = { playback_reserve_s: 0.2, targets: { unit_miss_rate_max: 0.05 }, gate: { min_capacity: 4 } }
    const load = { concurrency: 8, repeat: 3, role: 'warmup', policy: 'spread' }
    const config = { load, evaluation, transport: { admission_retries: 1, input_send_receipts: true } }
    const definition = { name: 'mine' }
    const run = await runOf(fieldRun({ a: 'pass' }, {}, { config, profile_definition: definition }))
    expect(run).toMatchObject({
      concurrency: 8,
      repeat: 3,
      role: 'warmup',
      policy: 'spread',
      admissionRetryLimit: 1,
      areReceiptsRequired: true,
      reserveS: 0.2,
      targets: { unit_miss_rate_max: 0.05 },
      gate: { min_capacity: 4 },
      profileDefinition: definition,
    })
  })
})

describe('a manifest of another recorder', () => {
  it.each([
    { name: 'says nothing of its transport', config: {} },
    { name: 'says of its transport only what it likes', config: { transport: { client: 'aiohttp' } } },
    { name: 'has fields of its own', config: { load: { concurrency: 1, extra: true }, colour: 'red' } },
  ])('is read although it $name', async ({ config }) => {
    const run = await runOf({ 'manifest.json': { ...MANIFEST, config }, ...EMPTY_SESSION })
    expect(run).toMatchObject({ areReceiptsRequired: false, admissionRetryLimit: undefined })
  })

  it('is refused when it is of another version', async () => {
    const files = { 'manifest.json': { ...MANIFEST, schema_version: 2 }, ...EMPTY_SESSION }
    await expect(runOf(files)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
  })
})

describe('how many sessions were requested at once', () => {
  const books = (load?: object) => ({ status: 'complete', samples: [], ...(load ? { load } : {}) })
  const manifest = (parts: object) => ({ profile: 'minicpmo-native', ...parts })

  it.each([
    {
      name: 'the books win over the manifest',
      files: {
        'manifest.json': manifest({ config: { load: { concurrency: 4 } } }),
        'run.json': books({ concurrency: 8 }),
      },
      expected: 8,
    },
    {
      name: 'then the manifest’s load',
      files: {
        'manifest.json': manifest({ concurrency: 2, config: { load: { concurrency: 4 } } }),
        'run.json': books(),
      },
      expected: 4,
    },
    {
      name: 'then the manifest itself',
      files: { 'manifest.json': manifest({ concurrency: 2 }), 'run.json': books() },
      expected: 2,
    },
    {
      name: 'then the folder’s name',
      files: { 'manifest.json': manifest({}), 'run.json': books() },
      folder: 'concurrency-16',
      expected: 16,
    },
    {
      name: 'with a repeat in it',
      files: { 'manifest.json': manifest({}), 'run.json': books() },
      folder: 'concurrency-16-r2',
      expected: 16,
    },
    {
      name: 'or in short',
      files: { 'manifest.json': manifest({}), 'run.json': books() },
      folder: 'nightly-c32',
      expected: 32,
    },
    {
      name: 'but no other number',
      files: { 'manifest.json': manifest({}), 'run.json': books() },
      folder: 'run-2026',
      expected: undefined,
    },
    { name: 'nowhere', files: { 'manifest.json': manifest({}), 'run.json': books() }, expected: undefined },
  ])('$name: $expected', async ({ files, folder, expected }) => {
    expect((await runOf(files, folder)).concurrency).toBe(expected)
  })
})

describe('a folder that is no run', () => {
  it.each([
    { name: 'no manifest', files: EMPTY_SESSION },
    { name: 'a manifest that is not JSON', files: { 'manifest.json': '{', ...EMPTY_SESSION } },
    { name: 'a manifest without a profile', files: { 'manifest.json': { concurrency: 1 }, ...EMPTY_SESSION } },
    { name: 'a concurrency of 0', files: { 'manifest.json': { ...MANIFEST, concurrency: 0 }, ...EMPTY_SESSION } },
    { name: 'neither books nor sessions', files: { 'manifest.json': MANIFEST } },
    { name: 'books that are not JSON', files: { 'manifest.json': MANIFEST, 'run.json': '{"samples":[' } },
    { name: 'books with samples that are no list', files: { 'manifest.json': MANIFEST, 'run.json': { samples: {} } } },
  ])('is refused: $name', async ({ files }) => {
    await expect(runOf(files)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
  })

  it('a folder that is not there is refused', async () => {
    const folder = await folderWith({})
    await expect(readRun(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  })
})

describe('the files of a session', () => {
  const LINE = '{"direction":"send","time_s":1,"event":{"type":"x"}}\n'
  const WHOLE = {
    'continuous.jsonl': LINE,
    'input.pcm': new Uint8Array(4),
    'input-send-receipts.json': '{"appends":[]}',
  }

  async function sessionOf(files: FileTree, declaredInputS?: number, areReceiptsRequired = false) {
    const directory = await folderWith(files)
    return readSession({ name: 'one', directory, declaredInputS }, { inputRateHz: 16_000, areReceiptsRequired })
  }

  it('are read whole', async () => {
    const recording = await sessionOf(WHOLE)
    expect(recording).toMatchObject({ name: 'one', fileProblems: [], receipts: { packets: [] } })
    expect(recording.lines).toHaveLength(1)
    expect(recording.inputPcm?.byteLength).toBe(4)
  })

  it.each([
    {
      name: 'trace missing',
      files: { ...WHOLE, 'continuous.jsonl': undefined },
      problem: 'continuous.jsonl is missing',
    },
    { name: 'input missing', files: { ...WHOLE, 'input.pcm': undefined }, problem: 'input.pcm is missing' },
    { name: 'input empty', files: { ...WHOLE, 'input.pcm': '' }, problem: 'input.pcm is empty' },
    { name: 'input odd', files: { ...WHOLE, 'input.pcm': 'abc' }, problem: 'input.pcm has an odd number of bytes (3)' },
    {
      name: 'receipts broken',
      files: { ...WHOLE, 'input-send-receipts.json': '{' },
      problem: 'input-send-receipts.json is not valid JSON',
    },
  ])('that lack something give a reason: $name', async ({ files, problem }) => {
    const there = Object.fromEntries(Object.entries(files).filter((entry) => entry[1] !== undefined)) as FileTree
    expect((await sessionOf(there)).fileProblems).toEqual([problem])
  })

  it('missing receipts are a reason only where the recorder says that it kept them', async () => {
    const { 'input-send-receipts.json': _, ...files } = WHOLE
    expect(await sessionOf(files)).toMatchObject({ receipts: undefined, fileProblems: [] })
    const required = await sessionOf(files, undefined, true)
    expect(required.fileProblems).toEqual(['input-send-receipts.json is missing'])
  })

  it('a folder that is gone is a session with no files at all', async () => {
    const recording = await sessionOf({}, 2.5)
    expect(recording).toMatchObject({ lines: [], inputPcm: undefined, declaredInputSamples: 40_000 })
    expect(recording.fileProblems).toEqual(['continuous.jsonl is missing', 'input.pcm is missing'])
  })

  it('bytes that are no UTF-8 are a broken line, not a crash', async () => {
    const recording = await sessionOf({ ...WHOLE, 'continuous.jsonl': new Uint8Array([0xff, 0xfe, 0x0a]) })
    expect(recording.lines).toMatchObject([{ ok: false, problem: 'is not valid JSON' }])
  })

  it('every file enters the digest', async () => {
    const digestOf = async (files: FileTree, name = 'one') => {
      const digest = createHash('sha256')
      const directory = await folderWith(files)
      await readSession({ name, directory, declaredInputS: undefined }, { inputRateHz: 16_000, digest })
      return digest.digest('hex')
    }
    const digests = await Promise.all([
      digestOf(WHOLE),
      digestOf(WHOLE, 'two'),
      digestOf({ ...WHOLE, 'continuous.jsonl': LINE + LINE }),
      digestOf({ ...WHOLE, 'input.pcm': new Uint8Array(6) }),
      digestOf({ ...WHOLE, 'input-send-receipts.json': '{"appends": []}' }),
    ])
    expect(new Set(digests).size).toBe(digests.length)
    expect(await digestOf(WHOLE)).toBe(digests[0])
  })
})

describe('self-monitoring', () => {
  const monitoring = {
    schema: 'floorload.self-monitoring/1',
    interval_ms: 10,
    threshold_ms: 20,
    stalls: [[1.5, 1.75, 1.76]],
    event_loop_delay_ms: null,
    gc: { pauses: 0, total_ms: 0, max_ms: 0 },
    series: [],
    live_send_lateness_us: null,
    rss_max_mb: 80,
    trace_bytes: 0,
  }

  it('gives its stalls in microseconds', async () => {
    const run = await runOf({ 'manifest.json': MANIFEST, ...EMPTY_SESSION, 'self-monitoring.json': monitoring })
    expect(run.monitoring === undefined ? undefined : senderStalls(run.monitoring)).toEqual([
      { sessions: null, stalls: [{ dueAtUs: 1_500_000, ranAtUs: 1_750_000, endAtUs: 1_760_000 }] },
    ])
  })

  it.each([
    { name: 'absent', files: {} },
    { name: 'of another version', files: { 'self-monitoring.json': { ...monitoring, schema: 'other/1' } } },
    { name: 'broken', files: { 'self-monitoring.json': '{' } },
  ])('is unknown, not empty, when $name', async ({ files }) => {
    const run = await runOf({ 'manifest.json': MANIFEST, ...EMPTY_SESSION, ...files })
    expect(run.monitoring).toBeUndefined()
  })
})

describe('a recorded level of the vectors', () => {
  it('is read as it stands', async () => {
    const level = 'test/vectors/serving/02-native-late-unit-and-denied'
    const run = await readRun(level)
    expect(run).toMatchObject({ name: '02-native-late-unit-and-denied', layout: 'plain', concurrency: 2 })
    const [one, two] = await Promise.all(run.sessions.map((entry) => readSession(entry, { inputRateHz: 16_000 })))
    const pcm = await readFile(join(level, 'sessions', 'one', 'input.pcm'))
    expect(one?.inputPcm?.byteLength).toBe(pcm.byteLength)
    expect(two).toMatchObject({ receipts: { packets: [] } })
  })
})
