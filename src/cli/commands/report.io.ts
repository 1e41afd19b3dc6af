/** `floorload report`: the same table from recorded runs, ours or another recorder's; the same bytes for the same runs. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { decidingMargins, qualitySettingsSchema } from '../../profile/quality-settings.js'
import { type Gate, gateSchema } from '../../profile/sweep-file.js'
import { RENDERED_FILES, renderedFiles } from '../../report/rendered-files.js'
import { terminalReport } from '../../report/terminal-report.js'
import type { AnalysedRun, EvaluationOverrides } from '../../sweep/analyse-run.io.js'
import { openLevelScorer } from '../../sweep/level-scorer.io.js'
import type { ScoredCapture } from '../../sweep/quality-result.js'
import { readLevels } from '../../sweep/read-levels.io.js'
import { QUALITY_FOLDER } from '../../sweep/run-sweep.io.js'
import { type QualityInput, servingResult } from '../../sweep/serving-result.js'
import { interruptSignal } from '../interrupt.io.js'
import { collect, parseCount, parseNumber } from '../parse.js'
import { addQualityFlags, type QualityFlags, qualitySettings } from '../quality-flags.js'
import { note, print, tableStyleFor } from '../terminal.io.js'

interface ReportFlags extends EvaluationOverrides, QualityFlags {
  readonly run: string[]
  readonly output?: string
  readonly json?: boolean
}

export function reportCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command('report')
    .description('rebuild the level table from recorded runs, without a server')
    .requiredOption('--run <dir>', 'a level, or the output folder of a whole sweep; may be repeated', collect)
    .option('--output <file>', 'write serving.json here, SERVING.md and report.html beside it')
    .option('--profile <name|file>', 'judge by this profile instead of the recorded one')
    .option('--concurrency <n>', 'sessions requested at once, where a recording does not say', parseCount(1))
    .option('--reserve-ms <ms>', 'playback reserve for underruns', parseNumber({ minimum: 0, maximum: 60_000 }))
    .option(
      '--unit-miss-rate-max <rate>',
      'target: highest share of missed units',
      parseNumber({ minimum: 0, maximum: 1 }),
    )
    .option('--rtf-p90-below <factor>', 'target of turn-based servers', parseNumber({ minimum: 0.01 }))
    .option('--json', 'print serving.json')
    .action(async (flags: ReportFlags) => {
      onExit(await report(flags))
    })
  return addQualityFlags(command)
}

async function report(flags: ReportFlags): Promise<ExitCode> {
  const { signal, dispose } = interruptSignal('writing nothing')
  try {
    return await rebuild(flags, signal)
  } catch (thrown) {
    if (signal.aborted) return EXIT.interrupted
    throw thrown
  } finally {
    dispose()
  }
}

async function rebuild(flags: ReportFlags, signal: AbortSignal): Promise<ExitCode> {
  if (flags.output !== undefined && RENDERED_FILES.some((name) => name === basename(flags.output ?? ''))) {
    throw new UserError({
      code: 'USAGE',
      message: `--output ${flags.output}: ${basename(flags.output)} is written beside the result`,
      fix: 'give the name of the JSON file, such as serving.json',
    })
  }
  const runs = await readLevels({ folders: flags.run, overrides: flags, onNote: note, signal })
  const quality = await scoresOf(runs, flags, signal)
  const result = servingResult({ runs, toolVersion: toolVersion(), gate: commonGate(runs), quality })
  if (flags.output !== undefined) {
    await writeFileWhole(flags.output, jsonText(result))
    for (const [name, text] of Object.entries(renderedFiles(result, runs))) {
      await writeFileWhole(join(dirname(flags.output), name), text)
    }
  }
  print(flags.json === true ? jsonText(result) : terminalReport(result, tableStyleFor(process.stdout)))
  return result.levels.some(({ valid }) => valid) ? EXIT.ok : EXIT.notMeasured
}

/**
 * Scores of all runs, where they are asked for. Windows and scores go into `quality/` beside the result; without one, into a
 * folder that is removed again.
 */
async function scoresOf(
  runs: readonly AnalysedRun[],
  flags: ReportFlags,
  signal: AbortSignal,
): Promise<QualityInput | undefined> {
  const recorded = commonSetting(runs, ({ run }) => qualitySettingsSchema.safeParse(run.quality).data)
  const settings = qualitySettings(flags.quality === true ? recorded : undefined, flags)
  if (settings === undefined) return undefined
  const scorer = await openLevelScorer(settings, { keyVariable: flags.asrKeyEnv })
  const temporary = flags.output === undefined ? await mkdtemp(join(tmpdir(), 'floorload-quality-')) : undefined
  const folder = temporary ?? join(dirname(flags.output ?? '.'), QUALITY_FOLDER)
  const scores = new Map<string, ScoredCapture>()
  const failures = new Map<string, string>()
  let firstFailure: UserError | undefined
  try {
    for (const { run } of runs) {
      // Runs of several sweeps may bear one name.
      const isShared = runs.filter((other) => other.run.name === run.name).length > 1
      const name = isShared ? `${basename(dirname(resolve(run.directory)))}-${run.name}` : run.name
      try {
        scores.set(run.directory, await scorer.score({ run: run.directory, tree: join(folder, name), signal }))
      } catch (thrown) {
        if (signal.aborted || !(thrown instanceof UserError)) throw thrown
        firstFailure ??= thrown
        failures.set(run.directory, thrown.message)
      }
    }
  } finally {
    await scorer.close()
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
  // As in a sweep, a level that cannot be scored is said; with none that can, there is no answer to what was asked.
  if (scores.size === 0 && firstFailure !== undefined) throw firstFailure
  return { scores, failures, margins: decidingMargins(settings), seed: commonSetting(runs, ({ run }) => run.seed) ?? 0 }
}

/** The gate that all runs were recorded under; none when they differ. */
function commonGate(runs: readonly AnalysedRun[]): Gate | undefined {
  return commonSetting(runs, ({ run }) => gateSchema.safeParse(run.gate).data)
}

function commonSetting<T>(runs: readonly AnalysedRun[], of: (analysed: AnalysedRun) => T): T | undefined {
  const settings = runs.map(of)
  const first = settings[0]
  return settings.every((setting) => JSON.stringify(setting) === JSON.stringify(first)) ? first : undefined
}
