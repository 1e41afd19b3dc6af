/** `floorload gate`: a verdict and an exit code for a pipeline, from a `serving.json`. */
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { type ExitCode, messageOf, UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { describeProblems } from '../../base/schema.js'
import type { LevelRow } from '../../metrics/level-row.js'
import { type Gate, gateSchema } from '../../profile/sweep-file.js'
import { exitCodeOfGate, judgeGate } from '../../sweep/gate.js'
import { SERVING_SCHEMA_NAME, servingFileSchema } from '../../sweep/serving-result.js'
import { parseCount } from '../parse.js'
import { print } from '../terminal.io.js'

interface GateFlags {
  readonly minCapacity?: number
  readonly strict?: boolean
  readonly runs?: number
  readonly confident?: boolean
  readonly profile?: string
  readonly json?: boolean
}

export function gateCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('gate')
    .description('pass or fail a release on a measured result: exit 0, 1, or 3 where the data cannot say')
    .argument('<serving.json>', 'a result of sweep or report')
    .option(
      '--min-capacity <n>',
      'the capacity that has to be there; default: the gate of the sweep file',
      parseCount(1),
    )
    .option('--strict', 'the strict campaign rule instead of the targets')
    .option('--runs <n>', 'runs of the level that must be there and pass', parseCount(1))
    .option('--confident', 'ask that it is shown with 95% confidence')
    .option('--profile <name>', 'which profile, in a result of several')
    .option('--json', 'print the verdict as JSON')
    .action(async (file: string, flags: GateFlags) => {
      const { rows, recordedGate } = await readServingFile(file, flags.profile)
      const gate = gateOf(recordedGate, flags)
      const result = judgeGate(rows, gate)
      print(flags.json === true ? jsonText(result) : `Gate: ${result.verdict}: ${result.reason}`)
      onExit(exitCodeOfGate(result))
    })
}

async function readServingFile(file: string, profile: string | undefined) {
  const fail = (message: string, fix: string) => new UserError({ code: 'RESULT_UNREADABLE', message, fix })
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== undefined) {
      throw new UserError({
        code: 'FILE_UNREADABLE',
        message: `cannot read ${file}: ${messageOf(thrown)}`,
        fix: 'give the serving.json of a sweep',
      })
    }
    throw fail(`${file} is not valid JSON`, 'give the serving.json of a sweep')
  }
  const parsed = servingFileSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw fail(
      `${file}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`,
      `it must be a result with the schema ${SERVING_SCHEMA_NAME}`,
    )
  }
  // The schema has checked what the gate reads; the other columns are not looked at.
  const rows = parsed.data.levels as unknown as LevelRow[]
  const names = [...new Set(rows.map((row) => row.profile))]
  if (profile === undefined && names.length > 1) {
    throw fail(`${file} holds several profiles (${names.join(', ')})`, 'choose one with --profile')
  }
  if (profile !== undefined && !names.includes(profile)) {
    throw new UserError({
      code: 'USAGE',
      message: `${file} holds no profile ${profile}; it holds ${names.join(', ') || 'none'}`,
      fix: 'correct --profile',
    })
  }
  return {
    rows: profile === undefined ? rows : rows.filter((row) => row.profile === profile),
    recordedGate: gateSchema.safeParse(parsed.data.gate?.gate).data,
  }
}

function gateOf(recorded: Gate | undefined, flags: GateFlags): Gate {
  const minCapacity = flags.minCapacity ?? recorded?.min_capacity
  if (minCapacity === undefined) {
    throw new UserError({
      code: 'USAGE',
      message: 'the result was recorded without a gate',
      fix: 'say what has to hold with --min-capacity N',
    })
  }
  const gate = {
    min_capacity: minCapacity,
    rule: flags.strict === true ? 'strict' : (recorded?.rule ?? 'targets'),
    runs: flags.runs ?? recorded?.runs ?? 1,
    confident: flags.confident ?? recorded?.confident ?? false,
  }
  const problems = describeProblems(gateSchema, gate)
  if (problems !== undefined) throw new UserError({ code: 'USAGE', message: `the gate cannot be judged: ${problems}` })
  return gateSchema.parse(gate)
}
