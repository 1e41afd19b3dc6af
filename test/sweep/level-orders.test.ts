import { describe, expect, it } from 'vitest'
import { makeInputClip } from '../../src/dataset/input-clip.js'
import { levelPlanSchema } from '../../src/load/level-plan.js'
import { sweepFileSchema } from '../../src/profile/sweep-file.js'
import { type LevelOrder, levelPlan, plannedSessions, runManifest } from '../../src/sweep/level-orders.js'
import { NATIVE } from '../helpers/measured-levels.js'

function clip(id: string, options: { variant?: string; seconds?: number } = {}) {
  return makeInputClip({
    id,
    subset: 'speech',
    variant: options.variant ?? 'input',
    sampleRateHz: 16_000,
    pcm: new Int16Array(16_000 * (options.seconds ?? 1)).fill(id.length),
    source: { file: null, sha256: '0' },
    normalization: [],
  })
}

const CLIPS = [clip('a'), clip('bb'), clip('ccc', { variant: 'clean' })]

function orderWith(changes: Partial<LevelOrder> & { readonly sweep?: object } = {}): LevelOrder {
  const { sweep, ...rest } = changes
  return {
    config: sweepFileSchema.parse({ schema: 'floorload.sweep/1', name: 'mine', levels: [2], seed: 7, ...sweep }),
    profile: NATIVE,
    level: { concurrency: 2, repeat: 1, sessions: 5 },
    role: 'level',
    sessions: plannedSessions(CLIPS, 5),
    directory: 'out/concurrency-2',
    server: {
      url: 'ws://me:secret@host/?key=hidden',
      headers: { authorization: 'Bearer hidden' },
    } as LevelOrder['server'],
    version: '1.2.3',
    senders: 1,
    ...rest,
  }
}

const planOf = (order: LevelOrder) => levelPlan({ ...order, inputFile: (input) => `inputs/${input.id}.pcm` })

describe('planned sessions', () => {
  it('take the inputs in order and again from the first, each in a folder of its own', () => {
    const directories = plannedSessions(CLIPS, 7).map(({ directory }) => directory)
    expect(directories).toEqual([
      'samples/speech/a/input',
      'samples/speech/bb/input',
      'samples/speech/ccc/clean',
      'samples/speech/a.2/input',
      'samples/speech/bb.2/input',
      'samples/speech/ccc.2/clean',
      'samples/speech/a.3/input',
    ])
    expect(new Set(directories).size).toBe(7)
  })

  it('a repeated input never takes the folder of an input that is named like one', () => {
    const ids = plannedSessions([clip('7'), clip('7.2')], 6).map(({ id }) => id)
    expect(ids).toEqual(['7', '7.2', '7.3', '7.2.2', '7.4', '7.2.3'])
  })

  it('may be fewer than the inputs', () => {
    expect(plannedSessions(CLIPS, 1).map(({ id }) => id)).toEqual(['a'])
  })
})

describe('the plan for the load process', () => {
  it('is one that the load process accepts, and names each input once', () => {
    const plan = planOf(orderWith())
    expect(levelPlanSchema.safeParse(plan).success).toBe(true)
    expect(plan.inputs.map(({ file }) => file)).toEqual(['inputs/a.pcm', 'inputs/bb.pcm', 'inputs/ccc.pcm'])
    expect(plan.sessions.map(({ inputIndex }) => inputIndex)).toEqual([0, 1, 2, 0, 1])
  })

  it('a warm-up is a pool, whatever the level asks for', () => {
    const sweep = { start: 'aligned' }
    expect(planOf(orderWith({ sweep })).policy).toBe('aligned')
    expect(planOf(orderWith({ sweep, role: 'warmup' })).policy).toBe('pool')
  })

  it.each([
    { name: 'short inputs have 90 s', seconds: 1, deadlines: {}, expected: 90 },
    { name: 'long inputs have a minute more than they last', seconds: 45, deadlines: {}, expected: 105 },
    { name: 'the sweep file can say otherwise', seconds: 45, deadlines: { session_s: 50 }, expected: 50 },
  ])('$name', ({ seconds, deadlines, expected }) => {
    const sessions = plannedSessions([clip('a', { seconds })], 2)
    const order = orderWith({ sessions, sweep: { deadlines } })
    expect(planOf(order).deadlines.sessionS).toBe(expected)
    expect(runManifest(order)).toMatchObject({ config: { timeout_s: expected } })
  })

  it('every level and repeat has starts of its own, and the same ones again', () => {
    const seedOf = (concurrency: number, repeat: number) =>
      planOf(orderWith({ level: { concurrency, repeat, sessions: 5 } })).startSeed
    expect(new Set([seedOf(2, 1), seedOf(2, 2), seedOf(4, 1)]).size).toBe(3)
    expect(seedOf(2, 1)).toBe(seedOf(2, 1))
  })
})

describe('the manifest of a run', () => {
  it('holds everything that changes the load, and what it is judged by', () => {
    const sweep = {
      start: 'spread',
      playback_reserve_ms: 200,
      targets: { unit_miss_rate_max: 0.05 },
      gate: { min_capacity: 2 },
    }
    expect(runManifest(orderWith({ sweep }))).toMatchObject({
      profile: 'minicpmo-native',
      config: {
        packet_ms: 80,
        transport: { compression: false, keepalive_ping: false, admission_retries: 3, input_send_receipts: true },
        load: { concurrency: 2, repeat: 1, role: 'level', policy: 'spread', sessions: 5, seed: 7 },
        evaluation: {
          playback_reserve_s: 0.2,
          targets: { unit_miss_rate_max: 0.05, rtf_p90_below: 1 },
          gate: { min_capacity: 2 },
        },
      },
    })
  })

  it.each([
    { kind: 'fdb-v1.0' as const, runKind: 'full-duplex-bench-v1.0' },
    { kind: 'fdb-v1.5' as const, runKind: 'full-duplex-bench-v1.5-paired' },
  ])('of $kind says which dataset it was and what was chosen', ({ kind, runKind }) => {
    const inventory = { declared: { a: 3 }, observed: { a: 2 }, ignored: 1 }
    const selection = { rule: 'all', selected: { a: 2 } }
    const manifest = runManifest(orderWith({ dataset: { kind, root: './data', inventory, selection } }))
    expect(manifest).toMatchObject({ kind: runKind, dataset: { root: './data', inventory, selection } })
    expect(runManifest(orderWith())).toMatchObject({ kind: 'floorload-run', dataset: { inputs: { kind: 'built-in' } } })
  })

  it('holds no secret', () => {
    const text = JSON.stringify(runManifest(orderWith()))
    expect(text).not.toMatch(/secret|hidden/)
    expect(text).toContain('"header_names":["authorization"]')
  })
})
