/** A session is recorded alike whichever transport carried it. */
import { expect, test } from 'vitest'
import { US_PER_MS, US_PER_S } from '../../src/base/clock.js'
import { SystemClock } from '../../src/base/system-clock.io.js'
import { createLevelTransport } from '../../src/load/level-transport.io.js'
import { type SessionResult, SessionRunner } from '../../src/load/session-runner.js'
import type { TransportName } from '../../src/load/transport-choice.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { driverOf } from '../../src/protocol/registry.js'
import { MemorySink } from '../helpers/memory-sink.js'
import { closeFrame, type Peer, serverFrame, startRawServer } from './transport-server.js'

const PACKETS = 3

const event = (type: string, fields: object = {}) => JSON.stringify({ type, event_id: `evt_${type}`, ...fields })
const whole = (...texts: string[]) => Buffer.concat(texts.map((text) => serverFrame(1, text)))
/** One event in two frames, with a ping between them. */
const fragmented = (text: string) =>
  Buffer.concat([
    serverFrame(1, Buffer.from(text).subarray(0, 20), { isFinal: false }),
    serverFrame(9, 'are you there'),
    serverFrame(0, Buffer.from(text).subarray(20)),
  ])
const hasSent = (peer: Peer, type: string) => peer.texts.some((text) => JSON.parse(text).type === type)

/** Keeps the protocol to its end. */
async function complete(peer: Peer): Promise<void> {
  peer.socket.write(Buffer.concat([peer.acceptance(), fragmented(event('session.created', { session: { id: 's' } }))]))
  await peer.until(() => hasSent(peer, 'session.update'))
  peer.socket.write(whole(event('session.updated', { session: { id: 's', note: 'grün\n' } })))
  await peer.until(() => hasSent(peer, 'sglang.input_audio.end'))
  peer.socket.write(
    whole(event('response.audio.delta', { delta: 'A'.repeat(90_000) }), event('sglang.input_audio.drained')),
  )
  await peer.until(() => hasSent(peer, 'session.close'))
  peer.socket.write(Buffer.concat([whole(event('session.closed')), closeFrame(1000, 'bye')]))
  await peer.until(() => peer.hasEnded)
  peer.socket.end()
}

async function afterOpening(peer: Peer, end: (peer: Peer) => void): Promise<void> {
  peer.socket.write(Buffer.concat([peer.acceptance(), whole(event('session.created'))]))
  await peer.until(() => hasSent(peer, 'session.update'))
  end(peer)
  await peer.until(() => peer.hasEnded)
  peer.socket.end()
}

const SERVERS: { readonly name: string; readonly serve: (peer: Peer) => unknown; readonly kind: string }[] = [
  { name: 'keeps the protocol', serve: complete, kind: 'completed' },
  {
    name: 'closes with a code and a reason',
    serve: (peer) => afterOpening(peer, ({ socket }) => socket.write(closeFrame(1013, 'try later'))),
    kind: 'disconnected',
  },
  {
    name: 'goes away',
    serve: (peer) => afterOpening(peer, ({ socket }) => socket.resetAndDestroy()),
    kind: 'disconnected',
  },
  {
    name: 'sends a frame that breaks the rules',
    serve: (peer) => afterOpening(peer, ({ socket }) => socket.write(serverFrame(1, '{}', { isMasked: true }))),
    kind: 'disconnected',
  },
  {
    name: 'sends a binary frame',
    serve: (peer) => afterOpening(peer, ({ socket }) => socket.write(serverFrame(2, 'pcm'))),
    kind: 'undecodable',
  },
  {
    name: 'sends what is no JSON',
    serve: (peer) => afterOpening(peer, ({ socket }) => socket.write(serverFrame(1, 'hello'))),
    kind: 'undecodable',
  },
  {
    name: 'refuses',
    serve: ({ socket }) => socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\nno key'),
    kind: 'refused',
  },
  {
    name: 'is full',
    serve: ({ socket }) => socket.end('HTTP/1.1 503 Full\r\nContent-Length: 0\r\n\r\n'),
    kind: 'denied',
  },
  { name: 'hangs up', serve: ({ socket }) => socket.end(), kind: 'unreachable' },
]

test.each(SERVERS)('of a server that $name', async ({ serve, kind }) => {
  const server = await startRawServer((peer) => void serve(peer))
  const ws = await record('ws', server.url)
  const lean = await record('lean', server.url)
  expect(ws.outcome.kind).toBe(kind)
  expect(lean).toEqual(ws)
})

/** Everything that is stored of one session, times aside; the two directions apart, since times order them. */
async function record(name: TransportName, url: string) {
  const profile = await loadProfile('minicpmo-native')
  const driver = driverOf(profile)
  const transport = createLevelTransport(name, { url, headers: {}, handshakeTimeoutMs: 5_000 })
  const rate = profile.input.sample_rate_hz
  const packets = driver.packets(new Int16Array((rate * 80 * PACKETS) / 1000).fill(7), profile)
  const sink = new MemorySink({ packets })
  const clock = new SystemClock()
  const result = await new Promise<SessionResult>((resolve) => {
    new SessionRunner({
      clock,
      transport,
      script: driver.createScript(profile),
      packets: { ...packets, frames: packets.frames.map((frame) => transport.prepare(frame)) },
      sampleRateHz: rate,
      packetUs: 80 * US_PER_MS,
      unitSamples: undefined,
      limits: {
        admissionRetries: 1,
        admissionBackoffUs: US_PER_MS,
        admissionTimeoutUs: 5 * US_PER_S,
        sessionTimeoutUs: 20 * US_PER_S,
        postCloseUs: 10 * US_PER_MS,
      },
      sink,
      observer: {},
      requestStart: (start) => start(clock.nowUs()),
      redact: (text) => text,
      onEnd: resolve,
    }).begin()
  })
  const lines = sink.lines.map((line) => JSON.parse(line) as { direction: string; event: unknown })
  const of = (wanted: string) => lines.filter(({ direction }) => direction === wanted).map((line) => line.event)
  return {
    outcome: result.outcome,
    send: of('send'),
    receive: of('receive'),
    admission: of('admission'),
    error: of('error'),
    packets: sink.sentPackets.map(({ eventId, doneAtUs, startAtUs }) => [
      eventId,
      doneAtUs !== undefined && doneAtUs >= startAtUs,
    ]),
  }
}
