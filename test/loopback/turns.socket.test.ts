/** One session of each protocol in turns over a real socket. */
import { afterEach, expect, test } from 'vitest'
import WebSocket from 'ws'
import { energyListener } from '../../src/loopback/energy-listener.js'
import { type LoopbackServer, startLoopbackServer } from '../../src/loopback/server.io.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { append, makeInput, makeReply, type WireEvent } from './native-client.js'
import { LEGACY_SESSION, TURN_BASED_SESSION } from './turn-client.js'

let server: LoopbackServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Sends as fast as it can: media time is what the server counts. Resolves with the types received and the close code. */
async function talk(profileName: string, react: (event: WireEvent, packets: WireEvent[]) => WireEvent[] | 'close') {
  const profile = await loadProfile(profileName)
  const options = { baseMs: 1, perUnitMs: 1 }
  const replies = [makeReply('Hello.', 500, profile)]
  server = await startLoopbackServer({ profile, options, replies, listeners: energyListener })
  const input = makeInput(profile, 320, 640, 640)
  const packets = Array.from({ length: input.length / 1280 }, (_, seq) =>
    append(input.slice(seq * 1280, (seq + 1) * 1280), seq, seq * 80),
  )
  const socket = new WebSocket(server.url, { perMessageDeflate: false })
  const types: string[] = []
  socket.on('message', (data) => {
    const event = JSON.parse(String(data))
    types.push(event.type)
    const answers = react(event, packets)
    if (answers === 'close') socket.close(1000)
    else
      for (const [index, answer] of answers.entries())
        socket.send(JSON.stringify({ event_id: `c${types.length}.${index}`, ...answer }))
  })
  const code = await new Promise((resolve) => socket.once('close', resolve))
  await expect.poll(() => server?.stats.sessionsOpen).toBe(0)
  return { types, code }
}

const counts = (types: readonly string[], ...wanted: string[]) =>
  wanted.map((type) => types.filter((found) => found === type).length)

test('a turn-based session is answered, drained and closed', async () => {
  const { types, code } = await talk('turn-based', (event, packets) => {
    if (event.type === 'session.created') return [{ type: 'session.update', session: TURN_BASED_SESSION }]
    if (event.type === 'session.updated') return [...packets, { type: 'sglang.input_audio.end' }]
    return event.type === 'sglang.input_audio.drained' ? [{ type: 'session.close' }] : []
  })
  expect(code).toBe(1000)
  expect(counts(types, 'sglang.input_audio.accepted', 'sglang.unit.done', 'response.done')).toEqual([20, 8, 1])
  expect(counts(types, 'response.output_audio.delta', 'error')).toEqual([3, 0])
  expect(types.at(-1)).toBe('session.closed')
})

test('a legacy session is answered, and proves itself alive', async () => {
  let updates = 0
  const { types, code } = await talk('qwen3-omni-half-duplex', (event, packets) => {
    if (event.type === 'session.created') return [{ type: 'session.update', session: LEGACY_SESSION }]
    if (event.type === 'session.updated') return updates++ === 0 ? packets : 'close'
    return event.type === 'response.done' ? [{ type: 'session.update', session: {} }] : []
  })
  expect(code).toBe(1000)
  expect(counts(types, 'response.audio.delta', 'response.done', 'session.updated', 'error')).toEqual([3, 1, 2, 0])
})

test('a server without a capabilities document does not find it', async () => {
  const profile = await loadProfile('openai-realtime')
  server = await startLoopbackServer({ profile, replies: [], listeners: energyListener })
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${server?.port}${path}`)).status
  expect(await status('/v1/realtime/capabilities')).toBe(404)
  expect(await status('/v1/models')).toBe(200)
})
