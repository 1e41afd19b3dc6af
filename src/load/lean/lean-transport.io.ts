/**
 * Connections over plain sockets, for paced sessions in large numbers: `ws` without what a load generator does not need.
 * A packet is one write of bytes that were framed once for all sessions; what arrives is read into one buffer that the
 * connections of a level share, and decoded there. Compression, subprotocols and client pings do not exist; everything else
 * is as with `ws-transport.io.ts`, and one test suite holds both to it.
 */
import { randomBytes } from 'node:crypto'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Connection, ConnectionHandlers, LevelTransport, TransportOptions } from '../transport.js'
import { FrameWriter } from './frame-writer.js'
import { requestHead, type Target, targetOf } from './handshake.js'
import { LeanConnection } from './lean-connection.io.js'

/** What one read takes at most; the size that Node itself reads in. */
const READ_BUFFER_BYTES = 64 * 1024

export class LeanTransport implements LevelTransport {
  readonly #target: Target
  readonly #requestHead: string
  readonly #handshakeTimeoutMs: number
  readonly #writer = new FrameWriter(randomMask())
  readonly #readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES)
  /** Made once: the roots of trust are long, and a context of its own for each connection would read them all again. */
  readonly #secureContext: SecureContext | undefined

  constructor({ url, headers, handshakeTimeoutMs }: TransportOptions) {
    const parsed = new URL(url)
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    this.#target = targetOf(parsed)
    this.#requestHead = requestHead(parsed, headers)
    this.#handshakeTimeoutMs = handshakeTimeoutMs
    this.#secureContext = this.#target.isSecure ? createSecureContext() : undefined
  }

  prepare(message: Buffer): Buffer {
    return this.#writer.text(message)
  }

  connect(handlers: ConnectionHandlers): Connection {
    const { host, port } = this.#target
    return new LeanConnection(handlers, {
      address: { host, port, timeout: this.#handshakeTimeoutMs, noDelay: true },
      tls:
        this.#secureContext === undefined
          ? undefined
          : { secureContext: this.#secureContext, servername: isIP(host) === 0 ? host : '' },
      requestHead: this.#requestHead,
      key: randomBytes(16).toString('base64'),
      writer: this.#writer,
      readBuffer: this.#readBuffer,
    })
  }
}

function randomMask(): Buffer {
  const mask = randomBytes(4)
  // No byte of it may be zero: see FrameWriter.
  return mask.map((byte) => byte || 0x5a) as Buffer
}
