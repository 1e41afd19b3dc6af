import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SystemClock } from '../../src/base/system-clock.io.js'
import { warmUp } from '../../src/load/warm-up.io.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

async function rehearsed(sessions: number, transport: 'lean' | 'ws') {
  const journal = join(await temporaryFolder(), 'warm-up.journal')
  let sends = 0
  const monitor = {
    rehearse: () => {
      sends += 1
    },
  }
  await warmUp({ clock: new SystemClock(), transport, journal, sessions, monitor })
  expect(existsSync(journal), 'the journal is left').toBe(false)
  return sends
}

test.each(['lean', 'ws'] as const)(
  'a large level is rehearsed over %s, and leaves nothing behind',
  async (transport) => {
    expect(await rehearsed(50, transport)).toBe(48 * 200)
  },
)

test('a small level is not', async () => {
  expect(await rehearsed(49, 'lean')).toBe(0)
})
