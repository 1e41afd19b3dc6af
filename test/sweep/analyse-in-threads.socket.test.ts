import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AnalysedRun, analyseRun } from '../../src/sweep/analyse-run.io.js'
import { type RunPlan, runFiles } from '../helpers/recorded-runs.js'
import { temporaryFolder, writeTree } from '../helpers/temp-folders.js'

/** Threads run compiled code, so the compiled module is what is looked at; `npm test` has built it. */
const COMPILED = new URL('../../dist/sweep/', import.meta.url)

test('a level is the same whether its sessions are analysed in one thread or in several', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `s${String(index).padStart(2, '0')}`)
  const plan: RunPlan = {
    name: 'concurrency-60',
    concurrency: 60,
    sessions: Object.fromEntries(names.map((name) => [name, {}])),
  }
  const folder = join(await temporaryFolder(), plan.name)
  const files = { ...runFiles(plan) }
  // Some that fail, each in its own way.
  delete files['samples/speech/s07/input/continuous.jsonl']
  files['samples/speech/s31/input/input-send-receipts.json'] = '{'
  files['samples/speech/s59/input/continuous.jsonl'] = 'no line\n'
  await writeTree(folder, files)

  const here = await analyseRun(folder)
  const compiled: { analyseRun: typeof analyseRun } = await import(new URL('analyse-run.io.js', COMPILED).href)
  const { analyseSessions } = await import(new URL('analyse-sessions.io.js', COMPILED).href)
  const whole: AnalysedRun = await compiled.analyseRun(folder)
  expect(whole).toEqual(here)
  expect(here.row).toMatchObject({ sessions_attempted: 60, sessions_succeeded: 57 })

  const settings = { profile: here.profile, areReceiptsRequired: false, admissionRetryLimit: 3, reserveUs: 80_000 }
  const alone = await analyseSessions(here.run.sessions, settings, 1)
  const threads = await analyseSessions(here.run.sessions, settings, 2)
  expect(JSON.stringify(threads)).toBe(JSON.stringify(alone))
})
