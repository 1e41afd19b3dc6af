/**
 * The loopback server on real sockets: HTTP and WebSocket around a `LoopbackCore`. It moves frames and answers the few
 * HTTP requests of a deployment; what a session does is not its business.
 *
 *   GET  /health                        200
 *   GET  /v1/models                     the one model
 *   GET  /v1/realtime/capabilities      503 until the server is ready; 404 where the protocol has no such document
 *   GET  /metrics                       Prometheus text
 *   upgrade /v1/realtime                a session, or 503; any other path 404
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Registry } from 'prom-client'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../base/clock.js'
import { UserError } from '../base/errors.js'
import { SystemClock } from '../base/system-clock.io.js'
import type { Profile } from '../profile/profile.js'
import type { Reply } from './conversation.js'
import { LoopbackCore, type LoopbackStats } from './core.js'
import { FaultInjector } from './fault-injector.js'
import type { ListenerFactory } from './hearing.js'
import { type LoopbackOptions, type LoopbackOptionsInput, loopbackOptionsSchema } from './options.js'
import { loopbackMetrics } from './prometheus.js'
import { servedProtocol } from './session-registry.js'
import { loadListeners, loadReplies } from './voices-and-ears.io.js'

export interface LoopbackServerSettings {
  readonly profile: Profile
  readonly options?: LoopbackOptionsInput
  /** The real clock unless given. */
  readonly clock?: Clock
  /** The built-in ones unless given; at the profile's output rate. The server is not ready before it has them. */
  readonly replies?: readonly Reply[] | Promise<readonly Reply[]>
  /** As `options.listen` says unless given. */
  readonly listeners?: ListenerFactory
}

export interface LoopbackServer {
  /** `ws://host:port/v1/realtime` */
  readonly url: string
  readonly port: number
  readonly stats: LoopbackStats
  /** Ends all sessions and gives the port back. */
  close(): Promise<void>
}

const REALTIME_PATH = '/v1/realtime'
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024

/**
 * Resolves when the server is ready; the port answers 503 before that.
 * @throws UserError for a profile it cannot serve, and PORT_IN_USE
 */
export async function startLoopbackServer(settings: LoopbackServerSettings): Promise<LoopbackServer> {
  const options = loopbackOptionsSchema.parse(settings.options ?? {})
  servedProtocol(settings.profile, options)
  const clock = settings.clock ?? new SystemClock()
  const faults = new FaultInjector(clock, settings.profile.protocol, options)
  const outputRateHz = settings.profile.output.sample_rate_hz
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX })
  let ready: ReadyServer | undefined

  const http = createServer((request, response) => answer(request, response, ready))
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    const { path, query } = splitTarget(request)
    if (path !== REALTIME_PATH) refuseUpgrade(socket, '404 Not Found')
    else if (ready === undefined) refuseUpgrade(socket, '503 Service Unavailable')
    else acceptUpgrade({ ...ready, clock, sockets, request, socket, head, query, options })
  })
  const port = await listen(http, options)
  try {
    const core = new LoopbackCore({
      profile: settings.profile,
      options,
      clock,
      replies: await (settings.replies ?? loadReplies(outputRateHz)),
      listeners: settings.listeners ?? (await loadListeners(options.listen)),
    })
    ready = { core, faults, metrics: loopbackMetrics(core) }
    return {
      url: `ws://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${REALTIME_PATH}`,
      port,
      get stats() {
        return core.stats
      },
      close: () => closeServer(http, sockets, core),
    }
  } catch (problem) {
    http.close()
    throw problem
  }
}

interface ReadyServer {
  readonly core: LoopbackCore
  readonly faults: FaultInjector
  readonly metrics: Registry
}

interface Upgrade {
  readonly core: LoopbackCore
  readonly faults: FaultInjector
  readonly clock: Clock
  readonly sockets: WebSocketServer
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly query: string
  readonly options: LoopbackOptions
}

function acceptUpgrade(upgrade: Upgrade): void {
  const { core, faults, clock, sockets, request, socket, head, query, options } = upgrade
  const answer = faults.upgrade()
  if (answer.kind === 'refuse') {
    refuseUpgrade(socket, '503 Service Unavailable')
    return
  }
  if (answer.kind === 'refuse_in_band') {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate())
      opened.send(answer.frame)
      opened.close(answer.code, answer.reason)
    })
    return
  }
  let webSocket: WebSocket | undefined
  const line = faults.line({
    send: (text) => {
      if (webSocket === undefined) return
      webSocket.send(text)
      // A client that does not read would make the server keep everything it ever said.
      if (webSocket.bufferedAmount > options.maxOutputBytes) webSocket.terminate()
    },
    sendBinary: (bytes) => webSocket?.send(bytes),
    // Before the handshake there is no close frame to send.
    close: (code, reason) => (webSocket === undefined ? socket.destroy() : webSocket.close(code, reason)),
    cut: () => webSocket?.terminate(),
    stopReading: () => webSocket?.pause(),
  })
  const connection = core.connect(line, query)
  if (connection.kind === 'refused') {
    refuseUpgrade(socket, '503 Service Unavailable')
    return
  }
  if (connection.kind === 'accepted') line.admitted(connection.session)
  // Before the handshake is over, only the raw socket can tell that the client has gone.
  socket.once('close', () => line.disconnected())
  const open = () => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      webSocket = opened
      opened.on('error', () => opened.terminate())
      if (connection.kind === 'closed') {
        opened.close(connection.code, connection.reason)
        return
      }
      // The package answers a client's close through this method.
      if (!line.answersClose) opened.close = () => undefined
      opened.on('message', (data: Buffer, isBinary) => {
        if (isBinary) line.receiveBinary()
        else line.receive(data.toString('utf8'))
      })
      connection.session.open()
    })
  }
  if (answer.delayUs === 0) open()
  else clock.at(clock.nowUs() + answer.delayUs, () => socket.destroyed || open())
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

function answer(request: IncomingMessage, response: ServerResponse, ready: ReadyServer | undefined): void {
  const { path } = splitTarget(request)
  const json = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const isKnown = ['/health', '/v1/models', `${REALTIME_PATH}/capabilities`, '/metrics', REALTIME_PATH].includes(path)
  if (!isKnown) json(404, { error: { message: 'not found' } })
  else if (path === REALTIME_PATH) json(426, { error: { message: 'this is a WebSocket endpoint' } })
  else if (request.method !== 'GET') json(405, { error: { message: 'only GET' } })
  else if (ready === undefined) json(503, { error: { message: 'instance is not ready' } })
  else if (path === '/health') json(200, { status: 'healthy' })
  else if (path === '/v1/models') json(200, modelList(ready.core.model))
  else if (path === '/metrics') void answerMetrics(response, ready.metrics)
  else {
    const capabilities = ready.core.capabilities()
    if (capabilities === undefined) json(404, { error: { message: 'not found' } })
    else json(200, capabilities)
  }
}

async function answerMetrics(response: ServerResponse, metrics: Registry): Promise<void> {
  const text = await metrics.metrics()
  response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
}

function modelList(model: string): Record<string, unknown> {
  return { object: 'list', data: [{ id: model, object: 'model', owned_by: 'floorload-loopback' }] }
}

function splitTarget(request: IncomingMessage): { path: string; query: string } {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2)
  return { path, query }
}

/** @returns the port, which the system chose where 0 was asked for */
function listen(http: Server, { host, port }: LoopbackOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', (problem: NodeJS.ErrnoException) => reject(problemOfListening(problem, host, port)))
    http.listen({ host, port }, () => resolve((http.address() as AddressInfo).port))
  })
}

function problemOfListening(problem: NodeJS.ErrnoException, host: string, port: number): Error {
  if (problem.code === 'EADDRINUSE') {
    return new UserError({
      code: 'PORT_IN_USE',
      message: `port ${port} on ${host} is in use`,
      fix: 'choose another port, or 0 to let the system choose one',
      cause: problem,
    })
  }
  if (problem.code === 'EADDRNOTAVAIL' || problem.code === 'EACCES' || problem.code === 'ENOTFOUND') {
    return new UserError({
      code: 'USAGE',
      message: `cannot listen on ${host}, port ${port} (${problem.code})`,
      fix: 'choose an address of this host, 127.0.0.1 for this host alone, and a port from 1024',
      cause: problem,
    })
  }
  return problem
}

/** Sessions are told, and their sockets cut then, so that no client that has stopped reading can hold the server up. */
async function closeServer(http: Server, sockets: WebSocketServer, core: LoopbackCore): Promise<void> {
  core.shutDown()
  const closed = new Promise<void>((resolve) => http.close(() => resolve()))
  for (const socket of sockets.clients) socket.terminate()
  http.closeAllConnections()
  await closed
}
