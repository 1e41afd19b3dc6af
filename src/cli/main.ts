/**
 * The command line: argv to options, one library call, a printed result and an exit code. Results go to standard output,
 * progress and complaints to standard error. The only module that acts when it is called for.
 */
import { Command, CommanderError } from 'commander'
import { EXIT, type ExitCode, messageOf, UserError } from '../base/errors.js'
import { toolVersion } from '../base/version.io.js'
import { COMMANDS, chosenCommand, type ListedCommand } from './command-list.js'
import { errorLine } from './terminal.io.js'

/** @param argv as the process has it: the command that it names is loaded, of the others their place in the help */
export async function program(argv: readonly string[], onExit: (code: ExitCode) => void): Promise<Command> {
  const chosen = chosenCommand(argv.slice(2))
  const root = new Command('floorload')
    .description(
      'How many realtime speech conversations a server holds, and whether it keeps its deadlines at that load.',
    )
    .version(toolVersion())
    .showHelpAfterError(false)
    .configureHelp({
      sortSubcommands: false,
      subcommandTerm: (command) => [command.name(), '[options]', operandsOf(command)].join(' ').trim(),
    })
    .addHelpText(
      'after',
      `\nExit codes: 0 measured (and the gate passed), 1 a gate missed, 2 wrong usage or configuration,
3 not measured or undecided, 4 server unreachable or refused everything, 70 a defect of floorload, 130 interrupted.`,
    )
  for (const listed of COMMANDS) {
    root.addCommand(listed === chosen ? (await listed.load())(onExit) : placeholder(listed))
  }
  for (const command of [root, ...root.commands, ...root.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({
      // Commander's own messages become errors of ours, printed once, in one form.
      outputError: () => undefined,
    })
  }
  return root
}

function placeholder({ name, operands, description }: ListedCommand): Command {
  const command = new Command(name).description(description)
  return operands === '' ? command : command.arguments(operands)
}

function operandsOf(command: Command): string {
  return command.registeredArguments
    .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
    .join(' ')
}

/** Runs the command line and sets the exit code; never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  // Output that nobody reads any more (a closed pipe) changes neither the work nor its exit code.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  let exitCode: ExitCode = EXIT.ok
  try {
    const root = await program(argv, (code) => {
      exitCode = code
    })
    await root.parseAsync(argv)
  } catch (thrown) {
    exitCode = report(thrown)
  }
  process.exitCode = exitCode
}

function report(thrown: unknown): ExitCode {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return EXIT.ok
    // `floorload` without a command prints its help, which is an answer and not an error of form.
    if (thrown.code === 'commander.help') return EXIT.usage
    const text = thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
    process.stderr.write(errorLine({ message: text, code: 'USAGE', fix: 'see --help' }))
    return EXIT.usage
  }
  if (thrown instanceof UserError) {
    process.stderr.write(errorLine(thrown))
    return thrown.exitCode
  }
  const detail = thrown instanceof Error ? (thrown.stack ?? messageOf(thrown)) : messageOf(thrown)
  process.stderr.write(`internal error: this is a defect of floorload, please report it\n${detail}\n`)
  return EXIT.bug
}
