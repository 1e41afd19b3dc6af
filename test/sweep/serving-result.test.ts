import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/base/json.js'
import { gateSchema } from '../../src/profile/sweep-file.js'
import { renderedFiles } from '../../src/report/rendered-files.js'
import { servingFileSchema, servingResult } from '../../src/sweep/serving-result.js'
import { analysedRuns, type RunPlan } from '../helpers/recorded-runs.js'

const good = { one: {}, two: { startUs: 593_390_400_000 } }
const RUNS: readonly RunPlan[] = [
  { name: 'concurrency-1', concurrency: 1, sessions: { one: {} } },
  { name: 'concurrency-2-r1', concurrency: 2, repeat: 1, sessions: good },
  { name: 'concurrency-2-r2', concurrency: 2, repeat: 2, sessions: { ...good, three: { inputSamples: 17_000 } } },
  { name: 'concurrency-4', concurrency: 4, sessions: { one: { lagsUs: [1_000_001] }, two: { lagsUs: [5] } } },
]

const resultOf = async (plans: readonly RunPlan[]) =>
  servingResult({ runs: await analysedRuns(plans), toolVersion: '1.2.3' })

describe('the result of a sweep', () => {
  it('has the same bytes in whatever order its runs are read, and wherever they lie', async () => {
    const forward = jsonText(await resultOf(RUNS))
    const backward = jsonText(await resultOf([...RUNS].reverse()))
    expect(backward).toBe(forward)
    const analysed = await analysedRuns(RUNS)
    expect(analysed.every(({ run }) => !forward.includes(run.directory))).toBe(true)
  })

  it('renders to the same bytes, too', async () => {
    const rendered = async (plans: readonly RunPlan[]) => {
      const runs = await analysedRuns(plans)
      return renderedFiles(servingResult({ runs, toolVersion: '1.2.3' }), runs)
    }
    expect(await rendered([...RUNS].reverse())).toEqual(await rendered(RUNS))
  })

  it('has a row per run, by level and repeat, and a capacity over all runs of a level', async () => {
    const result = await resultOf(RUNS)
    expect(result.levels.map(({ run, repeat }) => `${run} ${repeat}`)).toEqual([
      'concurrency-1 1',
      'concurrency-2-r1 1',
      'concurrency-2-r2 2',
      'concurrency-4 1',
    ])
    expect(result.profiles).toMatchObject([
      { profile: 'minicpmo-native', capacity: { status: 'exact', sessions: 2, first_missing_level: 4 } },
    ])
    expect(result.profiles[0]?.repeats.map(({ runs }) => runs)).toEqual([1, 2, 1])
    expect(result).toMatchObject({
      gate: null,
      tool: { name: 'floorload', version: '1.2.3' },
      warnings: ['concurrency-4: at most 2 sessions were inside their input at once; 4 were asked for'],
    })
  })

  it('can be read again as what it is', async () => {
    const text = jsonText(await resultOf(RUNS))
    expect(servingFileSchema.safeParse(JSON.parse(text)).success).toBe(true)
  })

  it('is empty without a run, and says so', () => {
    const result = servingResult({ runs: [], toolVersion: '1' })
    expect(result).toMatchObject({ levels: [], profiles: [], gate: null })
  })

  it('judges the gate that it is asked for', async () => {
    const runs = await analysedRuns(RUNS)
    const gate = gateSchema.parse({ min_capacity: 4 })
    expect(servingResult({ runs, toolVersion: '1', gate }).gate).toMatchObject({ verdict: 'fail', gate })
  })

  it('names the sessions that failed, each with its reasons and its trace', async () => {
    const broken = { one: {}, two: { lagsUs: [null] } }
    const [level] = (await resultOf([{ name: 'c1', concurrency: 1, sessions: broken }])).levels
    expect(level?.failed_sessions).toMatchObject([
      { session: 'speech/two/input', denied: false, trace: 'samples/speech/two/input/continuous.jsonl' },
    ])
    expect(level?.failed_sessions[0]?.reasons[0]).toMatch(/^N\d+ /)
  })

  it('keeps runs of several profiles in one table, each with a capacity of its own', async () => {
    const runs = await analysedRuns([RUNS[0] as RunPlan, RUNS[3] as RunPlan])
    const [first, second] = runs
    if (first === undefined || second === undefined) throw new Error('two runs')
    const renamed = { ...second, profile: { ...second.profile, name: 'zz' }, row: { ...second.row, profile: 'zz' } }
    const gate = gateSchema.parse({ min_capacity: 1 })
    const result = servingResult({ runs: [renamed, first], toolVersion: '1', gate })
    expect(result.profiles.map(({ profile, capacity }) => [profile, capacity.status])).toEqual([
      ['minicpmo-native', 'at_least'],
      ['zz', 'none'],
    ])
    // A gate speaks of one profile.
    expect(result.gate).toBeNull()
  })
})

describe('warnings', () => {
  const one = RUNS[0] as RunPlan
  it.each([
    {
      name: 'different start policies',
      plans: [one, { ...one, name: 'b', concurrency: 2, load: { policy: 'spread' }, sessions: good }],
      warning: 'started under different policies',
    },
    {
      name: 'the same recording twice',
      plans: [one, { ...one, name: 'copy' }],
      warning: 'copy holds the same recording as concurrency-1',
    },
    {
      name: 'a recording that was not finished',
      plans: [{ ...one, books: { status: 'interrupted' } }],
      warning: 'concurrency-1: the recording was not finished',
    },
    {
      name: 'different playback reserves',
      plans: [
        one,
        {
          ...one,
          name: 'b',
          concurrency: 2,
          sessions: good,
          manifest: { config: { load: { concurrency: 2, policy: 'pool' }, evaluation: { playback_reserve_s: 0.2 } } },
        },
      ],
      warning: 'different playback reserves',
    },
    {
      name: 'different targets',
      plans: [
        one,
        {
          ...one,
          name: 'b',
          concurrency: 2,
          sessions: good,
          manifest: {
            config: { load: { concurrency: 2, policy: 'pool' }, evaluation: { targets: { unit_miss_rate_max: 0.5 } } },
          },
        },
      ],
      warning: 'judged by different targets',
    },
  ])('name what makes rows weaker than they look: $name', async ({ plans, warning }) => {
    expect((await resultOf(plans)).warnings.join('\n')).toContain(warning)
  })
})
