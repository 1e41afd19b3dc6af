import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startNullServer } from '../../src/loopback/null-server.io.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { runCommand } from '../helpers/command-line.js'
import { writeShortClips } from '../helpers/short-clips.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

const PROFILE = 'minicpmo-native'

test('sessions against the null server pass their verdicts', { timeout: 60_000 }, async () => {
  const server = await startNullServer({ profile: await loadProfile(PROFILE), port: 0, replyShare: 0.4 })
  try {
    const folder = await temporaryFolder()
    const clips = await writeShortClips(join(folder, 'clips'), [1510, 2333])
    const output = join(folder, 'out')
    const flags = ['--concurrency', '4', '--sessions', '4', '--warm-up', '0', '--audio', clips, '--quiet']
    const command = await runCommand('sweep', '--url', server.url, '--profile', PROFILE, '--output', output, ...flags)
    expect(command.exitCode, command.stderr).toBe(0)
    const [level] = JSON.parse(await readFile(join(output, 'serving.json'), 'utf8')).levels
    expect(level.failed_sessions).toEqual([])
    expect(level).toMatchObject({ sessions_attempted: 4, sessions_succeeded: 4 })
    expect(server.stats().packets).toBe(2 * Math.ceil(1510 / 80) + 2 * Math.ceil(2333 / 80))
  } finally {
    server.close()
  }
})

test('a profile that does not answer unit by unit is refused', async () => {
  const profile = await loadProfile('personaplex-native')
  await expect(startNullServer({ profile, port: 0, replyShare: 0.4 })).rejects.toThrow(/does not/)
})
