/** `floorload gate`: a verdict and an exit code for a pipeline, from a `serving.json`. */
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { type ExitCode, messageOf, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { describeProblems } from '../../base/schema.js'
import { type Gate, gateSchema } from '../../profile/sweep-file.js'
import { checkLines } from '../../report/gate-lines.js'
import { exitCodeOfGate, judgeGate } from '../../sweep/gate.js'
import { gateFileOf } from '../../sweep/gate-file.js'
import { type GateFlags, gateWithFlags } from '../gate-flags.js'
import { collect, parseCount } from '../parse.js'
import { addPipelineOptions, type PipelineFlags, writePipelineReports } from '../pipeline-reports.io.js'
import { print } from '../terminal.io.js'

interface GateCommandFlags extends GateFlags, PipelineFlags {
  readonly ignoreRecorded?: boolean
  readonly profile?: string
  readonly json?: boolean
}

export function gateCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command('gate')
    .description('pass or fail a release on a measured result: exit 0, 1, or 3 where the data cannot say')
    .argument('<serving.json>', 'a result of sweep or report')
    .option(
      '--gate <expression>',
      'a check such as "unit_miss_rate@8 < 1%", beside those of the sweep file; may be repeated',
      collect,
    )
    .option('--ignore-recorded', 'leave out the gate of the sweep file: judge by the flags alone')
    .option(
      '--min-capacity <n>',
      'the capacity that has to be there; default: the gate of the sweep file',
      parseCount(1),
    )
    .option('--strict', 'the strict campaign rule instead of the targets')
    .option('--runs <n>', 'runs of each level of the gate that must be there and pass', parseCount(1))
    .option('--confident', 'ask that the capacity is shown with 95% confidence')
    .option('--profile <name>', 'which profile, in a result of several')
    .option('--json', 'print the verdict as JSON')
  return addPipelineOptions(command).action(async (file: string, flags: GateCommandFlags) => {
    const { result, recordedGate } = gateFileOf(await textOf(file), file, flags.profile)
    const gate = gateOf(recordedGate, flags)
    const judged = judgeGate(result.levels, gate, result.profiles[0]?.quality?.capacity ?? null)
    await writePipelineReports(
      { ...result, gate: judged },
      { ...flags, githubAnnotations: flags.githubAnnotations === true || process.env.GITHUB_ACTIONS === 'true' },
    )
    if (flags.json === true) print(jsonText(judged))
    else print([`Gate: ${judged.verdict}: ${judged.reason}`, ...checkLines(judged)].join('\n'))
    onExit(exitCodeOfGate(judged))
  })
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    throw new UserError({
      code: 'FILE_UNREADABLE',
      message: `cannot read ${file}: ${messageOf(thrown)}`,
      fix: 'give the serving.json of a sweep',
    })
  }
}

/** The recorded gate with the flags laid over it. */
function gateOf(recorded: Gate | undefined, flags: GateCommandFlags): Gate {
  const gate = gateWithFlags(flags.ignoreRecorded === true ? undefined : recorded, flags)
  if (gate === undefined) {
    const isIgnored = flags.ignoreRecorded === true && recorded !== undefined
    throw new UserError({
      code: 'USAGE',
      message: isIgnored ? '--ignore-recorded leaves no gate' : 'the result was recorded without a gate',
      fix: 'say what has to hold with --gate EXPRESSION or --min-capacity N',
    })
  }
  const problems = describeProblems(gateSchema, gate)
  if (problems !== undefined) throw new UserError({ code: 'USAGE', message: `the gate cannot be judged: ${problems}` })
  return gateSchema.parse(gate)
}
