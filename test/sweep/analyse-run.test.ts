import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { analyseRun } from '../../src/sweep/analyse-run.io.js'
import { NATIVE } from '../helpers/measured-levels.js'
import { analysedRuns, type RunPlan, runFiles } from '../helpers/recorded-runs.js'
import { folderWith } from '../helpers/temp-folders.js'

const PLAN: RunPlan = { name: 'concurrency-2', concurrency: 2, sessions: { one: {}, two: { lagsUs: [1_500_000] } } }

async function folderOf(plan: Partial<RunPlan> = {}, leftOut: readonly string[] = []): Promise<string> {
  const files = Object.entries(runFiles({ ...PLAN, ...plan })).filter(([path]) => !leftOut.includes(path))
  return folderWith(Object.fromEntries(files))
}

describe('a recorded run', () => {
  it('gives the same row for the same files every time', async () => {
    const [first, second] = await analysedRuns([PLAN, { ...PLAN, name: 'again' }])
    expect(second?.row).toEqual(first?.row)
    expect(second?.inputsSha256).toBe(first?.inputsSha256)
  })

  it('takes profile, concurrency, reserve and targets from its books', async () => {
    const evaluation = { playback_reserve_s: 0.5, targets: { unit_miss_rate_max: 0.5 } }
    const manifest = { config: { load: { concurrency: 2 }, evaluation } }
    const { row, targets } = await analyseRun(await folderOf({ manifest }))
    expect(row).toMatchObject({ concurrency: 2, reserve_s: 0.5, unit_miss_rate: 0.5, meets_targets: true })
    expect(targets).toEqual({ unit_miss_rate_max: 0.5, rtf_p90_below: 1 })
  })

  it('is judged as its reader asks where the reader asks', async () => {
    const overrides = { concurrency: 7, reserveMs: 120, unitMissRateMax: 0.9, rtfP90Below: 0.5 }
    const { row, targets } = await analyseRun(await folderOf(), overrides)
    expect(row).toMatchObject({ concurrency: 7, reserve_s: 0.12, meets_targets: true })
    expect(targets).toEqual({ unit_miss_rate_max: 0.9, rtf_p90_below: 0.5 })
  })

  it('a profile that the run brings along wins over a shipped one of its name', async () => {
    const own = { ...NATIVE, targets: { unit_miss_rate_max: 0.75, rtf_p90_below: 1 } }
    const { profile } = await analyseRun(await folderOf({ manifest: { profile_definition: own } }))
    expect(profile.targets.unit_miss_rate_max).toBe(0.75)
  })

  it('a profile that the run brings along and that is none is refused, not passed over', async () => {
    const own = { ...NATIVE, unit_ms: 'long' }
    const folder = await folderOf({ manifest: { profile_definition: own } })
    await expect(analyseRun(folder)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
    expect((await analyseRun(folder, { profile: 'minicpmo-native' })).profile.name).toBe('minicpmo-native')
  })

  it('of an unknown profile needs to be told one', async () => {
    await expect(analyseRun(await folderOf({ manifest: { profile: 'unheard-of' } }))).rejects.toMatchObject({
      code: 'PROFILE_UNKNOWN',
    })
  })

  it('that does not say how many sessions were asked for needs to be told', async () => {
    const folder = await folderOf({ manifest: { config: {} } })
    await expect(analyseRun(folder)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
    expect((await analyseRun(folder, { concurrency: 3 })).row.concurrency).toBe(3)
  })

  it.each([
    { name: 'input', file: 'samples/speech/two/input/input.pcm' },
    { name: 'trace', file: 'samples/speech/two/input/continuous.jsonl' },
  ])('a session whose $name is gone stays in the denominators', async ({ file }) => {
    const { row } = await analyseRun(await folderOf({}, [file]))
    expect(row).toMatchObject({ sessions_attempted: 2, sessions_failed: 1, units_expected: 2, units_missed: 1 })
  })

  it('a session of which every file is gone counts with the input that the books name', async () => {
    const books = {
      samples: ['one', 'gone'].map((id) => ({
        id,
        variants: { input: { directory: `samples/speech/${id}/input`, status: 'pass', input: { duration_s: 2.5 } } },
      })),
    }
    const { row } = await analyseRun(await folderOf({ books }))
    expect(row).toMatchObject({ sessions_attempted: 2, sessions_failed: 1, units_expected: 4, units_missed: 3 })
  })

  it('a run that was interrupted is invalid', async () => {
    const { row } = await analyseRun(await folderOf({ books: { status: 'interrupted' } }))
    expect(row).toMatchObject({ valid: false, overall_verdict: 'invalid' })
  })

  it('a retry limit of its own is the one its traces are judged by', async () => {
    const sessions = { one: { refusals: 2 } }
    const manifest = (admission_retries: number) => ({
      config: { load: { concurrency: 1 }, transport: { admission_retries, input_send_receipts: true } },
    })
    const allowed = await analyseRun(await folderOf({ sessions, manifest: manifest(2) }))
    const exceeded = await analyseRun(await folderOf({ sessions, manifest: manifest(1) }))
    expect(allowed.row).toMatchObject({ sessions_succeeded: 1, admission_retries: 2 })
    expect(exceeded.sessions[0]?.reasons[0]).toMatch(/^C6 /)
  })

  it('a folder that holds a sweep and no level is refused', async () => {
    const folder = await folderOf()
    await expect(analyseRun(join(folder, '..'))).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
  })
})
