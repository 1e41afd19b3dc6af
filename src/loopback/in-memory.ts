/**
 * A client and the loopback server in one process, without sockets, for tests on a virtual clock: frames and closings
 * arrive after a fixed time, in order, in both directions.
 */
import type { Clock, DurationUs } from '../base/clock.js'
import type { LoopbackCore } from './core.js'
import { FaultInjector, NO_FAULTS } from './fault-injector.js'
import type { FaultLine } from './fault-line.js'

export interface InMemoryConnection {
  send(text: string): void
  sendBinary(): void
  /** With a code: begins a closing handshake. Without one: drops the connection. */
  close(code?: number): void
  /** Set these at once: nothing is delivered before the clock moves. */
  onOpen: () => void
  onMessage: (text: string) => void
  onBinary: (bytes: Uint8Array) => void
  onClose: (code: number, reason: string) => void
  onRefused: (httpStatus: number) => void
}

/** What a socket reports when it ends without a close frame. */
const NO_STATUS_CODE = 1005
/** The same where the server has cut it. */
const ABNORMAL_CODE = 1006

/**
 * Asks for an upgrade; it reaches the server after `latencyUs`, and the answer comes back after as much again.
 * @param faults the server's; without it nothing goes wrong
 */
export function connectInMemory(
  server: LoopbackCore,
  clock: Clock,
  latencyUs: DurationUs,
  query = '',
  faults = new FaultInjector(clock, 'native', NO_FAULTS),
): InMemoryConnection {
  const later = (deliver: () => void) => clock.at(clock.nowUs() + latencyUs, deliver)
  const noEvent = () => {}
  let session: FaultLine | undefined
  let isClosed = false

  const closeClient = (code: number, reason: string) => {
    if (isClosed) return
    isClosed = true
    client.onClose(code, reason)
  }
  const client: InMemoryConnection = {
    send: (text) => later(() => session?.receive(text)),
    sendBinary: () => later(() => session?.receiveBinary()),
    close: (code) =>
      later(() => {
        const isAnswered = session?.answersClose ?? true
        if (isAnswered || (code === undefined && session?.noticesLoss)) session?.disconnected()
        if (isAnswered || code === undefined) later(() => closeClient(code ?? NO_STATUS_CODE, ''))
      }),
    onOpen: noEvent,
    onMessage: noEvent,
    onBinary: noEvent,
    onClose: noEvent,
    onRefused: noEvent,
  }

  const whileOpen = (deliver: () => void) =>
    later(() => {
      if (!isClosed) deliver()
    })

  later(() => {
    const answer = faults.upgrade()
    if (answer.kind === 'refuse') {
      later(() => client.onRefused(answer.httpStatus))
      return
    }
    if (answer.kind === 'refuse_in_band') {
      later(() => client.onOpen())
      whileOpen(() => client.onMessage(answer.frame))
      later(() => closeClient(answer.code, answer.reason))
      return
    }
    const line = faults.line({
      send: (text) => whileOpen(() => client.onMessage(text)),
      sendBinary: (bytes) => whileOpen(() => client.onBinary(bytes)),
      close: (code, reason) => later(() => closeClient(code, reason)),
      cut: () => later(() => closeClient(ABNORMAL_CODE, '')),
      stopReading: noEvent,
    })
    const connection = server.connect(line, query)
    if (connection.kind === 'refused') {
      later(() => client.onRefused(connection.httpStatus))
      return
    }
    if (connection.kind === 'accepted') line.admitted(connection.session)
    const open = () => {
      later(() => client.onOpen())
      if (connection.kind === 'closed') {
        later(() => closeClient(connection.code, connection.reason))
        return
      }
      session = line
      connection.session.open()
    }
    if (answer.delayUs === 0) open()
    else clock.at(clock.nowUs() + answer.delayUs, open)
  })
  return client
}
