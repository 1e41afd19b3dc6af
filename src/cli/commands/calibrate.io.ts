/** `floorload calibrate`: how many sessions this host can drive, before anybody blames a server. */
import { Command, Option } from 'commander'
import { EXIT, type ExitCode } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { calibrationText, stepLine } from '../../report/calibration-table.js'
import { calibrate } from '../../sweep/calibration/calibrate.io.js'
import { calibrationPath, storeCalibration } from '../../sweep/calibration/calibration-file.io.js'
import { interruptSignal } from '../interrupt.io.js'
import { parseCount, parseNumber, parseSenders } from '../parse.js'
import { print } from '../terminal.io.js'

interface CalibrateFlags {
  readonly senders: number | 'auto'
  readonly transport: 'lean' | 'ws'
  readonly maxSessions?: number
  readonly replyShare: number
  readonly quick?: boolean
  readonly output?: string
  readonly json?: boolean
  readonly quiet?: boolean
}

export function calibrateCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('calibrate')
    .description('find how many sessions this host can drive on time, and keep it for the sweeps to come')
    .option('--senders <n|auto>', 'processes that send; auto leaves one core to the rest', parseSenders, 'auto')
    .addOption(new Option('--transport <name>', 'how sessions are sent').choices(['lean', 'ws']).default('lean'))
    .option('--max-sessions <n>', 'try no more than these', parseCount(1))
    .option(
      '--reply-share <share>',
      'share of the units that are answered with audio',
      parseNumber({ minimum: 0, maximum: 1 }),
      0.4,
    )
    .option('--quick', 'a coarse answer in about a minute')
    .option('--output <file>', 'keep the result there, and not where sweeps look for it')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'no progress')
    .action(async (flags: CalibrateFlags) => {
      onExit(await run(flags))
    })
}

async function run(flags: CalibrateFlags): Promise<ExitCode> {
  const { senders, transport, maxSessions, replyShare } = flags
  const interrupt = interruptSignal()
  try {
    const calibration = await calibrate({
      ...{ senders, transport, maxSessions, replyShare, signal: interrupt.signal },
      isQuick: flags.quick === true,
      onStep: (step) => {
        if (flags.quiet !== true) process.stderr.write(`${stepLine(step)}\n`)
      },
    })
    if (calibration === undefined) return EXIT.interrupted
    const path = flags.output ?? calibrationPath()
    await storeCalibration(path, calibration)
    if (flags.json === true) print(jsonText(calibration))
    else print(`${calibrationText(calibration)}\nKept in ${path}`)
    return calibration.host_limit.sessions > 0 ? EXIT.ok : EXIT.notMeasured
  } finally {
    interrupt.dispose()
  }
}
