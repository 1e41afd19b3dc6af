/** A server that accepts every connection, without a protocol behind it but what a test gives it. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

export interface PlainServer {
  /** `127.0.0.1:PORT` */
  readonly host: string
  readonly url: string
  readonly openConnections: () => number
}

/**
 * Gone when the running test has ended.
 * @param capabilities what it says of itself; 404 where it says nothing
 */
export async function startPlainServer(
  options: {
    readonly capabilities?: object
    readonly onConnection?: (socket: WebSocket, request: IncomingMessage) => void
  } = {},
): Promise<PlainServer> {
  const { capabilities, onConnection } = options
  const server = createServer((_, response) => {
    response.writeHead(capabilities === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(capabilities ?? {}))
  })
  const sockets = new WebSocketServer({ server, perMessageDeflate: false })
  if (onConnection !== undefined) sockets.on('connection', onConnection)
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, url: `ws://${host}/v1/realtime`, openConnections: () => sockets.clients.size }
}
