/** HTTP servers that answer an upgrade with something else than a WebSocket. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RefusingServer {
  readonly url: string
  /** Upgrades that were asked for. */
  readonly upgrades: () => number
}

/** Refuses every upgrade; gone when the running test has ended. @param body what it says to it */
export async function startRefusingServer(
  status: number,
  body: (request: IncomingMessage) => string = () => '',
): Promise<RefusingServer> {
  let upgrades = 0
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    upgrades += 1
    const text = body(request)
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Content-Length: ${Buffer.byteLength(text)}`]
    socket.on('error', () => undefined)
    socket.end([...head, 'Content-Type: text/plain', 'Connection: close', '', text].join('\r\n'))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/realtime`, upgrades: () => upgrades }
}

/** An address at which nobody listens. */
export async function unreachableUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hasClosed = once(server, 'close')
  server.close()
  await hasClosed
  return `ws://127.0.0.1:${port}/v1/realtime`
}
