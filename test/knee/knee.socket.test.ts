/** The knee on real sockets, once: the command line against the loopback server, each in a process of its own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav16 } from '../../src/dataset/wav.js'
import { predictCapacity } from '../../src/loopback/predict.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import type { ServingResult } from '../../src/sweep/serving-result.js'
import { type CommandResult, runCommand, startServer } from '../helpers/command-line.js'
import { temporaryFolder } from '../helpers/temp-folders.js'
import { speechLikeInput } from '../helpers/virtual-level.js'

const PROFILE = 'minicpmo-native'
const LEVELS = [1, 4, 8]
const BASE_MS = 80
const PER_UNIT_MS = 140
const INPUT_MS = 3000

test('the capacity of the loopback server is found over real sockets', { timeout: 120_000 }, async () => {
  const profile = await loadProfile(PROFILE)
  const predicted = predictCapacity({
    unitMs: profile.unit_ms ?? 0,
    levels: LEVELS,
    accelerator: { baseMs: BASE_MS, perUnitMs: PER_UNIT_MS, jitter: 0.02 },
    phases: 'any',
    packetMs: 80,
  })
  expect(predicted).toMatchObject({ atLeast: 4, atMost: 4 })

  const folder = await temporaryFolder()
  const audio = join(folder, 'audio')
  await mkdir(audio)
  for (const name of ['a', 'b', 'c', 'd']) {
    const samples = speechLikeInput(profile, INPUT_MS, name)
    await writeFile(join(audio, `${name}.wav`), encodeWav16({ samples, sampleRateHz: profile.input.sample_rate_hz }))
  }
  const { url } = await startServer(
    ...['--profile', PROFILE, '--base-ms', String(BASE_MS), '--per-unit-ms', String(PER_UNIT_MS), '--listen', 'energy'],
  )
  const sweep = async (output: string) => {
    const command = await runCommand(
      ...['sweep', '--url', url, '--profile', PROFILE, '--concurrency', LEVELS.join(','), '--sessions', '1x'],
      ...['--warm-up', '0', '--audio', audio, '--output', output, '--json', '--quiet'],
    )
    return { command, output, result: await readResult(output, command) }
  }

  let run = await sweep(join(folder, 'first'))
  // A machine that is busy with something else spoils a level, and says so: try once more.
  if (run.result.levels.some(({ valid }) => !valid)) run = await sweep(join(folder, 'second'))

  const { command, output, result } = run
  expect(command).toMatchObject({ exitCode: 0, stderr: '' })
  expect(JSON.parse(command.stdout)).toEqual(result)
  expect(
    result.levels.map((level) => ({
      concurrency: level.concurrency,
      valid: level.valid,
      pacing: level.pacing_violations,
      succeeded: level.sessions_succeeded,
      failed: level.failed_sessions,
      denied: level.denied,
      peak: level.peak_complete_streams,
      units: level.units_expected,
      meets: level.meets_targets,
    })),
  ).toEqual(
    LEVELS.map((concurrency) => ({
      concurrency,
      valid: true,
      pacing: 0,
      succeeded: concurrency,
      failed: [],
      denied: 0,
      peak: concurrency,
      units: concurrency * 3,
      meets: concurrency <= 4,
    })),
  )
  expect(result.profiles.map(({ profile: name, capacity }) => ({ name, ...capacity }))).toEqual([
    {
      name: PROFILE,
      status: 'exact',
      sessions: predicted.atLeast,
      first_missing_level: 8,
      invalid_levels: [],
      meets_above: [],
    },
  ])

  // Everything is computed from the traces: reading the runs again gives the same bytes.
  const again = join(folder, 'again.json')
  const runs = LEVELS.flatMap((level) => ['--run', join(output, `concurrency-${level}`)])
  expect(await runCommand('report', ...runs, '--output', again)).toMatchObject({ exitCode: 0 })
  expect(await readFile(again, 'utf8')).toBe(await readFile(join(output, 'serving.json'), 'utf8'))
})

async function readResult(output: string, command: CommandResult): Promise<ServingResult> {
  try {
    return JSON.parse(await readFile(join(output, 'serving.json'), 'utf8'))
  } catch (cause) {
    throw new Error(`the sweep left no result (exit code ${command.exitCode}): ${command.stderr}`, { cause })
  }
}
