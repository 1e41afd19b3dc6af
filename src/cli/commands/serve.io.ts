/** `floorload serve`: the loopback server, stand-alone. */
import { Command } from 'commander'
import { EXIT, type ExitCode, UserError } from '../../base/errors.js'
import { describeProblems } from '../../base/schema.js'
import { acceleratorSettings, jobMs, loopbackOptionsSchema } from '../../loopback/options.js'
import { startLoopbackServer } from '../../loopback/server.io.js'
import { loadProfile } from '../../profile/load-profile.io.js'
import { addLoopbackFlags, loopbackOptionsOf } from '../loopback-flags.js'

const DEFAULT_PORT = 8099

export function serveCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command('serve')
    .description('run the built-in loopback server: real sockets and protocol, a simulated accelerator')
    .option('--profile <name|file>', 'kind of server to be', 'minicpmo-native')
  return addLoopbackFlags(command).action(async (flags: { profile: string } & Record<string, unknown>) => {
    const profile = await loadProfile(flags.profile)
    const options = { port: DEFAULT_PORT, ...loopbackOptionsOf(flags) }
    const problems = describeProblems(loopbackOptionsSchema, options)
    if (problems !== undefined) throw new UserError({ code: 'USAGE', message: problems })
    const server = await startLoopbackServer({ profile, options })
    const parsed = loopbackOptionsSchema.parse(options)
    const { baseMs, perUnitMs } = acceleratorSettings(parsed, jobMs(profile, parsed))
    // Before anybody can know the address: whoever reads it may send the signal at once.
    const hasEnded = untilSignal()
    process.stdout.write(
      `${profile.name} on ${server.url}, simulated accelerator: ${baseMs} ms + ${perUnitMs} ms a ${profile.protocol === 'native' || profile.protocol === 'vllm-duplex' ? 'unit' : 'reply chunk'} (Ctrl-C ends it)\n`,
    )
    await hasEnded
    await server.close()
    onExit(EXIT.ok)
  })
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
