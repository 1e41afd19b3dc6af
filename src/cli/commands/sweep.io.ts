/** `floorload sweep`: levels against a server, a table, a capacity, and an exit code. */
import { Command } from 'commander'
import { type ExitCode, UserError } from '../../base/errors.js'
import { detectFdb } from '../../dataset/fdb-folder.io.js'
import { loadProfile } from '../../profile/load-profile.io.js'
import { loadSweepFile } from '../../profile/load-sweep-file.io.js'
import { plannedGate } from '../../profile/planned-gate.js'
import { withSessionSettings } from '../../profile/session-settings.js'
import { checkCapabilities, levelsUpTo } from '../../sweep/capabilities.js'
import { loadSweepInputs } from '../../sweep/inputs.io.js'
import { ensureOutputIsFree, readSweepManifest } from '../../sweep/output-folder.io.js'
import { capabilitiesOf, ensureReachable, type ServerAddress } from '../../sweep/reach.io.js'
import { resumedInputs } from '../../sweep/resume.io.js'
import { inputsWithDatasetFlags, mustDetect } from '../dataset-flags.js'
import { interruptSignal } from '../interrupt.io.js'
import { checkLiveExports } from '../live-export.io.js'
import { ensurePipelineFiles, PIPELINE_FLAG_NAMES } from '../pipeline-reports.io.js'
import { serverAddress } from '../server-address.js'
import { checkServerMetrics } from '../server-metrics-flags.js'
import { sweepAndReport } from '../sweep-and-report.io.js'
import { addSweepFlags, type SweepFlags, sweepConfig } from '../sweep-flags.js'
import { note } from '../terminal.io.js'

export function sweepCommand(onExit: (code: ExitCode) => void): Command {
  const command = new Command('sweep')
    .description('run concurrency levels against a realtime server and name its capacity')
    .argument('[sweep]', 'a sweep file, or the name of a shipped one: smoke, capacity, h100-short, release-gate')
  return addSweepFlags(command).action(async (sweepFile: string | undefined, flags: SweepFlags) => {
    if (flags.resume !== undefined && sweepFile !== undefined) {
      throw new UserError({ code: 'USAGE', message: '--resume takes no sweep file: it is in the folder' })
    }
    checkServerMetrics(flags)
    checkLiveExports(flags)
    onExit(flags.resume === undefined ? await newSweep(sweepFile, flags) : await resumedSweep(flags.resume, flags))
  })
}

async function newSweep(sweepFile: string | undefined, flags: SweepFlags): Promise<ExitCode> {
  const base = sweepFile === undefined ? undefined : await loadSweepFile(sweepFile)
  const found = mustDetect(base?.inputs, flags) ? await detectFdb(flags.datasetRoot ?? '') : []
  const config = sweepConfig(base, flags, inputsWithDatasetFlags(base?.inputs, flags, found))
  const profileName = flags.profile ?? config.profile
  if (profileName === undefined) throw missing('--profile', 'minicpmo-native')
  const profile = withSessionSettings(await loadProfile(profileName), {
    session: config.session,
    turnDetection: config.turn_detection,
  })
  const server = serverOf(flags.url, flags)
  const { output } = flags
  if (output === undefined) throw missing('--output', 'results/box-1')
  // A gate that this profile or these levels can never answer is an error now, not after the sweep.
  const isQualityScored = config.quality !== undefined
  plannedGate(config.gate, { profile, levels: config.levels, isQualityScored })
  await ensurePipelineFiles(flags)
  await ensureOutputIsFree(output)
  const { clips: inputs, dataset } = await loadSweepInputs(config.inputs, profile, note)
  await ensureReachable(server)
  const capabilities = await capabilitiesOf(server, profile)
  const levels = flags.maxLevel === undefined ? config.levels : levelsUpTo(config.levels, flags.maxLevel, capabilities)
  checkCapabilities(profile, capabilities, levels)
  const gate = plannedGate(config.gate, { profile, levels, isQualityScored })
  return sweepAndReport(
    {
      config: { ...config, levels, gate },
      profile,
      inputs,
      dataset,
      server,
      capabilities,
      output,
      isResumed: false,
      isPreflightOverridden: !flags.preflight,
    },
    flags,
    interruptSignal(),
  )
}

/** What may be said again: everything else is in the folder, and would be ignored without a word. */
const RESUME_FLAGS = new Set<string>([
  ...[
    'resume',
    'url',
    'header',
    'model',
    'apiKeyEnv',
    'asrKeyEnv',
    'serverMetrics',
    'serverMetric',
    'prometheus',
    'otlp',
    'json',
    'quiet',
    'preflight',
  ],
  ...PIPELINE_FLAG_NAMES,
])

async function resumedSweep(output: string, flags: SweepFlags): Promise<ExitCode> {
  const extra = Object.keys(flags).filter((name) => !RESUME_FLAGS.has(name))
  if (extra.length > 0) {
    const names = extra.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
    throw new UserError({
      code: 'USAGE',
      message: `--resume goes on with the sweep as it was begun; ${names.join(', ')} cannot change it`,
      fix: 'leave them out, or begin a new sweep',
    })
  }
  await ensurePipelineFiles(flags)
  const manifest = await readSweepManifest(output)
  const inputs = await resumedInputs(output, manifest)
  const isComplete = !manifest.server.url.includes('***')
  if (flags.url === undefined && !isComplete) {
    throw new UserError({
      code: 'RESUME_MISMATCH',
      message: `the address ${manifest.server.url} was stored without its secrets`,
      fix: 'pass --url again',
    })
  }
  const server = serverOf(flags.url ?? manifest.server.url, flags)
  const given = new Set(Object.keys(server.headers).map((name) => name.toLowerCase()))
  const absent = manifest.server.header_names.filter((name) => !given.has(name.toLowerCase()))
  if (absent.length > 0) {
    throw new UserError({
      code: 'RESUME_MISMATCH',
      message: `the sweep was begun with --header ${absent.join(', ')}, whose values are stored nowhere`,
      fix: 'pass them again',
    })
  }
  await ensureReachable(server)
  return sweepAndReport(
    {
      config: manifest.config,
      profile: manifest.profile,
      inputs,
      dataset: manifest.dataset ?? null,
      server,
      capabilities: manifest.server.capabilities,
      output,
      isResumed: true,
      isPreflightOverridden: !flags.preflight,
    },
    flags,
    interruptSignal(),
  )
}

function serverOf(url: string | undefined, flags: SweepFlags): ServerAddress {
  if (url === undefined) throw missing('--url', 'ws://127.0.0.1:8099/v1/realtime')
  return serverAddress({ url, ...flags })
}

function missing(flag: string, example: string): UserError {
  return new UserError({ code: 'USAGE', message: `${flag} is missing`, fix: `such as ${flag} ${example}` })
}
