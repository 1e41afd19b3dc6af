import { once } from 'node:events'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { startServer } from '../helpers/command-line.js'

const WITHIN_MS = 5_000

test.each([
  { name: 'has served nobody', sessions: 0 },
  { name: 'has served a session', sessions: 1 },
])('a server that $name ends when it is told to', async ({ sessions }) => {
  const server = await startServer('--profile', 'minicpmo-native', '--listen', 'energy')
  for (let session = 0; session < sessions; session += 1) {
    const socket = new WebSocket(server.url, { perMessageDeflate: false })
    await once(socket, 'message')
    socket.send(JSON.stringify({ type: 'session.update', event_id: 'c1', session: {} }))
    await once(socket, 'message')
    socket.send(JSON.stringify({ type: 'session.close', event_id: 'c2' }))
    await once(socket, 'close')
  }
  expect(await server.end(WITHIN_MS)).toBe(0)
})
