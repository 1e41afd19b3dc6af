import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRun } from '../../src/capture/run-reader.io.js'
import { clipAnnotation, makeInputClip } from '../../src/dataset/input-clip.js'
import { plannedSessions } from '../../src/sweep/level-orders.js'
import { RunBooks } from '../../src/sweep/run-books.io.js'
import { factsWith } from '../helpers/measured-levels.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

const clip = (variant: string) =>
  makeInputClip({
    id: 'a',
    subset: 'pause',
    variant,
    sampleRateHz: 16_000,
    pcm: new Int16Array(40_000),
    source: { file: 'a.wav', sha256: '0' },
    normalization: ['mono'],
  })

async function bookkeeping() {
  const directory = await temporaryFolder()
  const manifest = { profile: 'minicpmo-native', config: { load: { concurrency: 2, role: 'level' } } }
  const sessions = plannedSessions([clip('overlap'), clip('clean')], 3)
  const books = new RunBooks({ directory, manifest, sessions })
  const read = async (file: string) =>
    JSON.parse(await readFile(join(directory, file), 'utf8')) as Record<string, unknown>
  return { directory, sessions, books, read }
}

const ended = (directory: string, kind = 'completed') => ({ directory, outcome: { kind, message: `it ${kind}` } })

describe('the books of a run', () => {
  it('name every session before the first begins, so that a crash leaves them pending', async () => {
    const { directory, books, read } = await bookkeeping()
    await books.begin()
    const run = await readRun(directory)
    expect(run).toMatchObject({ layout: 'field', isComplete: false, concurrency: 2, sessions: [] })
    const summary = { samples_selected: 2, variants_selected: 3, variants: { pending: 3 } }
    expect(await read('run.json')).toMatchObject({ status: 'running', summary })
  })

  it('a sample’s variants stand together, and a repeated input apart', async () => {
    const { books, read } = await bookkeeping()
    await books.begin()
    const samples = (await read('run.json')).samples as { directory: string; variants: object }[]
    expect(samples.map(({ directory, variants }) => [directory, Object.keys(variants)])).toEqual([
      ['samples/pause/a', ['overlap', 'clean']],
      ['samples/pause/a.2', ['overlap']],
    ])
  })

  it('a recorded run can be judged before its verdicts are known', async () => {
    const { directory, sessions, books } = await bookkeeping()
    await books.begin()
    for (const session of sessions) books.sessionEnded(ended(session.directory))
    await books.recorded()
    const run = await readRun(directory)
    expect(run.isComplete).toBe(true)
    expect(run.sessions.map(({ name, declaredInputS }) => [name, declaredInputS])).toEqual([
      ['pause/a/overlap', 2.5],
      ['pause/a/clean', 2.5],
      ['pause/a.2/overlap', 2.5],
    ])
  })

  it('a stopped run keeps what ended and is not complete', async () => {
    const { directory, sessions, books } = await bookkeeping()
    await books.begin()
    books.sessionEnded(ended(sessions[0]?.directory ?? ''))
    await books.interrupted()
    const run = await readRun(directory)
    expect(run).toMatchObject({ isComplete: false, sessions: [{ name: 'pause/a/overlap' }] })
  })

  it('hold the verdict of every session, each with a report beside its trace', async () => {
    const { sessions, books, read } = await bookkeeping()
    await books.begin()
    for (const session of sessions) books.sessionEnded(ended(session.directory, 'cut'))
    await books.complete([
      factsWith({ name: 'pause/a/overlap' }),
      factsWith({ name: 'pause/a/clean', hasSucceeded: false, protocolStatus: 'fail', reasons: ['N9 one', 'N9 two'] }),
      factsWith({ name: 'pause/a.2/overlap', hasSucceeded: false, protocolStatus: 'not_exercised', reasons: ['x'] }),
    ])
    const run = await read('run.json')
    expect(run).toMatchObject({ status: 'complete', summary: { variants: { pass: 1, fail: 1, not_exercised: 1 } } })
    expect(await read('samples/pause/a/clean/report.json')).toMatchObject({
      outcome: { kind: 'cut' },
      cases: [
        { status: 'fail', reasons: ['N9 one', 'N9 two'], metrics: { input_s: 2, unit_lag_s: { 0: 0.2, 1: 0.3 } } },
      ],
    })
  })

  it('hold the files of a sample with their hashes, and the annotation itself in its session’s folder', async () => {
    const text = '[{"timestamp":[0.5, 1]}]\r\n'
    const directory = await temporaryFolder()
    const labelled = makeInputClip({
      ...clip('input'),
      windowSamples: 39_000,
      annotation: clipAnnotation('pause.json', text),
    })
    const sessions = plannedSessions([labelled], 2)
    const books = new RunBooks({ directory, manifest: { profile: 'minicpmo-native' }, sessions })
    await books.begin()
    await books.recorded()
    const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'))
    const annotation = { file: 'pause.json', sha256: createHash('sha256').update(text).digest('hex') }
    const { samples } = await read('run.json')
    expect(samples.map(({ directory: folder }: { directory: string }) => folder)).toEqual([
      'samples/pause/a',
      'samples/pause/a.2',
    ])
    for (const sample of samples) {
      expect(sample).toMatchObject({
        subset: 'pause',
        sha256: { 'a.wav': '0', 'pause.json': annotation.sha256 },
        variants: {
          input: {
            source: { file: 'a.wav', sha256: '0' },
            input: { sha256: labelled.pcmSha256, duration_s: 2.5, window_samples: 39_000 },
            annotation,
          },
        },
      })
      expect(await readFile(join(directory, sample.directory, 'input', 'pause.json'), 'utf8')).toBe(text)
    }
    expect((await read('manifest.json')).samples[0].variants.input.annotation).toEqual(annotation)
    expect((await read('samples/pause/a/input/manifest.json')).annotation).toEqual(annotation)
  })

  it('a session that is not theirs is no entry', async () => {
    const { books, read } = await bookkeeping()
    await books.begin()
    books.sessionEnded(ended('samples/other/input'))
    await books.recorded()
    expect(await read('run.json')).toMatchObject({ summary: { variants: { pending: 3 } } })
  })
})
