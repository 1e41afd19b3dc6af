/**
 * A client and the loopback server in one process, without sockets, for tests on a virtual clock: frames and closings
 * arrive after a fixed time, in order, in both directions.
 */
import type { Clock, DurationUs } from '../base/clock.js'
import type { LoopbackCore } from './core.js'

export interface InMemoryConnection {
  send(text: string): void
  sendBinary(): void
  close(code?: number): void
  /** Set these at once: nothing is delivered before the clock moves. */
  onOpen: () => void
  onMessage: (text: string) => void
  onClose: (code: number, reason: string) => void
  onRefused: (httpStatus: number) => void
}

/** What a socket reports when it ends without a close frame. */
const NO_STATUS_CODE = 1005

/** Asks for an upgrade; it reaches the server after `latencyUs`, and the answer comes back after as much again. */
export function connectInMemory(
  server: LoopbackCore,
  clock: Clock,
  latencyUs: DurationUs,
  query = '',
): InMemoryConnection {
  const later = (deliver: () => void) => clock.at(clock.nowUs() + latencyUs, deliver)
  const noEvent = () => {}
  let session: { receive(text: string): void; receiveBinary(): void; disconnected(): void } | undefined
  let isClosed = false

  const closeClient = (code: number, reason: string) => {
    if (isClosed) return
    isClosed = true
    client.onClose(code, reason)
  }
  const client: InMemoryConnection = {
    send: (text) => later(() => session?.receive(text)),
    sendBinary: () => later(() => session?.receiveBinary()),
    close: (code = NO_STATUS_CODE) =>
      later(() => {
        session?.disconnected()
        later(() => closeClient(code, ''))
      }),
    onOpen: noEvent,
    onMessage: noEvent,
    onClose: noEvent,
    onRefused: noEvent,
  }

  later(() => {
    const connection = server.connect(
      {
        send: (text) => {
          later(() => {
            if (!isClosed) client.onMessage(text)
          })
        },
        close: (code, reason) => {
          later(() => closeClient(code, reason))
        },
      },
      query,
    )
    if (connection.kind === 'refused') {
      later(() => client.onRefused(connection.httpStatus))
      return
    }
    later(() => client.onOpen())
    if (connection.kind === 'closed') {
      later(() => closeClient(connection.code, connection.reason))
      return
    }
    session = connection.session
    connection.session.open()
  })
  return client
}
