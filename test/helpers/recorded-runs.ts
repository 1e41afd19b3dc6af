/** Runs as they stand on disk, and as they are once analysed. */
import { join } from 'node:path'
import { type AnalysedRun, analyseRun } from '../../src/sweep/analyse-run.io.js'
import { NATIVE } from './measured-levels.js'
import { BuiltSession, type SessionPlan } from './session-builder.js'
import { type FileTree, temporaryFolder, writeTree } from './temp-folders.js'

export interface RunPlan {
  /** Name of the folder. */
  readonly name: string
  readonly concurrency: number
  readonly repeat?: number
  /** By session name; what is absent is that of a good native session of one second. */
  readonly sessions: Readonly<Record<string, Partial<SessionPlan>>>
  readonly manifest?: object
  readonly load?: object
  readonly books?: object
}

/** Files of a run in the field's layout. */
export function runFiles(plan: RunPlan): FileTree {
  const files: Record<string, string | Uint8Array | object> = {}
  const samples = Object.entries(plan.sessions).map(([name, session]) => {
    const built = new BuiltSession({ profile: NATIVE, inputSamples: 16_000, name, ...session })
    const directory = `samples/speech/${name}/input`
    files[`${directory}/continuous.jsonl`] = built.traceText
    files[`${directory}/input-send-receipts.json`] = built.receiptsText
    files[`${directory}/input.pcm`] = built.inputPcm
    return { id: name, variants: { input: { directory, status: 'pass' } } }
  })
  const load = { concurrency: plan.concurrency, repeat: plan.repeat ?? 1, policy: 'pool', ...plan.load }
  files['manifest.json'] = { profile: 'minicpmo-native', config: { load }, ...plan.manifest }
  files['run.json'] = { status: 'complete', samples, ...plan.books }
  return files
}

/** Writes runs below one temporary folder and analyses them. */
export async function analysedRuns(plans: readonly RunPlan[]): Promise<AnalysedRun[]> {
  const root = await temporaryFolder()
  return Promise.all(
    plans.map(async (plan) => {
      await writeTree(join(root, plan.name), runFiles(plan))
      return analyseRun(join(root, plan.name))
    }),
  )
}
