/**
 * One connection of the lean transport: socket, handshake, closing. Its states follow the `ws` package step by step, down to
 * what is said of an end, because sessions are judged by it.
 *
 *   connecting --101--> open --close or breach, ours or theirs--> closing --socket gone--> over
 *       |                 '----------------socket gone---------------------------------------^
 *       '-- refused, failed, given up -------------------------------------------------------^
 */
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { connectionErrorText, GIVEN_UP, TIMED_OUT } from '../connection-error.js'
import { type Connection, type ConnectionHandlers, MAX_MESSAGE_BYTES } from '../transport.js'
import { FrameReader, type FrameSink } from './frame-reader.js'
import type { Violation } from './frame-violations.js'
import type { FrameWriter } from './frame-writer.js'
import { requestText, switchProblem } from './handshake.js'
import { UpgradeResponse } from './http-response.js'

export interface LeanConnectionParts {
  readonly address: TcpNetConnectOpts
  /** Undefined without TLS. */
  readonly tls: Pick<ConnectionOptions, 'secureContext' | 'servername'> | undefined
  readonly requestHead: string
  readonly key: string
  readonly writer: FrameWriter
  /** Shared: what is in it is valid during one call. */
  readonly readBuffer: Buffer
}

/** A server that never finishes the closing handshake is dropped after this long, as with `ws`. */
const CLOSE_TIMEOUT_MS = 30_000
/** Answers to pings that the socket has not taken; a server that asks for more does not read. */
const MAX_PENDING_PONGS = 60
const ABNORMAL_CLOSURE = 1006
/** First byte of a prepared frame: a whole text message. */
const TEXT_FRAME = 0x81

type Phase = 'connecting' | 'open' | 'closing' | 'over'

export class LeanConnection implements Connection, FrameSink {
  readonly #handlers: ConnectionHandlers
  readonly #parts: LeanConnectionParts
  readonly #socket: Socket
  readonly #frames = new FrameReader(this, MAX_MESSAGE_BYTES)
  #response: UpgradeResponse | undefined = new UpgradeResponse()
  #phase: Phase = 'connecting'
  #failure = ''
  #closeCode = ABNORMAL_CLOSURE
  #closeReason = ''
  #closeTimer: NodeJS.Timeout | undefined
  #pendingPongs = 0

  constructor(handlers: ConnectionHandlers, parts: LeanConnectionParts) {
    this.#handlers = handlers
    this.#parts = parts
    const { address, tls, readBuffer } = parts
    const onread = { buffer: readBuffer, callback: (length: number) => this.#onBytes(length) }
    const options = { ...address, ...tls, onread }
    this.#socket = tls === undefined ? connect(options) : connectTls(options)
    this.#socket
      .once(tls === undefined ? 'connect' : 'secureConnect', () => this.#sendRequest())
      .once('timeout', () => this.#failHandshake(TIMED_OUT))
      .on('error', (error) => this.#failHandshake(connectionErrorText(error)))
      .once('end', () => this.#onEnd())
      .once('close', () => this.#onGone())
  }

  send(frame: Buffer | string, onTaken: (error?: Error | null) => void): void {
    if (this.#phase !== 'open') {
      process.nextTick(onTaken, new Error(`WebSocket is not open: ${this.#phase}`))
      return
    }
    if (typeof frame !== 'string' && frame[0] !== TEXT_FRAME) throw new Error('a frame that was not prepared')
    this.#socket.write(typeof frame === 'string' ? this.#parts.writer.text(frame) : frame, onTaken)
  }

  close(code: number): void {
    if (this.#phase === 'connecting') this.terminate()
    else if (this.#phase === 'open') this.#sendClose(code, '')
  }

  terminate(): void {
    if (this.#phase === 'over') return
    this.#frames.stop()
    if (this.#phase === 'connecting') process.nextTick(() => this.#failHandshake(GIVEN_UP))
    else this.#phase = 'closing'
    this.#socket.destroy()
  }

  onText(bytes: Buffer, from: number, to: number): void {
    this.#handlers.onText(bytes, from, to)
  }

  onBinary(bytes: number): void {
    this.#handlers.onBinary(bytes)
  }

  onPing(payload: Buffer): void {
    if (this.#phase !== 'open') return
    if (this.#pendingPongs >= MAX_PENDING_PONGS) {
      this.terminate()
      return
    }
    this.#pendingPongs += 1
    this.#socket.write(this.#parts.writer.pong(payload), () => {
      this.#pendingPongs -= 1
    })
  }

  onClose(code: number, reason: string): void {
    this.#closeCode = code
    this.#closeReason = reason
    if (this.#phase === 'open') this.#sendClose(code, reason)
    this.#socket.end()
  }

  onViolation({ closeCode, message }: Violation): void {
    this.#failure = message
    if (this.#phase === 'open') this.#sendClose(closeCode, '')
    this.#socket.end()
  }

  #sendRequest(): void {
    this.#socket.write(requestText(this.#parts.requestHead, this.#parts.key), 'latin1')
  }

  /** Always reads on: what is not wanted any more is dropped here. */
  #onBytes(length: number): boolean {
    const { readBuffer } = this.#parts
    if (this.#phase === 'connecting') this.#onResponse(readBuffer, length)
    else this.#frames.read(readBuffer, 0, length)
    return true
  }

  #onResponse(bytes: Buffer, length: number): void {
    const progress = this.#response?.read(bytes, 0, length)
    switch (progress?.kind) {
      case 'switched': {
        const problem = switchProblem(progress.headers, this.#parts.key)
        if (problem !== undefined) {
          this.#failHandshake(problem)
          return
        }
        this.#response = undefined
        this.#phase = 'open'
        this.#socket.setTimeout(0)
        this.#handlers.onOpen()
        this.#frames.read(bytes, progress.restAt, length)
        return
      }
      case 'refused':
        this.#refuse(progress)
        return
      case 'malformed':
        this.#failHandshake(progress.message)
        return
      default:
    }
  }

  /** A refusal whose body broke off is a refusal all the same. */
  #failHandshake(message: string): void {
    if (this.#phase !== 'connecting') return
    const refusal = this.#response?.refusal
    if (refusal !== undefined) {
      this.#refuse(refusal)
      return
    }
    this.#phase = 'over'
    this.#frames.stop()
    this.#socket.destroy()
    this.#handlers.onFailed(message)
  }

  #refuse({ status, body }: { readonly status: number; readonly body: string }): void {
    this.#phase = 'over'
    this.#frames.stop()
    this.#socket.destroy()
    this.#handlers.onRefused({ status, body })
  }

  #sendClose(code: number, reason: string): void {
    this.#phase = 'closing'
    this.#socket.write(this.#parts.writer.close(code, reason))
    this.#closeTimer = setTimeout(() => this.#socket.destroy(), CLOSE_TIMEOUT_MS)
  }

  /** The server sends nothing more; the socket closes our side by itself. */
  #onEnd(): void {
    if (this.#phase === 'open') this.#phase = 'closing'
  }

  #onGone(): void {
    if (this.#closeTimer !== undefined) clearTimeout(this.#closeTimer)
    this.#frames.stop()
    if (this.#phase === 'connecting') this.#failHandshake('ECONNRESET: socket hang up')
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#handlers.onClosed(this.#closeCode, this.#closeReason === '' ? this.#failure : this.#closeReason)
  }
}
