/**
 * Raw servers for the transports: bytes in, bytes out, nothing done for the test and nothing put right. Frames of the client
 * are taken apart here by a reader of their own, so that a mistake shared with the code under test cannot hide.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { Connection, ConnectionHandlers, Transport } from '../../src/load/transport.js'

export interface ClientFrame {
  readonly opcode: number
  readonly mask: Buffer
  readonly payload: Buffer
}

/** One connection, seen from the server. */
export class Peer {
  readonly socket: Socket
  readonly frames: ClientFrame[] = []
  request = ''
  hasEnded = false
  #bytes = Buffer.alloc(0)
  #watchers: (() => void)[] = []

  constructor(socket: Socket, onRequest: (peer: Peer) => void) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('end', () => {
      this.hasEnded = true
      this.#changed()
    })
    socket.on('close', () => this.#changed())
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      if (this.request === '') {
        const end = this.#bytes.indexOf('\r\n\r\n')
        if (end < 0) return
        this.request = this.#bytes.toString('latin1', 0, end)
        this.#bytes = this.#bytes.subarray(end + 4)
        onRequest(this)
      }
      for (let frame = this.#takeFrame(); frame !== undefined; frame = this.#takeFrame()) this.frames.push(frame)
      this.#changed()
    })
  }

  get headers(): Record<string, string> {
    const lines = this.request.split('\r\n').slice(1)
    return Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.replace(/^.*?: /, '')]))
  }

  get texts(): string[] {
    return this.frames.filter(({ opcode }) => opcode === 1).map(({ payload }) => payload.toString())
  }

  /** The 101 that fits this client's key. @param extra further header lines */
  acceptance(extra = '', accept = acceptOf(this.headers['sec-websocket-key'] ?? '')): Buffer {
    return Buffer.from(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${extra}\r\n`,
    )
  }

  /** Writes each piece in a turn of its own, so that the client, in the same process, has read the piece before. */
  async writePieces(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      if (piece.length > 0) this.socket.write(piece)
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Resolves when it is so, at the latest by the time limit of the test. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }

  #changed(): void {
    for (const wake of this.#watchers.splice(0)) wake()
  }

  #takeFrame(): ClientFrame | undefined {
    const bytes = this.#bytes
    if (bytes.length < 2) return undefined
    const [first, second] = bytes as unknown as [number, number]
    if ((first & 0xf0) !== 0x80 || (second & 0x80) === 0) throw new Error('a frame that is cut, reserved or not masked')
    const short = second & 0x7f
    const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2
    if (bytes.length < maskAt + 4) return undefined
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
    if (bytes.length < maskAt + 4 + length) return undefined
    const mask = Buffer.from(bytes.subarray(maskAt, maskAt + 4))
    const masked = bytes.subarray(maskAt + 4, maskAt + 4 + length)
    this.#bytes = bytes.subarray(maskAt + 4 + length)
    return {
      opcode: first & 0x0f,
      mask,
      payload: Buffer.from(masked.map((byte, at) => byte ^ (mask[at & 3] as number))),
    }
  }
}

export interface RawServer {
  readonly port: number
  readonly url: string
  readonly peers: readonly Peer[]
}

/** Gone when the running test has ended. @param onRequest called when the head of an upgrade is there */
export async function startRawServer(
  onRequest: (peer: Peer) => void,
  options: { readonly tls?: boolean; readonly host?: string; readonly onSocket?: (socket: Socket) => void } = {},
): Promise<RawServer> {
  const peers: Peer[] = []
  const onConnection = (socket: Socket) => {
    socket.setNoDelay()
    options.onSocket?.(socket)
    peers.push(new Peer(socket, onRequest))
  }
  const vector = (name: string) => readFileSync(new URL(`../vectors/tls/${name}`, import.meta.url))
  // A half-closed connection stays as the test wants it.
  const server = options.tls
    ? createTlsServer({ key: vector('key.pem'), cert: vector('certificate.pem'), allowHalfOpen: true }, onConnection)
    : createServer({ allowHalfOpen: true }, onConnection)
  server.on('tlsClientError', () => undefined)
  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of peers) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, peers, url: `${options.tls ? 'wss' : 'ws'}://127.0.0.1:${port}/v1/realtime?model=m` }
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

/** A frame as a server may send it, or as it must not. */
export function serverFrame(
  opcode: number,
  payload: Buffer | string,
  odd: {
    readonly isFinal?: boolean
    readonly reserved?: number
    readonly isMasked?: boolean
    readonly length?: bigint
  } = {},
): Buffer {
  const bytes = Buffer.from(payload)
  const first = (odd.isFinal === false ? 0 : 0x80) | (odd.reserved ?? 0) | opcode
  const maskBit = odd.isMasked ? 0x80 : 0
  const length = odd.length ?? BigInt(bytes.length)
  let head: Buffer
  if (length < 126n) {
    head = Buffer.from([first, maskBit | Number(length)])
  } else if (length < 65_536n) {
    head = Buffer.from([first, maskBit | 126, 0, 0])
    head.writeUInt16BE(Number(length), 2)
  } else {
    head = Buffer.from([first, maskBit | 127, 0, 0, 0, 0, 0, 0, 0, 0])
    head.writeBigUInt64BE(length, 2)
  }
  return Buffer.concat([head, odd.isMasked ? Buffer.alloc(4) : Buffer.alloc(0), bytes])
}

export function closeFrame(code: number, reason: Buffer | string = ''): Buffer {
  return serverFrame(8, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]))
}

/** What a transport says of a connection, in order. */
export class Heard {
  readonly events: unknown[][] = []
  readonly connection: Connection
  #watchers: (() => void)[] = []

  /** @param on what to do, from within the call, when something is heard */
  constructor(transport: Transport, on: Partial<Record<string, (heard: Heard) => void>> = {}) {
    const note = (...event: unknown[]) => {
      this.events.push(event)
      on[String(event[0])]?.(this)
      for (const wake of this.#watchers.splice(0)) wake()
    }
    const handlers: ConnectionHandlers = {
      onOpen: () => note('open'),
      onText: (bytes, from, to) => note('text', bytes.toString('utf8', from, to)),
      onBinary: (bytes) => note('binary', bytes),
      onRefused: ({ status, body }) => note('refused', status, body),
      onFailed: (message) => note('failed', message),
      onClosed: (code, reason) => note('closed', code, reason),
    }
    this.connection = transport.connect(handlers)
    onTestFinished(() => this.connection.terminate())
  }

  async until(kind: string): Promise<this> {
    while (!this.events.some(([name]) => name === kind)) {
      if (this.isOver) throw new Error(`over without ${kind}: ${JSON.stringify(this.events)}`)
      await new Promise<void>((resolve) => this.#watchers.push(resolve))
    }
    return this
  }

  /** All that was heard, to the end. */
  async toTheEnd(): Promise<unknown[][]> {
    while (!this.isOver) await new Promise<void>((resolve) => this.#watchers.push(resolve))
    return this.events
  }

  get isOver(): boolean {
    return this.events.some(([name]) => name === 'refused' || name === 'failed' || name === 'closed')
  }
}
