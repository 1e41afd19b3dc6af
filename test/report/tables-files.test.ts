/** Parquet and HDR logs, read back by readers that are not ours; and the command that writes all of it. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HistogramLogReader } from 'hdr-histogram-js'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { UserError } from '../../src/base/errors.js'
import { program } from '../../src/cli/main.js'
import type { SessionFacts } from '../../src/metrics/session-facts.js'
import { hdrLog } from '../../src/report/tables/hdr-log.js'
import { parquetFile } from '../../src/report/tables/parquet-file.js'
import type { Table } from '../../src/report/tables/table.js'
import type { TabledRun } from '../../src/report/tables/tabled-run.js'
import { factsWith, NATIVE } from '../helpers/measured-levels.js'
import { runFiles } from '../helpers/recorded-runs.js'
import { temporaryFolder, writeTree } from '../helpers/temp-folders.js'

const TABLE: Table = {
  name: 'units',
  columns: [
    { name: 'session', type: 'text', isRequired: true },
    { name: 'unit', type: 'integer', isRequired: true },
    { name: 'lag_s', type: 'number' },
    { name: 'speak', type: 'boolean' },
  ],
  rows: [
    ['a "b",\nc', 0, 1, true],
    ['ä', 2_000_000_000, null, null],
    ['', 2, 0.000001, false],
  ],
}
const NAMES = { schema: 'floorload.tables/1', toolVersion: '1.2.3' }

function bufferOf(table: Table): ArrayBuffer {
  return parquetFile(table, NAMES).slice().buffer
}

describe('Parquet', () => {
  it('keeps values, nulls and types', async () => {
    const file = bufferOf(TABLE)
    expect(await parquetReadObjects({ file })).toEqual([
      { session: 'a "b",\nc', unit: 0, lag_s: 1, speak: true },
      { session: 'ä', unit: 2_000_000_000, lag_s: null, speak: null },
      { session: '', unit: 2, lag_s: 0.000001, speak: false },
    ])
    const { schema, key_value_metadata } = parquetMetadata(file)
    expect(schema.slice(1).map(({ name, type, repetition_type }) => [name, type, repetition_type])).toEqual([
      ['session', 'BYTE_ARRAY', 'REQUIRED'],
      ['unit', 'INT32', 'REQUIRED'],
      ['lag_s', 'DOUBLE', 'OPTIONAL'],
      ['speak', 'BOOLEAN', 'OPTIONAL'],
    ])
    expect(key_value_metadata).toEqual([
      { key: 'floorload.schema', value: 'floorload.tables/1' },
      { key: 'floorload.table', value: 'units' },
    ])
  })

  it('has its columns where there is no row, and where a column has no value', async () => {
    expect(parquetMetadata(bufferOf({ ...TABLE, rows: [] })).schema).toHaveLength(5)
    expect(await parquetReadObjects({ file: bufferOf({ ...TABLE, rows: [['a', 0, null, null]] }) })).toEqual([
      { session: 'a', unit: 0, lag_s: null, speak: null },
    ])
  })
})

function logOf(sessions: readonly SessionFacts[], stalls: TabledRun['stalls'] = undefined) {
  const run = { name: 'x', parentName: 'y', label: 'odd\nname', profile: NATIVE, concurrency: 2, repeat: 1 }
  return hdrLog({ ...run, reserveUs: 80_000, originUs: 1_000_000, sessions, samples: new Map(), stalls, senders: [] })
}

/** Count and highest value of each histogram by tag. */
function readLog(text: string): Record<string, [number, number]> {
  const reader = new HistogramLogReader(text)
  const found: Record<string, [number, number]> = {}
  for (let next = reader.nextIntervalHistogram(); next !== null; next = reader.nextIntervalHistogram()) {
    found[next.tag] = [next.totalCount, next.maxValue]
  }
  return found
}

/** As exact as three digits are. */
function about(us: number): number {
  return expect.closeTo(us, -Math.log10(us / 500)) as number
}

describe('HDR log', () => {
  it('holds every distribution that has a value, in microseconds', () => {
    const { text, histograms } = logOf([
      factsWith({ lagsUs: [200_000, 900_000] }),
      factsWith({ lagsUs: [2_500_000_000] }),
    ])
    expect(readLog(text)).toEqual({
      unit_lag: [3, about(2_500_000_000)],
      listen_unit_lag: [3, about(2_500_000_000)],
      send_lateness: [4, 100],
    })
    expect(histograms).toBe(3)
    expect(text).toContain('"run":"odd\\nname"')
    expect(text).toMatch(/^Tag=unit_lag,1\.000,9\.000,/m)
    expect(text).toContain('#[StartTime: 1.000 (seconds since epoch)')
  })

  it('counts what it cannot hold', () => {
    const pacing = { problems: [], latenessUs: [-1, -0.2, 5], isInputStalled: false }
    const { text } = logOf([factsWith({ pacing, lagsUs: [3_600_000_001] })])
    expect(text).toContain('#send_lateness: 1 of 3 values were below 0 and stand as 0\n')
    expect(text).toContain('#unit_lag: 1 of 1 values stand as one hour, the highest\n')
    expect(readLog(text)).toMatchObject({ send_lateness: [3, 5], unit_lag: [1, about(3_600_000_000)] })
  })

  it('says of the stalls of the load process which ones are not in it', () => {
    const { text } = logOf([factsWith()], { delaysUs: [2_000, 31_000], thresholdMs: 2 })
    expect(readLog(text)).toMatchObject({ client_stall: [2, about(31_000)] })
    expect(text).toContain('#client_stall: wake-ups less than 2 ms late were not recorded one by one\n')
  })

  it('leaves out the lateness of sends where a session has no due times', () => {
    const pacing = { problems: [], latenessUs: undefined, isInputStalled: false }
    expect(Object.keys(readLog(logOf([factsWith(), factsWith({ pacing })]).text))).toEqual([
      'unit_lag',
      'listen_unit_lag',
    ])
  })
})

async function tables(...args: readonly string[]) {
  let stdout = ''
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      stdout += String(text)
      return true
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ]
  const restore = () => {
    for (const spy of spies) spy.mockRestore()
  }
  onTestFinished(restore)
  let exitCode: number | undefined
  try {
    const argv = ['node', 'floorload', 'tables', ...args]
    const root = await program(argv, (code) => {
      exitCode = code
    })
    await root.parseAsync(argv)
  } finally {
    restore()
  }
  return { exitCode, stdout }
}

const MONITORING = {
  schema: 'floorload.self-monitoring/1',
  interval_ms: 10,
  threshold_ms: 2,
  stalls: [[593_390.5, 593_390.503, 593_390.513]],
  event_loop_delay_ms: null,
  gc: { pauses: 0, total_ms: 0, max_ms: 0 },
  series: [
    { at_s: 593_391, loop_delay_max_ms: 3, send_lateness_max_ms: 1, sends: 12, cpu_share: 0.1, open_sessions: 2 },
  ],
  live_send_lateness_us: null,
  rss_max_mb: 1,
  trace_bytes: 0,
}

/** Two levels of a sweep, one of which was interrupted. */
async function sweepFolder(): Promise<string> {
  const root = await temporaryFolder()
  const sessions = { one: {}, two: { inputSamples: 48_000 } }
  await writeTree(join(root, 'sweep'), { 'sweep.json': {} })
  const files = runFiles({ name: '', concurrency: 2, sessions })
  const { samples, ...books } = files['run.json'] as { samples: { id: string }[] }
  const named = samples.map((sample) =>
    sample.id === 'one' ? { ...sample, item: 'slt-01', subset: 'speech' } : sample,
  )
  await writeTree(join(root, 'sweep/concurrency-2'), {
    ...files,
    'run.json': { ...books, samples: named },
    'self-monitoring.json': MONITORING,
  })
  await writeTree(
    join(root, 'sweep/concurrency-4'),
    runFiles({ name: '', concurrency: 4, sessions, books: { status: 'interrupted' } }),
  )
  return root
}

describe('floorload tables', () => {
  it('writes the finished levels of a sweep, each once, and lists the files', async () => {
    const root = await sweepFolder()
    const sweep = join(root, 'sweep')
    const out = join(root, 'below', 'out')
    const { exitCode, stdout } = await tables(
      ...['--run', sweep, '--run', join(sweep, 'concurrency-2'), '--out', out, '--json'],
    )
    expect(exitCode).toBe(0)
    const { schema, files } = JSON.parse(stdout) as { schema: string; files: { path: string; rows: number }[] }
    expect(schema).toBe('floorload.tables/1')
    expect(files.map(({ path, rows }) => `${path} ${rows}`)).toEqual([
      'sessions.csv 2',
      'sessions.parquet 2',
      'units.csv 4',
      'units.parquet 4',
      'replies.csv 0',
      'replies.parquet 0',
      'senders.csv 1',
      'senders.parquet 1',
      'concurrency-2.hlog 4',
    ])
    expect((await readdir(out)).sort()).toEqual(files.map(({ path }) => path).sort())
    expect(await readdir(join(root, 'below'))).toEqual(['out'])
    expect(await readFile(join(out, 'sessions.csv'), 'utf8')).toContain(
      '\nminicpmo-native,concurrency-2,2,1,speech/one/input,speech,slt-01,input,ok,,1,',
    )
    expect(await readFile(join(out, 'concurrency-2.hlog'), 'utf8')).toContain('\nTag=client_stall,593390.')

    await tables('--run', sweep, '--out', join(root, 'again'))
    for (const { path } of files) {
      expect(await readFile(join(root, 'again', path)), path).toEqual(await readFile(join(out, path)))
    }
  })

  it('writes the formats that are asked for', async () => {
    const root = await sweepFolder()
    const out = join(root, 'out')
    await tables('--run', join(root, 'sweep'), '--out', out, '--format', 'hlog, csv')
    expect((await readdir(out)).sort()).toEqual([
      'concurrency-2.hlog',
      'replies.csv',
      'senders.csv',
      'sessions.csv',
      'units.csv',
    ])
  })

  it.each([
    { name: 'an output that holds something', run: 'sweep', out: 'sweep', code: 'OUTPUT_EXISTS' },
    { name: 'no run', run: '.', out: 'out', code: 'RUN_UNREADABLE' },
    { name: 'no folder', run: 'missing', out: 'out', code: 'FILE_UNREADABLE' },
    { name: 'a contradiction', run: 'sweep', out: 'out', more: ['--concurrency', '3'], code: 'USAGE' },
  ])('refuses $name and writes nothing', async ({ run, out, more = [], code }) => {
    const root = await sweepFolder()
    const before = await readdir(root)
    const answer = await tables('--run', join(root, run), '--out', join(root, out), ...more).catch((thrown) => thrown)
    expect(answer).toBeInstanceOf(UserError)
    expect((answer as UserError).code).toBe(code)
    expect(await readdir(root)).toEqual(before)
  })

  it('refuses a format that it does not know', async () => {
    const root = await sweepFolder()
    const answer = tables('--run', join(root, 'sweep'), '--out', join(root, 'out'), '--format', 'csv,xlsx')
    await expect(answer).rejects.toThrow('"xlsx" is no format; there are csv, parquet, hlog')
    expect(existsSync(join(root, 'out'))).toBe(false)
  })
})
