/** One side of a comparison from disk: the levels of a sweep, or one level, every figure computed anew from its traces. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, UserError } from '../../base/errors.js'
import { INPUT_FILE } from '../../capture/run-manifest.js'
import type { SessionEntry } from '../../capture/run-reader.io.js'
import { UNIFIED_FILE, UNIFIED_ROWS_FILE } from '../../quality/unified/unified-files.io.js'
import type { AnalysedRun } from '../analyse-run.io.js'
import { readSweepManifest } from '../output-folder.io.js'
import type { ScoredCapture } from '../quality-result.js'
import { readLevels } from '../read-levels.io.js'
import { QUALITY_FOLDER } from '../run-sweep.io.js'
import { SWEEP_MANIFEST_FILE } from '../sweep-manifest.js'
import type { ComparedRun, ComparedSide, SweepConditions } from './compared-run.js'
import { parseScoredLevel } from './scored-level.js'

/**
 * @param directory output folder of a sweep, or the folder of one level
 * @param onNote told which levels are left out, and why
 * @throws UserError USAGE for a file, FILE_UNREADABLE or RUN_UNREADABLE for a folder without recorded levels,
 *   RESULT_UNREADABLE for scores that cannot be read
 */
export async function readSide(directory: string, onNote: (note: string) => void): Promise<ComparedSide> {
  if (await isFile(directory)) {
    throw new UserError({
      code: 'USAGE',
      message: `${directory} is a file; a comparison is computed from the recordings themselves`,
      fix: 'give the output folder of the sweep, which holds sweep.json and the levels',
    })
  }
  const isSweep = await isFile(join(directory, SWEEP_MANIFEST_FILE))
  const runs: ComparedRun[] = []
  for (const analysed of await readLevels({ folders: [directory], onNote })) {
    runs.push({ analysed, inputs: await inputHashes(analysed), scored: await scoresOf(analysed) })
  }
  return { name: basename(resolve(directory)), runs, sweep: isSweep ? await conditionsOf(directory) : undefined }
}

async function conditionsOf(sweep: string): Promise<SweepConditions> {
  const { config, host } = await readSweepManifest(sweep)
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown')
  return {
    order: config.order,
    warmUpSessions: config.warm_up_sessions,
    levels: config.levels,
    host: `${text(host.cpus)} x ${text(host.cpu_model)}, ${text(host.platform)} ${text(host.arch)}`,
  }
}

async function inputHashes({ run }: AnalysedRun): Promise<Map<string, string | null>> {
  const hashes = new Map<string, string | null>()
  for (const entry of run.sessions) hashes.set(entry.name, await inputHash(entry))
  return hashes
}

async function inputHash({ directory, problem }: SessionEntry): Promise<string | null> {
  if (problem !== undefined) return null
  try {
    return createHash('sha256')
      .update(await readFile(join(directory, INPUT_FILE)))
      .digest('hex')
  } catch {
    return null
  }
}

/** Where a sweep with `--quality` leaves them; undefined where there are none. */
async function scoresOf({ run }: AnalysedRun): Promise<ScoredCapture | undefined> {
  const tree = join(dirname(resolve(run.directory)), QUALITY_FOLDER, run.name)
  if (!(await isFile(join(tree, UNIFIED_FILE)))) return undefined
  try {
    const [result, rows] = await Promise.all([
      readFile(join(tree, UNIFIED_FILE), 'utf8'),
      readFile(join(tree, UNIFIED_ROWS_FILE), 'utf8'),
    ])
    const scored = parseScoredLevel({ result, rows })
    if (typeof scored !== 'string') return scored
    throw new Error(scored)
  } catch (thrown) {
    throw new UserError({
      code: 'RESULT_UNREADABLE',
      message: `the quality of ${run.name} in ${tree} cannot be read: ${messageOf(thrown)}`,
      fix: 'score the level again, or remove that folder to compare without quality',
    })
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  )
}
