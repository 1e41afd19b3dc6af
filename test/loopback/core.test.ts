/** What the server without sockets does for each protocol before a session says anything. */
import { describe, expect, test } from 'vitest'
import type { ProtocolName } from '../../src/profile/profile.js'
import { makeWorld, type World } from './native-client.js'

const transport = { send: () => {}, close: () => {} }
const SERVERS: { profile: string; protocol: ProtocolName; hasDocument: boolean; isFull: string }[] = [
  { profile: 'minicpmo-native', protocol: 'native', hasDocument: true, isFull: 'refused' },
  { profile: 'turn-based', protocol: 'turn-based', hasDocument: true, isFull: 'refused' },
  { profile: 'qwen3-omni-half-duplex', protocol: 'legacy-half-duplex', hasDocument: true, isFull: 'refused' },
  { profile: 'openai-realtime', protocol: 'openai-realtime', hasDocument: false, isFull: 'refused' },
  { profile: 'vllm-duplex', protocol: 'vllm-duplex', hasDocument: false, isFull: 'accepted' },
]

describe.each(SERVERS)('a $protocol server', ({ profile, protocol, hasDocument, isFull }) => {
  const connect = ({ core }: World, query = '') => core.connect(transport, query)

  test(`has ${hasDocument ? 'a' : 'no'} capabilities document, and the name of its model`, async () => {
    const world = await makeWorld(profile)
    expect(world.profile.protocol).toBe(protocol)
    expect(world.core.capabilities() !== undefined).toBe(hasDocument)
    expect(world.core.model).not.toBe('')
  })

  test('that is full denies a connection, without a slot lost', async () => {
    const world = await makeWorld(profile, { maxSessions: 1 })
    const first = connect(world)
    const denied = connect(world)
    expect(denied.kind).toBe(isFull)
    expect(world.core.stats).toMatchObject({ sessionsTotal: 1, sessionsDenied: 1 })
    if (denied.kind === 'accepted') denied.session.disconnected()
    expect(connect(world).kind).toBe(isFull)
    if (first.kind === 'accepted') first.session.disconnected()
    expect(connect(world).kind).toBe('accepted')
    expect(world.core.stats).toMatchObject({ sessionsTotal: 2, sessionsDenied: 2 })
  })
})

test.each(['minicpmo-native', 'turn-based', 'qwen3-omni-half-duplex'])('%s knows one model', async (profile) => {
  const { core } = await makeWorld(profile)
  expect(core.connect(transport, 'model=other').kind).toBe('closed')
  expect(core.connect(transport, `model=${encodeURIComponent(core.model)}`).kind).toBe('accepted')
  expect(core.connect(transport, 'session_id=sess_1').kind).toBe('closed')
})
