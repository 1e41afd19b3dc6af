import { expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { runVirtualLevel } from '../helpers/virtual-level.js'
import { makeInput } from './native-client.js'

test('the project’s own client gets through a level, barge-ins included, with valid sessions', async () => {
  const profile = await loadProfile('openai-realtime')
  const level = await runVirtualLevel({
    profile,
    server: { baseMs: 100, perUnitMs: 20 },
    concurrency: 3,
    sessions: 6,
    inputs: [makeInput(profile, 300, 1200, 1100, 600, 900), makeInput(profile, 200, 900, 1600)],
  })
  expect(level.sessions.flatMap(({ reasons }) => reasons)).toEqual([])
  expect(level.sessions.map(({ hasSucceeded }) => hasSucceeded)).toEqual(new Array(6).fill(true))
  expect(level.sessions.some(({ replies }) => replies.some(({ isCut }) => isCut))).toBe(true)
  expect(level.server).toMatchObject({ sessionsTotal: 6, sessionsOpen: 0, queueLength: 0 })
})

test('the project’s own client is denied by a full server', async () => {
  const profile = await loadProfile('openai-realtime')
  const level = await runVirtualLevel({
    profile,
    server: { maxSessions: 1 },
    concurrency: 2,
    sessions: 2,
    inputs: [makeInput(profile, 200, 900, 2600)],
  })
  expect(level.sessions.map(({ isDenied }) => isDenied).sort()).toEqual([false, true])
})
