import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseSelfMonitoring } from '../../src/capture/self-monitoring.js'
import { startServer } from '../helpers/command-line.js'
import { sendingSessions } from '../helpers/journals.js'
import { eventually, isRunning, runningChildrenOf, startCommand } from '../helpers/running-command.js'
import { writeShortClips } from '../helpers/short-clips.js'
import { folderWith, temporaryFolder } from '../helpers/temp-folders.js'

const SWEEP = {
  schema: 'floorload.sweep/1',
  name: 'senders',
  profile: 'minicpmo-native',
  levels: [4],
  senders: 2,
  warm_up_sessions: 0,
  sessions: { count: 4 },
}

/** A machine that is busy with something else takes its time. */
const TIMEOUT = { timeout: 90_000 }

async function json(...path: string[]) {
  return JSON.parse(await readFile(join(...path), 'utf8'))
}

async function sweepWith(changes: object) {
  const server = await startServer()
  const clips = await writeShortClips(join(await temporaryFolder(), 'clips'), [2500, 2800])
  const inputs = { kind: 'audio', paths: [clips] }
  const folder = await folderWith({ 'sweep.json': { ...SWEEP, inputs, ...changes } })
  const output = join(folder, 'out')
  const command = startCommand('sweep', join(folder, 'sweep.json'), '--url', server.url, '--output', output)
  return { command, output, level: join(output, 'concurrency-4') }
}

test.each(['pool', 'aligned'])('two senders make one level, started as %s', TIMEOUT, async (start) => {
  const { command, output, level } = await sweepWith({ start })
  const { exitCode, stderr } = await command.result
  expect(exitCode, stderr).toBe(0)
  const serving = await json(output, 'serving.json')
  expect(serving.levels[0]).toMatchObject({
    ...{ sessions_succeeded: 4, peak_complete_streams: 4, pacing_violations: 0, senders: 2 },
    phases: start === 'aligned' ? 'aligned' : 'spread',
  })
  const monitoring = parseSelfMonitoring(await json(level, 'self-monitoring.json'))
  expect(monitoring?.senders.map(({ sessions }) => sessions?.length)).toEqual([2, 2])
  expect(await readdir(level)).not.toContainEqual(expect.stringContaining('journal'))
  if (start === 'pool') return
  const starts = await Promise.all(
    monitoring?.senders
      .flatMap(({ sessions }) => sessions ?? [])
      .map(async (session) => {
        const { session_start_s } = await json(level, session, 'input-send-receipts.json')
        return session_start_s
      }) ?? [],
  )
  expect(new Set(starts).size, 'one planned start for all senders').toBe(1)
})

test('a sender that dies loses its sessions, not the level', TIMEOUT, async () => {
  const { command, output, level } = await sweepWith({})
  const senders = async () => (await runningChildrenOf(command.pid)).sort((a, b) => a - b)
  await eventually('both senders send', 20_000, async () => {
    return (await senders()).length === 2 && (await sendingSessions(level)) === 4
  })
  const [, victim = 0] = await senders()
  process.kill(victim, 'SIGKILL')
  const { exitCode, stderr } = await command.result
  expect(await isRunning(victim)).toBe(false)
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toMatch(/sender \d died \(SIGKILL\); its 2 sessions are counted as failed/)
  const [row] = (await json(output, 'serving.json')).levels
  expect(row).toMatchObject({ sessions_attempted: 4, sessions_succeeded: 2, sessions_failed: 2 })
  expect(row.failed_sessions).toHaveLength(2)
  for (const { reasons } of row.failed_sessions) {
    expect(reasons.join('\n')).toContain('SenderDied: the sending process died (SIGKILL)')
  }
  const monitoring = parseSelfMonitoring(await json(level, 'self-monitoring.json'))
  expect(monitoring?.senders).toHaveLength(1)
  const { samples } = await json(level, 'run.json')
  const outcomes = samples.map(({ variants }: { variants: Record<string, { outcome: { kind: string } }> }) =>
    Object.values(variants).map(({ outcome }) => outcome.kind),
  )
  expect(outcomes.flat().sort()).toEqual(['completed', 'completed', 'sender_died', 'sender_died'])
})
