/** `floorload probe`: can the server be reached, what does it say of itself, and does one session work? */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { EXIT, type ExitCode } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { redactUrl } from '../../base/redact.js'
import { loadProfile } from '../../profile/load-profile.io.js'
import type { Profile } from '../../profile/profile.js'
import { withSessionSettings } from '../../profile/session-settings.js'
import { SWEEP_SCHEMA_NAME, sweepFileSchema } from '../../profile/sweep-file.js'
import { checkCapabilities } from '../../sweep/capabilities.js'
import { loadInputs } from '../../sweep/inputs.io.js'
import { capabilitiesOf, ensureReachable, fetchBeside, type ServerAddress } from '../../sweep/reach.io.js'
import { runSweep } from '../../sweep/run-sweep.io.js'
import { interruptSignal } from '../interrupt.io.js'
import { collect, parseJson, parseJsonObject } from '../parse.js'
import { serverAddress } from '../server-address.js'
import { print } from '../terminal.io.js'

interface ProbeFlags {
  readonly url: string
  readonly profile: string
  readonly header?: string[]
  readonly model?: string
  readonly apiKeyEnv?: string
  readonly turnDetection?: Record<string, unknown> | null
  readonly session?: Record<string, unknown>
  readonly json?: boolean
}

const PATHS = { capabilities: '/v1/realtime/capabilities', models: '/v1/models', health: '/health' }

export function probeCommand(onExit: (code: ExitCode) => void): Command {
  return new Command('probe')
    .description('reach a server, read what it says of itself, and run one session')
    .requiredOption('--url <url>', 'the server, such as ws://HOST:8099/v1/realtime')
    .option('--profile <name|file>', 'kind of server', 'minicpmo-native')
    .option('--header <"Name: value">', 'sent with the upgrade, stored nowhere; may be repeated', collect)
    .option('--turn-detection <json>', 'turn detector of the server; required by turn-based profiles', parseJson)
    .option('--session <json>', 'laid over the profile’s session object', parseJsonObject)
    .option('--model <name>', 'put into the query of the URL')
    .option('--api-key-env <name>', 'environment variable whose value is sent as a bearer token')
    .option('--json', 'print what was found as JSON')
    .action(async (flags: ProbeFlags) => {
      onExit(await probe(flags))
    })
}

async function probe(flags: ProbeFlags): Promise<ExitCode> {
  const server = serverAddress(flags)
  const profile = withSessionSettings(await loadProfile(flags.profile), {
    session: flags.session,
    turnDetection: flags.turnDetection,
  })
  await ensureReachable(server)
  checkCapabilities(profile, await capabilitiesOf(server, profile), [1])
  const documents = await Promise.all(
    Object.entries(PATHS).map(async ([name, path]) => [name, await fetchBeside(server, path)] as const),
  )
  const session = await oneSession(profile, server)
  const found = { url: redactUrl(server.url), profile: profile.name, ...Object.fromEntries(documents), session }
  if (flags.json === true) print(jsonText(found))
  else {
    print(`${found.url}: reachable, the WebSocket handshake works`)
    for (const [name, document] of documents) {
      print(`${name}: ${'error' in document ? document.error : `HTTP ${document.status} ${shortText(document.body)}`}`)
    }
    print(session.passed ? `one ${profile.name} session: pass` : `one ${profile.name} session: fail`)
    for (const reason of session.reasons) print(`  ${reason}`)
    const lag = session.unit_lag_s
    if (lag !== null) {
      const ms = (seconds: number) => Math.round(seconds * 1000)
      print(`unit lag: p50 ${ms(lag.p50)} ms, max ${ms(lag.max)} ms, of ${lag.n} units`)
    }
  }
  return session.passed ? EXIT.ok : EXIT.notMeasured
}

/** One session with one built-in clip, recorded into a folder that is thrown away. */
async function oneSession(profile: Profile, server: ServerAddress) {
  const config = sweepFileSchema.parse({
    schema: SWEEP_SCHEMA_NAME,
    name: 'probe',
    levels: [1],
    sessions: { count: 1 },
    warm_up_sessions: 0,
  })
  const inputs = await loadInputs(config.inputs, profile, () => undefined)
  const folder = await mkdtemp(join(tmpdir(), 'floorload-probe-'))
  const interrupt = interruptSignal()
  try {
    const { runs } = await runSweep({
      config,
      profile,
      inputs,
      server,
      output: folder,
      isResumed: false,
      signal: interrupt.signal,
      events: {},
      render: () => ({}),
    })
    const facts = runs[0]?.sessions[0]
    return {
      passed: facts?.hasSucceeded ?? false,
      reasons: facts?.reasons.slice(0, 8) ?? ['the session was interrupted'],
      unit_lag_s: runs[0]?.row.unit_lag_s ?? null,
    }
  } finally {
    interrupt.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

function shortText(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const line = (text ?? '').replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 297)}...` : line
}
