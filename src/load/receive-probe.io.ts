/**
 * How late this process reads what has arrived: it writes time stamps to itself over a TCP pair on the loopback interface
 * and looks at the clock when it reads them. What the kernel adds is some ten microseconds; the rest is the wait of every
 * socket of this process for its turn.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Clock, DurationUs } from '../base/clock.js'

const STAMP_BYTES = 8
/** A loopback connection takes a fraction of a millisecond; where it takes this long there is no use in it. */
const OPEN_TIMEOUT_MS = 1000
const GAP_MIN_MS = 30
const GAP_SPREAD_MS = 30
/** Multiples of it modulo 1 fill the interval evenly and never repeat, so probes keep no step with packets. */
const GOLDEN_RATIO = 0.618033988749895

export class ReceiveProbe {
  readonly #clock: Clock
  readonly #written = Buffer.alloc(STAMP_BYTES)
  readonly #read = Buffer.alloc(STAMP_BYTES)
  #pair: Pair | undefined
  #onDelay: (delayUs: DurationUs) => void = () => undefined
  #readLength = 0
  #probes = 0
  #isUnread = false
  #timer: NodeJS.Timeout | undefined

  private constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Opens the pair; nothing is sent before `start`. It does not keep the process alive.
   * @returns undefined where the host lets nobody listen on its loopback interface
   */
  static async open(clock: Clock): Promise<ReceiveProbe | undefined> {
    const probe = new ReceiveProbe(clock)
    probe.#pair = await openPair((bytes) => probe.#onBytes(bytes)).catch(() => undefined)
    return probe.#pair === undefined ? undefined : probe
  }

  /**
   * Some twenty probes a second from here on.
   * @param onDelay hears the delay of every stamp that was read, microseconds
   */
  start(onDelay: (delayUs: DurationUs) => void): void {
    this.#onDelay = onDelay
    this.#scheduleNext()
  }

  /** Writes one stamp, unless the last one has not been read yet: it waits for both. */
  send(): void {
    if (this.#pair === undefined || this.#isUnread) return
    this.#isUnread = true
    this.#written.writeDoubleBE(this.#clock.nowUs())
    this.#pair.writer.write(this.#written)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#pair?.writer.destroy()
    this.#pair?.reader.destroy()
    this.#pair = undefined
  }

  #scheduleNext(): void {
    if (this.#pair === undefined) return
    this.#probes += 1
    const gapMs = GAP_MIN_MS + GAP_SPREAD_MS * ((this.#probes * GOLDEN_RATIO) % 1)
    this.#timer = setTimeout(() => {
      // By turns before and after the loop has read its sockets: right after the timers, a stamp would always be seen first.
      if (this.#probes % 2 === 0) this.send()
      else setImmediate(() => this.send()).unref()
      this.#scheduleNext()
    }, gapMs).unref()
  }

  #onBytes(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#read[this.#readLength] = byte
      this.#readLength += 1
      if (this.#readLength < STAMP_BYTES) continue
      this.#readLength = 0
      this.#isUnread = false
      this.#onDelay(this.#clock.nowUs() - this.#read.readDoubleBE())
    }
  }
}

interface Pair {
  readonly writer: Socket
  readonly reader: Socket
}

async function openPair(onBytes: (bytes: Uint8Array) => void): Promise<Pair> {
  const server = createServer({ noDelay: true })
  let reader: Socket | undefined
  try {
    await within(OPEN_TIMEOUT_MS, listening(server))
    const { port } = server.address() as AddressInfo
    const accepted = new Promise<Socket>((resolve) => {
      server.on('connection', (socket) => {
        // Anybody on the host may have connected first.
        if (socket.remotePort === reader?.localPort) resolve(socket)
        else socket.destroy()
      })
    })
    const connected = new Promise<void>((resolve, reject) => {
      reader = connect({
        host: '127.0.0.1',
        port,
        noDelay: true,
        onread: {
          buffer: Buffer.alloc(64),
          callback: (length, buffer) => {
            onBytes(buffer.subarray(0, length))
            return true
          },
        },
      })
      reader.once('connect', resolve).once('error', reject)
    })
    const [writer] = await within(OPEN_TIMEOUT_MS, Promise.all([accepted, connected]))
    if (reader === undefined) throw new Error('no connection')
    for (const socket of [writer, reader as Socket]) socket.unref().on('error', () => undefined)
    return { writer, reader }
  } catch (thrown) {
    reader?.destroy()
    throw thrown
  } finally {
    server.close()
  }
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${limitMs} ms`)), limitMs)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}
