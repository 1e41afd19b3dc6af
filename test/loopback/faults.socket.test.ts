/** That faults reach a real client over a real socket: what the pure tests cannot see. */
import { afterEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { energyListener } from '../../src/loopback/energy-listener.js'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { type LoopbackServer, startLoopbackServer } from '../../src/loopback/server.io.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { append, makeReply } from './native-client.js'

let server: LoopbackServer | undefined
const clients: Client[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate()
  await server?.close()
  server = undefined
})

async function start(options: LoopbackOptionsInput): Promise<LoopbackServer> {
  const profile = await loadProfile('nemotron-voicechat')
  server = await startLoopbackServer({
    profile,
    options: { baseMs: 1, perUnitMs: 1, faultEvery: 1, faultAtMs: 50, ...options },
    replies: [makeReply('Hello.', 500, profile)],
    listeners: energyListener,
  })
  return server
}

interface Client {
  readonly socket: WebSocket
  readonly types: string[]
  binaryFrames: number
  /** Close code, or the HTTP status that refused the upgrade; undefined while it is open. */
  end: number | undefined
}

const PACKET = new Int16Array(1280)

/** A client that streams a packet every 10 ms, `packets` in all, and then ends its session in good order. */
function connect({ url }: LoopbackServer, packets = 2): Client {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const client: Client = { socket, types: [], binaryFrames: 0, end: undefined }
  clients.push(client)
  let sent = 0
  const send = (event: Record<string, unknown>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ event_id: `c${sent++}`, ...event }))
  }
  let seq = 0
  const stream = () => {
    if (seq < packets) send(append(PACKET, seq, 80 * seq++))
    else send({ type: 'sglang.input_audio.end' })
  }
  socket.on('message', (data, isBinary) => {
    if (isBinary) client.binaryFrames += 1
    const { type } = JSON.parse(String(data))
    client.types.push(type)
    if (type === 'session.created') send({ type: 'session.update', session: { output_modalities: ['audio'] } })
    else if (type === 'session.updated') stream()
    else if (type === 'sglang.input_audio.accepted') setTimeout(stream, 10)
    else if (type === 'sglang.input_audio.drained') send({ type: 'session.close' })
  })
  socket.on('close', (code) => {
    client.end ??= code
  })
  socket.on('unexpected-response', (_request, response) => {
    client.end = response.statusCode ?? 0
    socket.terminate()
  })
  socket.on('error', () => {})
  return client
}

describe('a client on a real socket', () => {
  test('disconnect: is cut without a close frame, and the server lets go', async () => {
    const running = await start({ fault: 'disconnect' })
    const client = connect(running, 1000)
    await expect.poll(() => client.end).toBe(1006)
    expect(client.types).toContain('session.updated')
    await expect.poll(() => running.stats.sessionsOpen).toBe(0)
  })

  test('binary-frame: gets one binary frame', async () => {
    const client = connect(await start({ fault: 'binary-frame' }), 20)
    await expect.poll(() => client.end, { timeout: 5_000 }).toBe(1000)
    expect(client.binaryFrames).toBe(1)
  })

  test('denied-twice: is refused twice, and then let in', async () => {
    const running = await start({ fault: 'denied-twice', faultEvery: 2 })
    const ends: (number | undefined)[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const client = connect(running)
      await expect.poll(() => client.end).toBeDefined()
      ends.push(client.end)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    expect(ends).toEqual([1000, 503, 503, 1000])
  })

  test('half-open: hears nothing more, is not closed, and the server can be shut down', async () => {
    const running = await start({ fault: 'half-open' })
    const client = connect(running, 1000)
    await expect.poll(() => client.types.includes('session.updated')).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const heard = client.types.length
    client.socket.send('not even JSON')
    client.socket.close(1000)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(client.types).toHaveLength(heard)
    expect(client.end).toBeUndefined()
    expect(running.stats.sessionsOpen).toBe(1)
    await running.close()
    server = undefined
    // The client's own close frame was sent; none came back.
    await expect.poll(() => client.end).toBe(1006)
  })

  test('half-open: the connection is cut when the session has been idle for too long', async () => {
    const running = await start({ fault: 'half-open', idleTimeoutS: 0.4 })
    const client = connect(running, 1000)
    await expect.poll(() => client.end, { timeout: 3_000 }).toBe(1006)
    expect(client.types).not.toContain('session.closed')
    await expect.poll(() => running.stats.sessionsOpen).toBe(0)
  })

  test('lingering-close: gets session.closed, and no close frame', async () => {
    const running = await start({ fault: 'lingering-close' })
    const client = connect(running)
    await expect.poll(() => client.types.at(-1)).toBe('session.closed')
    client.socket.close(1000)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(client.socket.readyState).toBe(WebSocket.CLOSING)
    expect(running.stats.sessionsOpen).toBe(0)
    client.socket.terminate()
    await expect.poll(() => client.end).toBe(1006)
  })

  test('slow-handshake: waits, and is let in; a server that goes down does not wait for it', async () => {
    const running = await start({ fault: 'slow-handshake', faultMs: 300, faultEvery: 2 })
    const [quick, slow] = [connect(running), connect(running)]
    await expect.poll(() => quick.types.length).toBeGreaterThan(0)
    expect(slow.socket.readyState).toBe(WebSocket.CONNECTING)
    await expect.poll(() => slow.end, { timeout: 3_000 }).toBe(1000)

    connect(running)
    const pending = connect(running)
    await expect.poll(() => running.stats.sessionsOpen).toBeGreaterThan(0)
    await expect.poll(() => running.stats.sessionsTotal).toBe(4)
    expect(pending.socket.readyState).toBe(WebSocket.CONNECTING)
    await running.close()
    server = undefined
  })
})
