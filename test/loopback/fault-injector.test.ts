/** Which sessions a server's fault hits, and how a line carries it out. */
import { describe, expect, test } from 'vitest'
import { FaultInjector, type FaultSettings } from '../../src/loopback/fault-injector.js'
import type { Wire } from '../../src/loopback/fault-line.js'
import type { ProtocolName } from '../../src/profile/profile.js'
import { VirtualClock } from '../helpers/virtual-clock.js'

const SETTINGS: FaultSettings = { fault: null, faultEvery: 2, faultAtMs: 1000, faultMs: 5000 }
/** A client's time between two attempts. */
const BACKOFF_US = 250_000

function makeInjector(settings: Partial<FaultSettings>, protocol: ProtocolName = 'native') {
  const clock = new VirtualClock()
  return { clock, injector: new FaultInjector(clock, protocol, { ...SETTINGS, ...settings }) }
}

/** Everything that happens at both ends of a line, in order. */
function makeLine(injector: FaultInjector) {
  const log: string[] = []
  const note = (what: string) => (detail: unknown) => void log.push(`${what} ${String(detail)}`)
  const wire: Wire = {
    send: note('send'),
    sendBinary: note('binary'),
    close: (code, reason) => void log.push(`close ${code} ${reason}`),
    cut: () => void log.push('cut'),
    stopReading: () => void log.push('stop reading'),
  }
  const line = injector.line(wire)
  const admit = () =>
    line.admitted({
      receive: note('received'),
      receiveBinary: () => void log.push('received binary'),
      disconnected: () => void log.push('disconnected'),
    })
  return { line, log, admit }
}

const UPDATED = '{"type":"session.updated"}'
const FRAME = '{"type":"sglang.input_audio.accepted"}'

describe('which sessions', () => {
  test.each([
    { faultEvery: 1, hit: [1, 2, 3, 4, 5, 6] },
    { faultEvery: 2, hit: [2, 4, 6] },
    { faultEvery: 3, hit: [3, 6] },
  ])('every $faultEvery: $hit', async ({ faultEvery, hit }) => {
    const { clock, injector } = makeInjector({ fault: 'disconnect', faultEvery, faultAtMs: 0 })
    const lines = Array.from({ length: 6 }, () => makeLine(injector))
    for (const { line, admit } of lines) {
      admit()
      line.send(UPDATED)
    }
    await clock.runUntil(clock.nowUs() + 1000)
    expect(lines.flatMap(({ log }, index) => (log.includes('cut') ? [index + 1] : []))).toEqual(hit)
  })

  test('a connection that is not let in has no number', async () => {
    const { clock, injector } = makeInjector({ fault: 'disconnect', faultAtMs: 0 })
    const [first, , third] = [makeLine(injector), makeLine(injector), makeLine(injector)]
    for (const side of [first, third]) {
      side?.admit()
      side?.line.send(UPDATED)
    }
    await clock.runUntil(clock.nowUs() + 1000)
    expect([first?.log.includes('cut'), third?.log.includes('cut')]).toEqual([false, true])
  })

  test('a fault that the protocol cannot have is refused, with the ones that it can', () => {
    const make = () => makeInjector({ fault: 'receipt-missing' }, 'openai-realtime')
    expect(make).toThrow(expect.objectContaining({ code: 'USAGE', fix: expect.stringContaining('half-open') }))
    expect(make).not.toThrow(expect.objectContaining({ fix: expect.stringContaining('receipt-missing') }))
  })
})

describe('upgrades', () => {
  /** Clients that knock at the same instant, and again after each refusal. @returns refusals of each client until it is in */
  async function knock(
    settings: Partial<FaultSettings>,
    clients: number,
    attempts: number,
  ): Promise<(number | 'denied')[]> {
    const { clock, injector } = makeInjector(settings)
    const refusals = new Array<number>(clients).fill(0)
    let outside = refusals.map((_, index) => index)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const refused: number[] = []
      for (const client of outside) {
        if (injector.upgrade().kind === 'open') continue
        refusals[client] = (refusals[client] ?? 0) + 1
        refused.push(client)
      }
      outside = refused
      await clock.runUntil(clock.nowUs() + BACKOFF_US)
    }
    return refusals.map((count, client) => (outside.includes(client) ? 'denied' : count))
  }

  test.each([
    { fault: 'denied-twice', faultEvery: 2, clients: 9, expected: [0, 2, 0, 2, 0, 2, 0, 2, 0] },
    { fault: 'denied-twice', faultEvery: 1, clients: 9, expected: [2, 2, 2, 2, 2, 2, 2, 2, 2] },
    { fault: 'denied', faultEvery: 3, clients: 6, expected: [0, 0, 'denied', 0, 0, 'denied'] },
    { fault: 'denied', faultEvery: 1, clients: 3, expected: ['denied', 'denied', 'denied'] },
  ] as const)('$fault, every $faultEvery of $clients clients at once', async ({ clients, expected, ...settings }) => {
    expect(await knock(settings, clients, 4)).toEqual(expected)
  })

  test('a client that comes while another one waits is a session of its own', async () => {
    const { clock, injector } = makeInjector({ fault: 'denied-twice', faultEvery: 2 })
    expect(injector.upgrade().kind).toBe('open')
    expect(injector.upgrade().kind).toBe('refuse')
    await clock.runUntil(clock.nowUs() + 100_000)
    expect(injector.upgrade().kind).toBe('open')
    await clock.runUntil(clock.nowUs() + 150_000)
    expect(injector.upgrade().kind).toBe('refuse')
    await clock.runUntil(clock.nowUs() + BACKOFF_US)
    expect(injector.upgrade().kind).toBe('open')
  })

  test('a client that does not come back is forgotten', async () => {
    const { clock, injector } = makeInjector({ fault: 'denied-twice', faultEvery: 2 })
    injector.upgrade()
    expect(injector.upgrade().kind).toBe('refuse')
    await clock.runUntil(clock.nowUs() + 2_000_000)
    expect(injector.upgrade().kind).toBe('open')
  })

  test('slow-handshake delays the answer', () => {
    const { injector } = makeInjector({ fault: 'slow-handshake', faultEvery: 2 })
    expect([injector.upgrade(), injector.upgrade()]).toEqual([
      { kind: 'open', delayUs: 0 },
      { kind: 'open', delayUs: 5_000_000 },
    ])
  })

  test('vLLM refuses on an open socket, and expects no further attempt of the session', async () => {
    const { clock, injector } = makeInjector({ fault: 'denied', faultEvery: 2 }, 'vllm-duplex')
    expect(injector.upgrade().kind).toBe('open')
    const answer = injector.upgrade()
    if (answer.kind !== 'refuse_in_band') throw new Error('it should refuse in band')
    expect(JSON.parse(answer.frame)).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', code: 'resource_exhausted', retryable: true },
    })
    await clock.runUntil(clock.nowUs() + BACKOFF_US)
    expect(injector.upgrade().kind).toBe('open')
  })
})

describe('a line', () => {
  async function strike(fault: FaultSettings['fault']) {
    const { clock, injector } = makeInjector({ fault, faultEvery: 1 })
    const side = makeLine(injector)
    side.admit()
    side.line.send(UPDATED)
    await clock.runUntil(clock.nowUs() + 1_000_000)
    side.log.splice(0)
    return { ...side, clock }
  }

  test('without a fault passes everything through', () => {
    const { injector } = makeInjector({})
    const { line, log, admit } = makeLine(injector)
    admit()
    line.send(FRAME)
    line.receive('text')
    line.receiveBinary()
    line.close(1000, 'bye')
    line.disconnected()
    expect(log).toEqual([`send ${FRAME}`, 'received text', 'received binary', 'close 1000 bye', 'disconnected'])
  })

  test('after half-open carries nothing in either direction, and is cut when the session has ended', async () => {
    const { line, log } = await strike('half-open')
    expect([line.answersClose, line.noticesLoss]).toEqual([false, false])
    line.send(FRAME)
    line.receive('text')
    line.receiveBinary()
    expect(log).toEqual([])
    line.close(1008, 'idle_timeout')
    expect(log).toEqual(['cut'])
  })

  test('with lingering-close swallows the close of the session', async () => {
    const { line, log } = await strike('lingering-close')
    expect([line.answersClose, line.noticesLoss]).toEqual([false, true])
    line.close(1000, 'client_closed')
    expect(log).toEqual([])
    line.disconnected()
    expect(log).toEqual(['disconnected'])
  })

  test('sends nothing of the session after a fatal error', async () => {
    const { line, log } = await strike('error-fatal')
    line.send(FRAME)
    line.close(1000, 'late')
    expect(log).toEqual([])
  })

  test('does not strike a session that has ended before the moment', async () => {
    const { clock, injector } = makeInjector({ fault: 'disconnect', faultEvery: 1 })
    const { line, log, admit } = makeLine(injector)
    admit()
    line.send(UPDATED)
    line.disconnected()
    await clock.runUntil(clock.nowUs() + 10_000_000)
    expect(log).toEqual([`send ${UPDATED}`, 'disconnected'])
  })
})
