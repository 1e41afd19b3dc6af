/**
 * The commands, in the order in which the help shows them. A command's module brings all that it works with, so it is
 * loaded when the command is chosen; what the list of commands shows stands here, and a test holds both to the same words.
 */
import type { Command } from 'commander'
import type { ExitCode } from '../base/errors.js'

export type MakeCommand = (onExit: (code: ExitCode) => void) => Command

export interface ListedCommand {
  readonly name: string
  /** As its usage line shows them. */
  readonly operands: string
  readonly description: string
  readonly load: () => Promise<MakeCommand>
}

export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'demo',
    operands: '',
    description: 'sweep 1, 2, 4, 8 sessions against the built-in server and name its capacity, in under two minutes',
    load: async () => (await import('./commands/demo.io.js')).demoCommand,
  },
  {
    name: 'sweep',
    operands: '[sweep]',
    description: 'run concurrency levels against a realtime server and name its capacity',
    load: async () => (await import('./commands/sweep.io.js')).sweepCommand,
  },
  {
    name: 'calibrate',
    operands: '',
    description: 'find how many sessions this host can drive on time, and keep it for the sweeps to come',
    load: async () => (await import('./commands/calibrate.io.js')).calibrateCommand,
  },
  {
    name: 'report',
    operands: '',
    description: 'rebuild the level table from recorded runs, without a server',
    load: async () => (await import('./commands/report.io.js')).reportCommand,
  },
  {
    name: 'gate',
    operands: '<serving.json>',
    description: 'pass or fail a release on a measured result: exit 0, 1, or 3 where the data cannot say',
    load: async () => (await import('./commands/gate.io.js')).gateCommand,
  },
  {
    name: 'compare',
    operands: '<old> <new>',
    description: 'did the release get worse? two recorded sweeps side by side, every difference with its interval',
    load: async () => (await import('./commands/compare.io.js')).compareCommand,
  },
  {
    name: 'verify',
    operands: '<run>',
    description:
      'judge the recorded sessions of a level by the numbered checks of their protocol; exit 1 when one fails',
    load: async () => (await import('./commands/verify.io.js')).verifyCommand,
  },
  {
    name: 'export',
    operands: '',
    description: 'write the observation window of every recorded session, for scorers',
    load: async () => (await import('./commands/export.io.js')).exportCommand,
  },
  {
    name: 'tables',
    operands: '',
    description:
      'write sessions, units, replies and senders of recorded runs as CSV and Parquet, and distributions as HDR logs',
    load: async () => (await import('./commands/tables.io.js')).tablesCommand,
  },
  {
    name: 'score',
    operands: '<tree>',
    description: 'turn-taking scores of an exported tree: pauses, turns, interruptions',
    load: async () => (await import('./commands/score.io.js')).scoreCommand,
  },
  {
    name: 'probe',
    operands: '',
    description: 'reach a server, read what it says of itself, and run one session',
    load: async () => (await import('./commands/probe.io.js')).probeCommand,
  },
  {
    name: 'serve',
    operands: '',
    description: 'run the built-in loopback server: real sockets and protocol, a simulated accelerator',
    load: async () => (await import('./commands/serve.io.js')).serveCommand,
  },
  {
    name: 'profiles',
    operands: '',
    description: 'list the shipped profiles',
    load: async () => (await import('./commands/profiles.io.js')).profilesCommand,
  },
  {
    name: 'datasets',
    operands: '',
    description: 'list the datasets that floorload knows, or check a download of one',
    load: async () => (await import('./commands/datasets.io.js')).datasetsCommand,
  },
]

/**
 * Which command an argument list is about: its first word, or with `help` the one after it. Undefined where there is none
 * or nobody knows it. The program itself has no options that take a value.
 * @param words without the names of the runtime and of the program
 */
export function chosenCommand(words: readonly string[]): ListedCommand | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'))
  const name = first === 'help' ? second : first
  return COMMANDS.find((command) => command.name === name)
}
