/** `floorload report`: the same table from recorded runs, ours or another recorder's; the same bytes for the same runs. */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Command } from 'commander'
import { writeFileWhole } from '../../base/atomic-file.io.js'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { type Gate, gateSchema } from '../../profile/sweep-file.js'
import { renderedFiles } from '../../report/rendered-files.js'
import { terminalReport } from '../../report/terminal-report.js'
import { type AnalysedRun, analyseRun, type EvaluationOverrides } from '../../sweep/analyse-run.io.js'
import { servingResult } from '../../sweep/serving-result.js'
import { SWEEP_MANIFEST_FILE } from '../../sweep/sweep-manifest.js'
import { collect, parseCount, parseNumber } from '../parse.js'
import { note, print, tableStyleFor } from '../terminal.io.js'

interface ReportFlags extends EvaluationOverrides {
  readonly run: string[]
  readonly output?: string
  readonly json?: boolean
}

export function reportCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('report')
    .description('rebuild the level table from recorded runs, without a server')
    .requiredOption('--run <dir>', 'a level, or the output folder of a whole sweep; may be repeated', collect)
    .option('--output <file>', 'write serving.json here, and SERVING.md beside it')
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
}

async function report(flags: ReportFlags): Promise<ExitCode> {
  if (flags.output !== undefined && basename(flags.output) in RENDERED_NAMES) {
    throw new UserError({
      code: 'USAGE',
      message: `--output ${flags.output}: ${basename(flags.output)} is written beside the result`,
      fix: 'give the name of the JSON file, such as serving.json',
    })
  }
  const directories = (await Promise.all(flags.run.map(levelsOf))).flat()
  const runs: AnalysedRun[] = []
  for (const directory of directories) {
    const analysed = await analyseRun(directory, flags)
    const { concurrency } = analysed.run
    if (flags.concurrency !== undefined && concurrency !== undefined && concurrency !== flags.concurrency) {
      throw new UserError({
        code: 'USAGE',
        message: `--concurrency ${flags.concurrency}: ${directory} was recorded with ${concurrency} sessions at once`,
        fix: 'leave it out: it is for recordings that do not say',
      })
    }
    if (analysed.run.isInterrupted && !flags.run.includes(directory))
      note(`${directory} was interrupted and is left out`)
    else if (analysed.run.role === 'warmup') note(`${directory} is a warm-up and is left out`)
    else runs.push(analysed)
  }
  if (runs.length === 0) {
    throw new UserError({
      code: 'RUN_UNREADABLE',
      message: 'no recorded level was found',
      fix: 'give the folder of a level with --run',
    })
  }
  const result = servingResult({ runs, toolVersion: toolVersion(), gate: commonGate(runs) })
  if (flags.output !== undefined) {
    await writeFileWhole(flags.output, jsonText(result))
    for (const [name, text] of Object.entries(renderedFiles(result))) {
      await writeFileWhole(join(dirname(flags.output), name), text)
    }
  }
  print(flags.json === true ? jsonText(result) : terminalReport(result, tableStyleFor(process.stdout)))
  return result.levels.some(({ valid }) => valid) ? EXIT.ok : EXIT.notMeasured
}

const RENDERED_NAMES: Readonly<Record<string, true>> = { 'SERVING.md': true }

/** A folder with `sweep.json` stands for the levels in it. */
async function levelsOf(directory: string): Promise<string[]> {
  const isSweep = await stat(join(directory, SWEEP_MANIFEST_FILE)).then(
    () => true,
    () => false,
  )
  if (!isSweep) return [directory]
  const names = (await readdir(directory)).filter((name) => /^concurrency-\d+(-r\d+)?$/.test(name))
  return names.map((name) => join(directory, name))
}

/** The gate that all runs were recorded under; none when they differ. */
function commonGate(runs: readonly AnalysedRun[]): Gate | undefined {
  const gates = runs.map(({ run }) => gateSchema.safeParse(run.gate).data)
  const first = gates[0]
  return gates.every((gate) => JSON.stringify(gate) === JSON.stringify(first)) ? first : undefined
}
