/**
 * `floorload demo`: the main job with nothing else at hand. The loopback server runs in its own process, a sweep runs
 * against it over real sockets with built-in speech, and the capacity it finds stands beside the one predicted on paper.
 */
import { existsSync, readdirSync } from 'node:fs'
import { Command } from 'commander'
import type { ExitCode } from '../../base/errors.js'
import { predictCapacity } from '../../loopback/predict.js'
import { startServeProcess } from '../../loopback/serve-client.io.js'
import { loadProfile } from '../../profile/load-profile.io.js'
import { PACKET_MS } from '../../profile/profile.js'
import { SWEEP_SCHEMA_NAME, sweepFileSchema } from '../../profile/sweep-file.js'
import { loadInputs } from '../../sweep/inputs.io.js'
import { ensureOutputIsFree } from '../../sweep/output-folder.io.js'
import { interruptSignal } from '../interrupt.io.js'
import { addLoopbackFlags, loopbackOptionsOf } from '../loopback-flags.js'
import { sweepAndReport } from '../sweep-and-report.io.js'
import { print } from '../terminal.io.js'

/** Chosen so that the knee lies between two levels with room on both sides: docs/loopback.md, "The knee on paper". */
const ACCELERATOR = { baseMs: 80, perUnitMs: 140, jitter: 0.02 }
const LEVELS = [1, 2, 4, 8]
const SESSIONS_PER_SLOT = 3
/**
 * With quality: the lowest level is the baseline, and 36 labelled samples one after the other would take four minutes. Twelve
 * samples of each kind can show no smaller margin than this for shares; patience as the clips are laid out for.
 */
const QUALITY_LEVELS = [2, 4, 8]
const QUALITY_MARGINS = { pause_intrusion_rate: 0.25, early_start_rate: 0.25, response_rate_2s: 0.25 }
const PATIENCE_MS = 700

interface DemoFlags {
  readonly output?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly laterMs?: number
  readonly jumpierMs?: number
  readonly quality?: boolean
}

export function demoCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command('demo')
    .description('sweep 1, 2, 4, 8 sessions against the built-in server and name its capacity, in under two minutes')
    .option('--quality', 'pair capacity with conversation quality: labelled speech at levels 2, 4, 8, in four minutes')
    .option('--output <dir>', 'folder for results and traces (default: floorload-demo, numbered where that is taken)')
    .option('--json', 'print serving.json instead of the table')
    .option('--quiet', 'no progress')
  return addLoopbackFlags(command, ['laterMs', 'jumpierMs']).action(async (flags: DemoFlags) => {
    onExit(await demo(flags))
  })
}

async function demo(flags: DemoFlags): Promise<ExitCode> {
  const output = flags.output ?? freeFolder('floorload-demo')
  await ensureOutputIsFree(output)
  const profile = await loadProfile('minicpmo-native')
  const levels = flags.quality === true ? QUALITY_LEVELS : LEVELS
  const config = sweepFileSchema.parse({
    schema: SWEEP_SCHEMA_NAME,
    name: 'demo',
    profile: profile.name,
    levels,
    ...(flags.quality === true
      ? { inputs: { kind: 'built-in-turns' }, sessions: 'all', quality: { margins: QUALITY_MARGINS } }
      : { sessions: { per_slot: SESSIONS_PER_SLOT } }),
  })
  const { baseMs, perUnitMs } = ACCELERATOR
  const unitMs = profile.unit_ms ?? 0
  const predicted = predictCapacity({
    unitMs,
    accelerator: ACCELERATOR,
    phases: 'any',
    levels,
    packetMs: PACKET_MS,
  })
  if (flags.json !== true) {
    print(
      `floorload demo: the built-in ${profile.name} server (real sockets, real speech, SIMULATED accelerator:\n` +
        `a batch of n units takes ${baseMs} + ${perUnitMs}n ms, a unit lasts ${unitMs} ms), levels ${levels.join(', ')}; about ${flags.quality === true ? '4 minutes' : '80 s'}.`,
    )
  }
  const interrupt = interruptSignal()
  const inputs = await loadInputs(config.inputs, profile, () => undefined)
  const server = await startServeProcess(profile, {
    ...ACCELERATOR,
    port: 0,
    ...(flags.quality === true ? { replyAfterSilenceMs: PATIENCE_MS } : {}),
    ...loopbackOptionsOf({ ...flags }),
  })
  const footer = [
    `Predicted on paper: ${predicted.atLeast ?? 'none'}, because ${2 * baseMs} + ${perUnitMs} x ${predicted.atLeast} ms fit into a unit and ${baseMs} + ${perUnitMs} x ${levels.find((level) => level > (predicted.atMost ?? 0))} ms do not. A simulated accelerator says nothing of any GPU.`,
  ]
  try {
    return await sweepAndReport(
      { config, profile, inputs, server: { url: server.url, headers: {} }, output, isResumed: false },
      { ...flags, footer },
      interrupt,
    )
  } finally {
    server.stop()
  }
}

/** `name`, or `name-2`, `name-3`, … where that folder holds something. */
function freeFolder(name: string): string {
  const isTaken = (path: string) => existsSync(path) && readdirSync(path).length > 0
  let path = name
  for (let count = 2; isTaken(path); count += 1) path = `${name}-${count}`
  return path
}
