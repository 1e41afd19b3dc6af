/**
 * Connections over the `ws` package. Compression and client pings are off, because both disturb the timing of packets;
 * incoming messages are limited as the field's recorder limits them.
 */
import WebSocket from 'ws'
import { connectionErrorText } from './connection-error.js'
import {
  type Connection,
  type ConnectionHandlers,
  type LevelTransport,
  MAX_MESSAGE_BYTES,
  MAX_REFUSAL_BODY_LENGTH,
  type TransportOptions,
} from './transport.js'

export class WsTransport implements LevelTransport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** The package frames and masks every message anew. */
  prepare(message: Buffer): Buffer {
    return message
  }

  connect(handlers: ConnectionHandlers): Connection {
    const { url, headers, handshakeTimeoutMs } = this.#options
    const socket = new WebSocket(url, {
      headers: { ...headers },
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: handshakeTimeoutMs,
      skipUTF8Validation: false,
      followRedirects: false,
    })
    let isOpen = false
    let isOver = false
    /** The package still delivers what it had read when it was told to drop the connection. */
    let isDropped = false
    let failure = ''
    /** Reports a refusal whose body is still on its way; a broken body does not change the answer. */
    let reportRefusal: (() => void) | undefined
    const finish = (report: () => void) => {
      if (isOver) return
      isOver = true
      report()
    }
    socket.on('open', () => {
      isOpen = true
      handlers.onOpen()
    })
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isOver || isDropped) return
      if (isBinary) handlers.onBinary(data.length)
      else handlers.onText(data, 0, data.length)
    })
    // A listener here takes over the request: it has to be ended by us, or the socket would linger.
    socket.on('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      let body = ''
      const report = () => {
        finish(() => handlers.onRefused({ status, body: body.slice(0, MAX_REFUSAL_BODY_LENGTH) }))
        request.destroy()
      }
      reportRefusal = report
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length >= MAX_REFUSAL_BODY_LENGTH) report()
      })
      response.on('end', report)
      response.on('error', report)
      response.on('close', report)
    })
    socket.on('error', (error) => {
      failure = connectionErrorText(error)
      reportRefusal?.()
      if (!isOpen) finish(() => handlers.onFailed(failure))
    })
    socket.on('close', (code, reason) => {
      const text = reason.toString('utf8')
      if (isOpen) finish(() => handlers.onClosed(code, text === '' ? failure : text))
      else finish(() => handlers.onFailed(failure === '' ? `closed with code ${code} before it opened` : failure))
    })
    return {
      send: (frame, onTaken) => socket.send(frame, { binary: false, compress: false }, onTaken),
      close: (code) => socket.close(code),
      terminate: () => {
        isDropped = true
        socket.terminate()
      },
    }
  }
}
