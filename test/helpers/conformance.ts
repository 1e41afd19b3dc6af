/**
 * A profile against the loopback server speaking it, over real sockets and real processes: the table is complete, every
 * session passes the verdict of its protocol, and every level meets its targets.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { encodeWav16 } from '../../src/dataset/wav.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { modeOf } from '../../src/profile/profile.js'
import type { ServingResult } from '../../src/sweep/serving-result.js'
import { runCommand, startServer } from './command-line.js'
import { temporaryFolder } from './temp-folders.js'
import { speechLikeInput } from './virtual-level.js'

const LEVELS = [1, 2, 4]
/** So fast that only a broken client or server could miss a deadline. */
const FAST_SERVER = ['--base-ms', '1', '--per-unit-ms', '1', '--listen', 'energy']

export interface Conformance {
  readonly name: string
  readonly flags?: readonly string[]
  /** Long enough for the server to hear the end of speech and to answer. */
  readonly inputMs?: number
}

/** Sweeps levels 1, 2 and 4 and checks everything that a person would read. */
export async function expectConformance({ name, flags = [], inputMs = 1700 }: Conformance): Promise<void> {
  const profile = await loadProfile(name)
  const folder = await temporaryFolder()
  const audio = join(folder, 'audio')
  await mkdir(audio)
  const samples = speechLikeInput(profile, inputMs, 'one')
  await writeFile(join(audio, 'one.wav'), encodeWav16({ samples, sampleRateHz: profile.input.sample_rate_hz }))
  const { url } = await startServer('--profile', name, ...FAST_SERVER)
  const sweep = async (output: string) => {
    const command = await runCommand(
      ...['sweep', '--url', url, '--profile', name, '--concurrency', LEVELS.join(','), '--sessions', '1x', ...flags],
      ...['--warm-up', '0', '--audio', audio, '--output', output, '--json', '--quiet'],
    )
    expect(command).toMatchObject({ exitCode: 0, stderr: '' })
    return { output, result: JSON.parse(command.stdout) as ServingResult }
  }
  const first = await sweep(join(folder, 'first'))
  // A machine that is busy with something else can spoil a level of 80 ms deadlines: try once more.
  const isSpoiled = first.result.levels.some(({ meets_targets: meets }) => !meets)
  const { output, result } = isSpoiled ? await sweep(join(folder, 'second')) : first

  const mode = modeOf(profile)
  expect(
    result.levels.map((level) => ({
      mode: level.mode,
      concurrency: level.concurrency,
      succeeded: level.sessions_succeeded,
      failed: level.failed_sessions,
      peak: level.peak_complete_streams,
      replies: level.replies_with_audio > 0,
      hasUnits: level.unit_lag_s !== null,
      hasRtf: level.rtf !== null,
      meets: level.meets_targets,
    })),
  ).toEqual(
    LEVELS.map((concurrency) => ({
      mode,
      concurrency,
      succeeded: concurrency,
      failed: [],
      peak: concurrency,
      replies: true,
      hasUnits: mode === 'native',
      hasRtf: mode === 'turn_based',
      meets: true,
    })),
  )
  const verdict = result.profiles[0]?.verdict[0] ?? ''
  expect(verdict).toContain('Capacity: at least 4 sessions at once')
  if (mode !== 'stream') expect(verdict).toContain(mode === 'native' ? 'unit miss' : 'RTF p90')
  // The recorded run is judged by itself: nothing of the live sweep is needed.
  const verified = await runCommand('verify', join(output, 'concurrency-4'))
  expect(verified).toMatchObject({ exitCode: 0, stdout: `4 of 4 sessions pass (${name})\n` })
}
