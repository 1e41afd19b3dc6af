import { describe, expect, it } from 'vitest'
import { UserError } from '../../../src/base/errors.js'
import { type ScoreTreeOptions, scoreTree } from '../../../src/quality/unified/score-tree.io.js'
import type { FileTree } from '../../helpers/temp-folders.js'
import {
  CUT_IN,
  FILES,
  fixedFinder,
  LOST,
  MANIFEST,
  manifestWith,
  PAUSE,
  SAMPLES,
  sha256Of,
  silence,
  TURN,
  treeWith,
  words,
} from './tree-builder.js'

type Changes = Readonly<Record<string, FileTree[string] | undefined>>

async function scored(changes: Changes = {}, options: Partial<ScoreTreeOptions> = {}) {
  return scoreTree({ tree: await treeWith(changes), speech: { file: 'vad.json' }, ...options })
}

async function refusal(changes: Changes, options: Partial<ScoreTreeOptions> = {}): Promise<string> {
  const thrown = await scored(changes, options).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(UserError)
  const { code, exitCode, message } = thrown as UserError
  expect({ code, exitCode }).toEqual({ code: 'TREE_INVALID', exitCode: 2 })
  return message
}

describe('a tree', () => {
  it('is scored in the order of its manifest, an ineligible sample untouched', async () => {
    const { result, rows } = await scored()
    expect(rows.map(({ sample_id }) => sample_id)).toEqual([PAUSE, LOST, TURN, CUT_IN])
    expect(rows[1]).toEqual({
      sample_id: LOST,
      subset: 'candor_pause_handling',
      task: 'pause_handling',
      eligible: false,
      reasons: ['pacing'],
    })
    expect(rows[3]).toMatchObject({ outcome: 'response', latency_s: 1, stop_s: 1, S: 4, R: 6, observable_s: 4.000063 })
    expect(Object.keys(result.subsets)).toEqual([
      'synthetic_pause_handling',
      'candor_pause_handling',
      'candor_turn_taking',
      'synthetic_user_interruption',
    ])
    expect(result).toMatchObject({
      definitions: 'fdb-v1.0-unified-4',
      manifest_sha256: sha256Of(MANIFEST),
      asr_sha256: null,
      words: { kind: 'tree' },
      speech: { kind: 'file', file: 'vad.json' },
      bootstrap: { resamples: 2000, seed: 0 },
    })
    expect(result.subsets.synthetic_pause_handling?.counts.declared).toBe(5)
    expect(result.subsets.candor_pause_handling).toMatchObject({
      counts: { declared: 216, selected: 1, eligible: 0, ineligible_reasons: { pacing: 1 } },
      coverage: 0,
      metrics: { pause_intrusion_rate: { value: null, n: 0, selected_bounds: [0, 1] } },
    })
  })

  it('gives the same scores twice', async () => {
    const tree = await treeWith()
    const once = await scoreTree({ tree, speech: { file: 'vad.json' } })
    expect(JSON.stringify(await scoreTree({ tree, speech: { file: 'vad.json' } }))).toBe(JSON.stringify(once))
  })

  it('has its speech detected in the interruption windows', async () => {
    const speech = { finder: () => Promise.resolve(fixedFinder(48_000, 80_000)) }
    const { result, rows } = await scored({ [`${CUT_IN}/vad.json`]: undefined }, { speech })
    expect(rows).toEqual((await scored()).rows)
    expect(result.speech).toEqual({ kind: 'silero', version: 'fixed' })
  })

  it('has no observed stop where detected speech reaches the last sample', async () => {
    const speech = { finder: () => Promise.resolve(fixedFinder(48_000, SAMPLES)) }
    const { rows } = await scored({}, { speech })
    expect(rows[3]).toMatchObject({ outcome: 'speaking_at_end', stop_s: null, stop_observed: false })
  })

  it('needs no output.wav where speech comes from a file', async () => {
    expect((await scored({ [`${CUT_IN}/output.wav`]: undefined })).rows).toHaveLength(4)
  })

  it('is scored with words that were obtained elsewhere, segments as words apart from transcripts', async () => {
    const transcript = { text: '', words: [{ text: '[speech]', startS: 8, endS: 9 }] }
    const { result, rows } = await scored(
      { [`${TURN}/output.json`]: undefined },
      {
        words: {
          recognizer: { kind: 'vad', name: 'vad', details: {} },
          transcripts: new Map([PAUSE, TURN, CUT_IN].map((key) => [key, transcript])),
          asrSha256: null,
        },
      },
    )
    expect(rows[2]).toMatchObject({ outcome: 'response', latency_s: 4 })
    expect(result.definitions).toBe('floorload-unified-vad-1')
    expect(result.subsets.candor_turn_taking).not.toHaveProperty('official_rules')
  })
})

describe('a tree of another tool', () => {
  const expected = async () => (await scored()).rows.filter(({ eligible }) => eligible)
  const bare = (id: string) => id.split('/')[1]

  it('may call its samples by id alone, leave out the task, and give samples for seconds', async () => {
    const manifest = {
      samples: MANIFEST.samples.map(({ sample_id, subset, eligible, input }) => ({
        id: bare(sample_id),
        subset,
        eligible,
        ...(eligible
          ? { input: { samples: input?.samples, sample_rate: 16_000 } }
          : { ineligible_reasons: [{ code: 'x' }] }),
      })),
    }
    const { rows } = await scored({ 'manifest.json': manifest })
    const renamed = (await expected()).map((row) => ({ ...row, sample_id: bare(row.sample_id) }))
    expect(rows.filter(({ eligible }) => eligible)).toEqual(renamed)
    expect(rows[1]).toMatchObject({ sample_id: '3', reasons: ['x'] })
  })

  it.each<[string, (hash: string) => object]>([
    ['a record', (sha256) => ({ 'output.json': { sha256 } })],
    ['a record of texts', (sha256) => ({ 'output.json': `sha256:${sha256.toUpperCase()}` })],
    ['a list', (sha256) => [{ path: 'output.json', sha256 }]],
    ['a list with paths from the tree', (sha256) => [{ file: `${TURN}/output.json`, sha256 }]],
  ])('may list hashes as %s', async (_, listed) => {
    const right = manifestWith(TURN, { files: listed(sha256Of(FILES[`${TURN}/output.json`])) })
    expect((await scored({ 'manifest.json': right })).rows).toHaveLength(4)
    const wrong = manifestWith(TURN, { files: listed('0'.repeat(64)) })
    expect(await refusal({ 'manifest.json': wrong })).toContain(`${TURN}: output.json is not the file of manifest.json`)
  })

  it('may hold subsets that are not scored', async () => {
    const others = [
      { sample_id: 'icc_backchannel/1', subset: 'icc_backchannel', eligible: true },
      { sample_id: 'speech/1', subset: 'speech', eligible: true },
      { sample_id: 'mine/1', subset: 'mine', task: 'unscored', eligible: true },
    ]
    const { rows } = await scored({ 'manifest.json': { samples: [...others, ...MANIFEST.samples] } })
    expect(rows).toHaveLength(4)
  })
})

describe('asr.json', () => {
  const hashes = Object.fromEntries(
    [PAUSE, TURN, CUT_IN].map((key) => [key, sha256Of(FILES[`${key}/output.json`])] as const),
  )
  const entries = (changed?: string) =>
    Object.entries(hashes).map(([key, hash]) => [key, key === changed ? '0'.repeat(64) : hash] as const)
  const FORMS: Readonly<Record<string, (changed?: string) => object>> = {
    record: (changed) => ({
      samples: Object.fromEntries(entries(changed).map(([key, hash]) => [key, { transcript_sha256: hash }])),
    }),
    list: (changed) => ({
      samples: entries(changed).map(([key, sha256]) => ({ sample_id: key, files: [{ file: 'output.json', sha256 }] })),
    }),
    subsets: (changed) => ({
      subsets: Object.fromEntries(
        entries(changed).map(([key, hash]) => [
          key.split('/')[0],
          { transcripts: { [String(key.split('/')[1])]: hash } },
        ]),
      ),
    }),
  }

  it.each(Object.entries(FORMS))('as a %s: its hashes must be those of the transcripts', async (_, form) => {
    const { result } = await scored({ 'asr.json': form() }, { requiresAsr: true })
    expect(result.asr_sha256).toBe(sha256Of(form()))
    expect(await refusal({ 'asr.json': form(TURN) })).toContain(`${TURN}: output.json is not the file of asr.json`)
  })

  it('must know every eligible sample', async () => {
    const samples = Object.fromEntries(
      entries()
        .slice(1)
        .map(([key, hash]) => [key, { transcript_sha256: hash }]),
    )
    expect(await refusal({ 'asr.json': { samples } })).toBe(`${PAUSE}: is not in asr.json`)
  })

  it('tells when the audio has changed', async () => {
    const samples = { [CUT_IN]: { transcript_sha256: hashes[CUT_IN], audio_sha256: '0'.repeat(64) } }
    const others = Object.fromEntries(entries().map(([key, hash]) => [key, { transcript_sha256: hash }]))
    const message = await refusal({ 'asr.json': { samples: { ...others, ...samples } } })
    expect(message).toContain(`${CUT_IN}: output.wav is not the file of asr.json`)
  })

  it('names the sample that a transcript belongs to', async () => {
    const other = FILES[`${PAUSE}/output.json`]
    const message = await refusal({ 'asr.json': FORMS.record?.(), [`${TURN}/output.json`]: other })
    expect(message).toContain(`it is the file of ${PAUSE}`)
  })

  it('may be required', async () => {
    expect(await refusal({}, { requiresAsr: true })).toContain('has no asr.json')
  })
})

describe('refused with the sample and the problem', () => {
  const badText = (word: string) => `{"text":"","chunks":[{"text":"a","timestamp":[${word},1]}]}`
  it.each<[string, Changes, string]>([
    ['no annotation', { [`${PAUSE}/pause.json`]: undefined }, `${PAUSE}: pause.json is missing`],
    ['no transcript', { [`${TURN}/output.json`]: undefined }, `${TURN}: output.json is missing`],
    ['no speech', { [`${CUT_IN}/vad.json`]: undefined }, `${CUT_IN}: vad.json is missing`],
    ['a broken transcript', { [`${TURN}/output.json`]: '{' }, `${TURN}: output.json is not valid JSON`],
    ['a NaN', { [`${TURN}/output.json`]: badText('NaN') }, `${TURN}: output.json is not valid JSON (it holds NaN`],
    ['an infinite start', { [`${TURN}/output.json`]: badText('1e999') }, `${TURN}: output.json chunks.0.timestamp.0`],
    ['a start that is null', { [`${TURN}/output.json`]: badText('null') }, `${TURN}: output.json chunks.0.timestamp.0`],
    ['a word after T', { [`${TURN}/output.json`]: words([10.000064, 11]) }, `${TURN}: word 1`],
    [
      'a pause outside',
      { [`${PAUSE}/pause.json`]: [{ timestamp: [2, 11] }] },
      `${PAUSE}: pause 1, [2, 11], lies outside`,
    ],
    [
      'speech out of order',
      {
        [`${CUT_IN}/vad.json`]: [
          [3, 5],
          [1, 2],
        ],
      },
      `${CUT_IN}: speech segment 2`,
    ],
    [
      'speech that is no list',
      { [`${CUT_IN}/vad.json`]: [{ start: 3 }] },
      `${CUT_IN}: vad.json is not a list of segments`,
    ],
    [
      'a transcript that names another',
      { [`${TURN}/output.json`]: { ...words(), sample_id: PAUSE } },
      `${TURN}: output.json is the transcript of ${PAUSE}`,
    ],
    [
      'a window one sample short',
      { [`${CUT_IN}/output.wav`]: silence(SAMPLES - 1) },
      `${CUT_IN}: output.wav holds 160000 samples; the input of 10.000063 s has 160001`,
    ],
    [
      'a window one sample long',
      { [`${CUT_IN}/output.wav`]: silence(SAMPLES + 1) },
      `${CUT_IN}: output.wav holds 160002`,
    ],
    [
      'a window at another rate',
      { [`${CUT_IN}/output.wav`]: silence(SAMPLES, 8000) },
      `${CUT_IN}: output.wav is pcm16, 1 channel(s), 8000 Hz`,
    ],
    ['no input length', { 'manifest.json': manifestWith(TURN, { input: {} }) }, `${TURN}: the manifest does not say`],
    [
      'two lengths',
      { 'manifest.json': manifestWith(TURN, { input: { duration_s: 9, samples: 160_000, sample_rate: 16_000 } }) },
      `${TURN}: its input lasts 9 s`,
    ],
  ])('%s', async (_, changes, message) => {
    expect(await refusal(changes)).toContain(message)
  })

  it('no window, where speech is detected in it', async () => {
    const speech = { finder: () => Promise.resolve(fixedFinder(0, 1)) }
    expect(await refusal({ [`${CUT_IN}/output.wav`]: undefined }, { speech })).toBe(`${CUT_IN}: output.wav is missing`)
  })

  it.each<[string, object | string, string]>([
    ['no manifest', 'nothing', 'is not valid JSON'],
    ['a manifest without samples', {}, 'has no list of samples'],
    [
      'a sample twice',
      { samples: [...MANIFEST.samples, { ...MANIFEST.samples[0], sample_id: '1' }] },
      `lists ${PAUSE} twice`,
    ],
    [
      'a sample of another subset',
      manifestWith(TURN, { subset: 'candor_pause_handling' }),
      `has ${TURN} under the subset candor_pause`,
    ],
    ['an unknown subset', manifestWith(TURN, { sample_id: 'x/1', subset: 'x' }), 'of an unknown subset: x/1'],
    ['a path for an id', manifestWith(TURN, { sample_id: '../1' }), 'under the subset candor_turn_taking, where'],
    ['a folder upwards', manifestWith(TURN, { sample_id: '..' }), 'is no SUBSET/ID'],
    ['no word on eligibility', manifestWith(TURN, { eligible: null }), `malformed entry for ${TURN}: eligible`],
    ['a hash of a file elsewhere', manifestWith(TURN, { files: { '../x': '0' } }), `outside the folder of ${TURN}`],
  ])('%s', async (_, manifest, message) => {
    expect(await refusal({ 'manifest.json': manifest })).toContain(message)
  })
})
