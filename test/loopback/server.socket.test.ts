import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { UserError } from '../../src/base/errors.js'
import { energyListener } from '../../src/loopback/energy-listener.js'
import type { LoopbackOptionsInput } from '../../src/loopback/options.js'
import { type LoopbackServer, startLoopbackServer } from '../../src/loopback/server.io.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { append, makeReply, type WireEvent } from './native-client.js'

let server: LoopbackServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(options: LoopbackOptionsInput = {}): Promise<LoopbackServer> {
  const profile = await loadProfile('nemotron-voicechat')
  server = await startLoopbackServer({
    profile,
    options: { baseMs: 1, perUnitMs: 1, ...options },
    replies: [makeReply('Hello.', 500, profile)],
    listeners: energyListener,
  })
  return server
}

const httpUrl = (running: LoopbackServer, path: string) => `http://127.0.0.1:${running.port}${path}`

/** Collects events; answers each with what `react` says. Resolves when the socket has closed or was refused. */
function talk(url: string, react: (event: WireEvent) => WireEvent[]): Promise<{ types: string[]; end: number }> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    const types: string[] = []
    socket.on('message', (data) => {
      const event = JSON.parse(String(data))
      types.push(event.type)
      for (const [index, answer] of react(event).entries()) {
        socket.send(JSON.stringify({ event_id: `c${types.length}.${index}`, ...answer }))
      }
    })
    socket.on('close', (code) => resolve({ types, end: code }))
    socket.on('unexpected-response', (_request, response) => {
      resolve({ types, end: response.statusCode ?? 0 })
      socket.terminate()
    })
    socket.on('error', () => {})
  })
}

const PACKET = new Int16Array(1280)

function wholeSession(event: WireEvent): WireEvent[] {
  if (event.type === 'session.created') return [{ type: 'session.update', session: { output_modalities: ['audio'] } }]
  if (event.type === 'session.updated') {
    return [append(PACKET, 0, 0), append(PACKET, 1, 80), { type: 'sglang.input_audio.end' }]
  }
  return event.type === 'sglang.input_audio.drained' ? [{ type: 'session.close' }] : []
}

describe('the server on a real socket', () => {
  test('serves a session to its end', async () => {
    const running = await start()
    const { types, end } = await talk(running.url, wholeSession)
    expect(end).toBe(1000)
    expect(types.filter((type) => type === 'sglang.unit.done')).toHaveLength(3)
    expect(types.at(-1)).toBe('session.closed')
    expect(running.stats).toMatchObject({ sessionsTotal: 1, sessionsOpen: 0, units: 2 })
  })

  test('answers 503 to one session too many, and 404 to an upgrade elsewhere', async () => {
    const running = await start({ maxSessions: 1 })
    const held = new WebSocket(running.url)
    await new Promise((resolve) => held.once('message', resolve))
    expect((await talk(running.url, wholeSession)).end).toBe(503)
    expect((await talk(`ws://127.0.0.1:${running.port}/v1/other`, wholeSession)).end).toBe(404)
    held.terminate()
    await expect.poll(() => running.stats.sessionsOpen).toBe(0)
    expect((await talk(running.url, wholeSession)).end).toBe(1000)
    expect(running.stats.sessionsDenied).toBe(1)
  })

  test('closes a connection for another model with 1008', async () => {
    const running = await start()
    expect(await talk(`${running.url}?model=other`, wholeSession)).toEqual({ types: [], end: 1008 })
  })

  test('answers a binary frame in the session, and drops a frame beyond the limit', async () => {
    const running = await start()
    const socket = new WebSocket(running.url)
    const codes: unknown[] = []
    socket.on('message', (data) => {
      const event = JSON.parse(String(data))
      if (event.type === 'session.created') socket.send(Buffer.from([1]))
      if (event.type === 'error') {
        codes.push(event.error.code)
        socket.send('x'.repeat(8 * 1024 * 1024 + 1))
      }
    })
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('close', resolve))
    expect(codes).toEqual(['invalid_request'])
    await expect.poll(() => running.stats.sessionsOpen).toBe(0)
  })

  test('tells what it is over HTTP', async () => {
    const running = await start()
    await talk(running.url, wholeSession)
    const get = async (path: string) => fetch(httpUrl(running, path))
    expect((await get('/health')).status).toBe(200)
    expect(await (await get('/v1/models')).json()).toMatchObject({ data: [{ id: 'nemotron-voicechat' }] })
    expect(await (await get('/v1/realtime/capabilities')).json()).toMatchObject({
      model: 'nemotron-voicechat',
      interaction: 'native',
      microturn_ms: 'variable',
      native_unit_ms: 80,
    })
    expect((await get('/other')).status).toBe(404)
    expect((await get('/v1/realtime')).status).toBe(426)
    const metrics = await (await get('/metrics')).text()
    expect(metrics).toContain('Simulated accelerator')
    expect(metrics).toMatch(/^floorload_loopback_units_total 2$/m)
    expect(metrics).toMatch(/^floorload_loopback_batch_units_count [12]$/m)
    expect(metrics).toMatch(/^floorload_loopback_sessions_total 1$/m)
  })

  test('is not ready while it loads', async () => {
    const profile = await loadProfile('nemotron-voicechat')
    const port = await freePort()
    let hand: (replies: []) => void = () => {}
    const replies = new Promise<[]>((resolve) => {
      hand = resolve
    })
    const starting = startLoopbackServer({ profile, options: { port }, replies, listeners: energyListener })
    const status = async () =>
      fetch(`http://127.0.0.1:${port}/v1/realtime/capabilities`).then(
        (response) => response.status,
        () => undefined,
      )
    await expect.poll(status).toBe(503)
    expect((await talk(`ws://127.0.0.1:${port}/v1/realtime`, wholeSession)).end).toBe(503)
    hand([])
    server = await starting
    expect(await status()).toBe(200)
  })

  test('says so when its port is in use', async () => {
    const running = await start()
    const profile = await loadProfile('nemotron-voicechat')
    const second = startLoopbackServer({
      profile,
      options: { port: running.port },
      replies: [],
      listeners: energyListener,
    })
    await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE' })
    await expect(second).rejects.toBeInstanceOf(UserError)
  })

  test('refuses a profile that it cannot serve before it listens', async () => {
    const profile = { ...(await loadProfile('nemotron-voicechat')), unit_ms: 81 }
    await expect(startLoopbackServer({ profile })).rejects.toMatchObject({ code: 'PROFILE_FIELD' })
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
