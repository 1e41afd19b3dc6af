import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { describeProblems } from '../../src/base/schema.js'
import { loadProfile, SHIPPED_SWEEPS_DIR } from '../../src/profile/load-profile.io.js'
import { loadSweepFile } from '../../src/profile/load-sweep-file.io.js'
import { phasesOf, sweepFileSchema } from '../../src/profile/sweep-file.js'
import { folderWith } from '../helpers/temp-folders.js'

const NAMES = readdirSync(SHIPPED_SWEEPS_DIR).map((file) => file.replace('.yaml', ''))
const MINE = { schema: 'floorload.sweep/1', name: 'mine', levels: [1, 2] }

async function sweepOf(content: object) {
  return loadSweepFile(join(await folderWith({ 'mine.yaml': stringify(content) }), 'mine.yaml'))
}

describe('shipped sweep files', () => {
  it.each(NAMES)('%s loads under its name and names a profile that exists', async (name) => {
    const sweep = await loadSweepFile(name)
    expect(sweep.name).toBe(name)
    expect(sweep.description).toBeTruthy()
    if (sweep.profile !== undefined) await expect(loadProfile(sweep.profile)).resolves.toBeDefined()
  })

  it.each(NAMES)('the gate of %s, where it has one, asks for a level and runs that the sweep records', async (name) => {
    const { gate, levels, repeats } = await loadSweepFile(name)
    if (gate === undefined) return
    expect(levels).toContain(gate.min_capacity)
    expect(gate.runs).toBeLessThanOrEqual(repeats)
  })

  it('an unknown name gets the known ones', async () => {
    const refusal = await loadSweepFile('smokey').catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ code: 'FILE_UNREADABLE', fix: expect.stringContaining('smoke') })
  })
})

describe('a sweep file of one’s own', () => {
  it('loads with its defaults', async () => {
    expect(await sweepOf(MINE)).toEqual({
      ...MINE,
      order: 'ascending',
      repeats: 1,
      start: 'pool',
      senders: 'auto',
      inputs: { kind: 'built-in' },
      sessions: 'all',
      warm_up_sessions: 1,
      playback_reserve_ms: 80,
      targets: {},
      admission: { retries: 3, backoff_ms: 250 },
      deadlines: { admission_s: 30 },
      transport: 'auto',
      seed: 0,
    })
  })

  it.each([
    { sessions: 'all' },
    { sessions: { per_slot: 4 } },
    { sessions: { count: 10 } },
    { inputs: { kind: 'audio', paths: ['clips'] } },
    { inputs: { kind: 'fdb-v1.5', root: 'data', max_per_subset: 4 } },
    { inputs: { kind: 'fdb-v1.0', selection: 'all' } },
    {
      inputs: {
        kind: 'fdb-v1.0',
        max_per_subset: 0,
        selection: { counts: { candor_turn_taking: 20, icc_backchannel: 0 } },
      },
    },
    { inputs: { kind: 'fdb-v1.0', max_per_subset: 'all', selection: { subsets: ['candor_turn_taking'] } } },
    { inputs: { kind: 'fdb-v1.5', selection: { ids: ['user_backchannel/7'] } } },
    { inputs: { kind: 'fdb-v1.5', selection: { ids_file: 'ids.txt' } } },
    { gate: { min_capacity: 4, rule: 'strict', runs: 5 } },
    { stop: { unit_miss_rate_at_least: 0.3 } },
    { start: 'poisson', order: 'shuffled', seed: 7 },
  ])('may say %j', async (part) => {
    expect(await sweepOf({ ...MINE, ...part })).toMatchObject(part)
  })

  it.each([
    { name: 'no levels', change: { levels: [] }, problem: 'levels is []; it must be at least 1 items' },
    { name: 'a level of 0', change: { levels: [0] }, problem: 'levels.0 is 0; it must be at least 1' },
    { name: 'half a level', change: { levels: [1.5] }, problem: 'levels.0 is 1.5' },
    { name: 'a level twice', change: { levels: [1, 2, 1] }, problem: 'must not name a level twice' },
    { name: 'another schema', change: { schema: 'floorload.sweep/9' }, problem: 'schema is "floorload.sweep/9"' },
    { name: 'a name that is a path', change: { name: 'a/b' }, problem: 'name is "a/b"; it must be letters' },
    { name: 'an unknown start', change: { start: 'burst' }, problem: 'start is "burst"; allowed: pool' },
    { name: 'an unknown order', change: { order: 'random' }, problem: 'order is "random"; allowed: ascending' },
    { name: 'sessions of two kinds', change: { sessions: { count: 1, per_slot: 1 } }, problem: 'sessions is ' },
    { name: 'inputs of an unknown kind', change: { inputs: { kind: 'video' } }, problem: 'inputs.kind' },
    { name: 'audio without a path', change: { inputs: { kind: 'audio' } }, problem: 'inputs.paths is missing' },
    {
      name: 'ids beside counts',
      change: { inputs: { kind: 'fdb-v1.0', selection: { ids: ['a/1'], counts: { a: 1 } } } },
      problem: 'inputs.selection is {"ids":["a/1"],"counts":{"a":1}}; it must be "all", {subsets',
    },
    {
      name: 'ids beside a count for each subset',
      change: { inputs: { kind: 'fdb-v1.0', max_per_subset: 3, selection: { ids: ['a/1'] } } },
      problem: 'inputs.max_per_subset is 3; it must not stand beside a selection',
    },
    {
      name: 'half a sample',
      change: { inputs: { kind: 'fdb-v1.0', max_per_subset: 0.5 } },
      problem: 'inputs.max_per_subset is 0.5; it must be "all" or a whole number',
    },
    { name: 'a misspelt target', change: { targets: { rtf_p90: 1 } }, problem: 'targets.rtf_p90 is not a known field' },
    {
      name: 'a target of 1%, written as 1',
      change: { targets: { unit_miss_rate_max: 1.5 } },
      problem: 'it must be at most 1',
    },
    {
      name: 'more retries than the field allows',
      change: { admission: { retries: 4 } },
      problem: 'admission.retries is 4; it must be at most 3',
    },
    { name: 'a gate without a level', change: { gate: { rule: 'strict' } }, problem: 'gate.min_capacity is missing' },
    {
      name: 'a strict gate with confidence',
      change: { gate: { min_capacity: 1, rule: 'strict', confident: true } },
      problem: 'gate.confident',
    },
    { name: 'no repeat', change: { repeats: 0 }, problem: 'repeats is 0' },
    { name: 'an unknown field', change: { repeat: 3 }, problem: 'repeat is not a known field; did you mean repeats?' },
  ])('is refused: $name', async ({ change, problem }) => {
    const refusal = await sweepOf({ ...MINE, ...change }).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({ name: 'UserError', code: 'SWEEP_FIELD' })
    expect((refusal as Error).message).toContain(problem)
  })
})

describe('phases', () => {
  it.each([
    [{}, 'spread'],
    [{ phases: 'aligned' }, 'aligned'],
    [{ start: 'poisson', phases: 'spread' }, 'spread'],
    [{ start: 'aligned' }, 'aligned'],
    [{ start: 'spread' }, 'spread'],
    [{ start: 'aligned', phases: 'aligned' }, 'aligned'],
  ])('of %j are %s', async (changes, phases) => {
    expect(phasesOf(sweepFileSchema.parse({ ...MINE, ...changes }))).toBe(phases)
  })

  it.each([
    { start: 'aligned', phases: 'spread' },
    { start: 'spread', phases: 'aligned' },
  ])('that contradict their start are refused: %j', (changes) => {
    expect(describeProblems(sweepFileSchema, { ...MINE, ...changes })).toMatch(/phases.*must not contradict the start/)
  })
})
