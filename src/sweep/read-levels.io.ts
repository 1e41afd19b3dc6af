/** Recorded levels from disk, analysed: single ones by name, and a sweep's folder for all that it finished. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import { type AnalysedRun, analyseRun, type EvaluationOverrides } from './analyse-run.io.js'
import { SWEEP_MANIFEST_FILE } from './sweep-manifest.js'

export interface ReadLevelsOptions {
  /** Folders of levels or sweeps. */
  readonly folders: readonly string[]
  readonly overrides?: EvaluationOverrides
  /** Told which levels are left out, and why. */
  readonly onNote: (note: string) => void
  readonly signal?: AbortSignal | undefined
}

/**
 * Warm-ups are left out, and levels of a sweep that were interrupted; an interrupted level that is named itself is not.
 * @throws UserError RUN_UNREADABLE where no level is left, USAGE where the concurrency given contradicts a recording,
 *   and what `analyseRun` throws; the signal's reason when it is aborted
 */
export async function readLevels(options: ReadLevelsOptions): Promise<AnalysedRun[]> {
  const { folders, overrides = {}, onNote, signal } = options
  const directories = (await Promise.all(folders.map(levelsOf))).flat()
  const runs: AnalysedRun[] = []
  for (const directory of directories) {
    signal?.throwIfAborted()
    const analysed = await analyseRun(directory, overrides)
    const { concurrency } = analysed.run
    if (overrides.concurrency !== undefined && concurrency !== undefined && concurrency !== overrides.concurrency) {
      throw new UserError({
        code: 'USAGE',
        message: `--concurrency ${overrides.concurrency}: ${directory} was recorded with ${concurrency} sessions at once`,
        fix: 'leave it out: it is for recordings that do not say',
      })
    }
    if (analysed.run.isInterrupted && !folders.includes(directory)) {
      onNote(`${directory} was interrupted and is left out`)
    } else if (analysed.run.role === 'warmup') onNote(`${directory} is a warm-up and is left out`)
    else runs.push(analysed)
  }
  if (runs.length === 0) {
    throw new UserError({
      code: 'RUN_UNREADABLE',
      message: `${folders.join(', ')} holds no finished level`,
      fix: 'give the folder of a level, or the output folder of a sweep',
    })
  }
  return runs
}

/** A folder with `sweep.json` stands for the levels in it. */
async function levelsOf(directory: string): Promise<string[]> {
  const isSweep = await stat(join(directory, SWEEP_MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
  if (!isSweep) return [directory]
  const names = (await readdir(directory)).filter((name) => /^concurrency-\d+(-r\d+)?$/.test(name)).sort()
  return names.map((name) => join(directory, name))
}
