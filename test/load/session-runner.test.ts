import { describe, expect, test } from 'vitest'
import { US_PER_S } from '../../src/base/clock.js'
import { secretsOf } from '../../src/base/redact.js'
import type { OutcomeKind } from '../../src/load/session-runner.js'
import { LATENCY_US } from '../helpers/fake-transport.js'
import { INPUT_MS, PACKET_US, Session, type SessionSetup } from './session-harness.js'

const PACKETS = Math.ceil(INPUT_MS / 80)
const LAST_PACKET_US = 20_000
const ALL_COMMANDS = ['session.update', 'sglang.input_audio.end', 'session.close']

describe('a session that goes well', () => {
  test('passes the verdict, and is complete', async () => {
    const session = await (await Session.create()).run()
    expect(session.result.outcome).toEqual({ kind: 'completed', message: 'completed' })
    expect(session.verdict).toMatchObject({ status: 'pass', violations: [] })
    expect(session.facts).toMatchObject({
      hasSucceeded: true,
      reasons: [],
      packetsSent: PACKETS,
      hasSentAllInput: true,
    })
    expect(session.commands).toEqual(ALL_COMMANDS)
  })

  test.each(['personaplex-native', 'nemotron-voicechat'])(
    'sends all input of a %s session too',
    async (profileName) => {
      const session = await (await Session.create({ profileName })).run()
      expect(session.result.outcome.kind).toBe('completed')
      // The far side says nothing, which these profiles do not allow; the client's own part is in order.
      expect(session.facts).toMatchObject({ hasSentAllInput: true, packetsSent: PACKETS })
      expect(session.facts.pacing.problems).toEqual([])
    },
  )

  test('listens on for late frames after session.closed, and stores them', async () => {
    const session = await (
      await Session.create({
        limits: { postCloseUs: 200_000 },
        instead: {
          'session.close': (server, event) => {
            server.connection.lingers = true
            server.react(event)
            server.say('response.created', { response: { id: 'late' } })
          },
        },
      })
    ).run()
    expect(session.records.at(-1)?.event.type).toBe('response.created')
    expect(session.brokenChecks).toContain('N8')
  })
})

describe('the schedule', () => {
  test('is packet k at start + k * 80 ms', async () => {
    const session = await (await Session.create()).run()
    const { startAtUs = 0 } = session.result
    const packets = session.sink.sentPackets
    expect(packets).toHaveLength(PACKETS)
    packets.forEach((packet, index) => {
      expect(packet.dueAtUs).toBe(startAtUs + index * PACKET_US)
      expect(packet.startAtUs).toBe(packet.dueAtUs)
    })
    const sentAtUs = session.of('send').filter(({ event }) => event.type === 'input_audio_buffer.append')
    expect(sentAtUs.map(({ atUs }) => atUs)).toEqual(packets.map((packet) => packet.startAtUs))
  })

  test('is never run ahead of, whatever holds the client up', async () => {
    const session = await Session.create()
    const random = [3, 90, 17, 0, 210, 44, 79, 80, 81, 5]
    random.forEach((ms, index) => {
      session.clock.at(1_050_000 + index * 130_000, () => session.clock.stall(ms * 1000))
    })
    await session.run()
    const { startAtUs = 0 } = session.result
    const packets = session.sink.sentPackets
    packets.forEach((packet, index) => {
      expect(packet.dueAtUs).toBe(startAtUs + index * PACKET_US)
      expect(packet.startAtUs).toBeGreaterThanOrEqual(packet.dueAtUs)
    })
    expect(packets.some((packet) => packet.startAtUs > packet.dueAtUs)).toBe(true)
  })

  test('does not move when the client is held up: overdue packets go out at once', async () => {
    const session = await Session.create()
    let stalledUntilUs = 0
    const stall = () => {
      session.clock.stall(300_000)
      stalledUntilUs = session.clock.nowUs()
    }
    session.runner.begin()
    await session.wait(500_000)
    stall()
    await session.finish()
    const { startAtUs = 0 } = session.result
    const packets = session.sink.sentPackets
    const late = packets.filter((packet) => packet.startAtUs > packet.dueAtUs)
    expect(late.length).toBeGreaterThanOrEqual(3)
    expect(new Set(late.map((packet) => packet.startAtUs))).toEqual(new Set([stalledUntilUs]))
    const lastLate = packets.findLastIndex((packet) => packet.startAtUs > packet.dueAtUs)
    expect(packets[lastLate + 1]?.startAtUs).toBe(startAtUs + (lastLate + 1) * PACKET_US)
    expect(session.verdict.status).toBe('pass')
    expect(session.facts.pacing.problems.length).toBeGreaterThan(0)
  })

  test('is fixed before the first send: a late first packet moves no other', async () => {
    let plannedUs = 0
    const session = await Session.create({
      requestStart: (start) => {
        plannedUs = session.clock.nowUs() + 100_000
        start(plannedUs)
        session.clock.at(plannedUs - 1, () => session.clock.stall(70_001))
      },
    })
    await session.run()
    const { startAtUs } = session.result
    const packets = session.sink.sentPackets
    expect(startAtUs).toBe(plannedUs)
    expect(packets[0]).toMatchObject({ dueAtUs: plannedUs, startAtUs: plannedUs + 70_000 })
    expect(packets[1]).toMatchObject({ dueAtUs: plannedUs + PACKET_US, startAtUs: plannedUs + PACKET_US })
  })

  test.each([
    { name: 'comes when the input is over', stallUs: 0, endAfterLastDueUs: LAST_PACKET_US },
    {
      name: 'waits for the last packet’s own time when that was sent late',
      stallUs: 55_000,
      endAfterLastDueUs: 75_000,
    },
  ])('its end $name', async ({ stallUs, endAfterLastDueUs }) => {
    const session = await Session.create({
      requestStart: (start) => {
        const startAtUs = session.clock.nowUs() + 100_000
        start(startAtUs)
        if (stallUs === 0) return
        const lastDueAtUs = startAtUs + (PACKETS - 1) * PACKET_US
        session.clock.at(lastDueAtUs - 1, () => session.clock.stall(stallUs + 1))
      },
    })
    await session.run()
    const lastDueAtUs = session.sink.sentPackets.at(-1)?.dueAtUs ?? 0
    const end = session.of('send').find(({ event }) => event.type === 'sglang.input_audio.end')
    expect(end?.atUs).toBe(lastDueAtUs + endAfterLastDueUs)
    expect(session.sink.sentPackets.at(-1)?.startAtUs).toBe(lastDueAtUs + stallUs)
  })

  test.each([80, 1280, 1, 2000])('holds for an input of %i ms', async (inputMs) => {
    const session = await (await Session.create({ inputMs })).run()
    expect(session.facts).toMatchObject({ hasSucceeded: true, packetsSent: Math.ceil(inputMs / 80) })
    const { startAtUs = 0 } = session.result
    const end = session.of('send').find(({ event }) => event.type === 'sglang.input_audio.end')
    expect(end?.atUs).toBe(startAtUs + inputMs * 1000)
  })
})

describe('receipts', () => {
  const open = (act: (session: Session) => void): SessionSetup => ({
    answer: (connection, _attempt, session) => {
      session.serve(connection)
      act(session)
    },
  })

  test('begin before the write, and end when the transport has taken the packet', async () => {
    const session = await (
      await Session.create(
        open(({ transport, clock }) => {
          transport.connection.duringSend = () => clock.stall(4_000)
          transport.connection.takenAfterUs = 7_000
        }),
      )
    ).run()
    for (const { startAtUs, doneAtUs } of session.sink.sentPackets) expect(doneAtUs).toBe(startAtUs + 11_000)
    const sends = session.of('send').filter(({ event }) => event.type === 'input_audio_buffer.append')
    expect(sends.map(({ atUs }) => atUs)).toEqual(session.sink.sentPackets.map(({ startAtUs }) => startAtUs))
    expect(session.verdict.status).toBe('pass')
  })

  test('stay open for packets that the transport never took', async () => {
    const session = await (
      await Session.create(
        open(({ transport }) => {
          transport.connection.takenAfterUs = undefined
        }),
      )
    ).run()
    expect(session.sink.sentPackets).toHaveLength(PACKETS)
    expect(session.sink.sentPackets.every(({ doneAtUs }) => doneAtUs === undefined)).toBe(true)
    expect(session.facts.hasSentAllInput).toBe(false)
  })

  test('name the event ids of the packets, in order', async () => {
    const session = await (await Session.create()).run()
    const ids = session.of('send').filter(({ event }) => event.type === 'input_audio_buffer.append')
    expect(session.sink.sentPackets.map(({ eventId }) => eventId)).toEqual(ids.map(({ event }) => event.event_id))
  })
})

describe('admission', () => {
  const refuse = (times: number, status = 503, body = ''): SessionSetup => ({
    answer: (connection, attempt, session) => {
      if (attempt <= times) connection.refused(status, body)
      else session.serve(connection)
    },
  })

  test('three refusals and then a slot: each is recorded, and the session counts as any other', async () => {
    const session = await (await Session.create(refuse(3))).run()
    expect(session.result.outcome.kind).toBe('completed')
    expect(session.of('admission').map(({ event }) => event)).toEqual(
      [1, 2, 3].map((attempt) => ({ type: 'connection_denied', http_status: 503, attempt })),
    )
    const attempts = session.transport.attempts.map(({ atUs }) => atUs)
    const gaps = attempts.slice(1).map((atUs, index) => atUs - (attempts[index] ?? 0))
    expect(gaps).toEqual([251_000, 251_000, 251_000])
    expect(session.verdict).toMatchObject({ status: 'pass', violations: [] })
    expect(session.facts).toMatchObject({ isDenied: false, admissionRetries: 3 })
  })

  test.each([
    { retries: 3, refusals: 4 },
    { retries: 1, refusals: 2 },
    { retries: 0, refusals: 1 },
  ])('with $retries retries, refusal $refusals is a denial', async ({ retries, refusals }) => {
    const session = await (await Session.create({ ...refuse(refusals), limits: { admissionRetries: retries } })).run()
    expect(session.transport.attempts).toHaveLength(refusals)
    expect(session.result.outcome).toMatchObject({ kind: 'denied', httpStatus: 503 })
    expect(session.of('admission')).toHaveLength(retries)
    expect(session.errorTexts).toEqual([expect.stringMatching(/\b503\b/)])
    expect(session.brokenChecks).toContain('C5')
    expect(session.brokenChecks).not.toContain('C6')
    expect(session.facts).toMatchObject({ isDenied: true, hasSucceeded: false, packetsSent: 0 })
  })

  test.each([
    { status: 404, body: '' },
    { status: 401, body: 'no\n  such key' },
    { status: 500, body: 'x'.repeat(50) },
  ])('HTTP $status is no denial, and is not tried again', async ({ status, body }) => {
    const session = await (await Session.create(refuse(9, status, body))).run()
    expect(session.transport.attempts).toHaveLength(1)
    expect(session.result.outcome).toMatchObject({ kind: 'refused', httpStatus: status })
    expect(session.errorTexts).toEqual([expect.stringContaining(`HTTP ${status}`)])
    expect(session.facts.isDenied).toBe(false)
  })

  test('the admission time-out covers refusals as well', async () => {
    const session = await (
      await Session.create({ ...refuse(99), limits: { admissionTimeoutUs: 600_000, admissionBackoffUs: 500_000 } })
    ).run()
    expect(session.result.outcome).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connecting') })
    expect(session.transport.attempts).toHaveLength(2)
  })

  test('a first update that the model has no memory for is a denial', async () => {
    const session = await (
      await Session.create({
        instead: { 'session.update': (server) => server.sayError('admission_rejected', { fatal: false }) },
      })
    ).run()
    expect(session.result.outcome.kind).toBe('denied')
    expect(session.commands).toEqual(['session.update', 'session.close'])
    expect(session.facts).toMatchObject({ isDenied: true, packetsSent: 0 })
  })
})

interface Ending {
  readonly name: string
  readonly setup: SessionSetup
  readonly kind: OutcomeKind
  readonly message?: RegExp
  readonly isClientError: boolean
  /** Checks that the trace must break, among others. */
  readonly checks: readonly string[]
  readonly commands: readonly string[]
  /** From the first attempt, in seconds. */
  readonly endsWithinS: number
}

/** Does this to the connection when that packet has arrived. */
const atPacket = (count: number, act: (session: NonNullable<Session['server']>) => void): SessionSetup => {
  let packets = 0
  return {
    instead: {
      'input_audio_buffer.append': (server, event) => {
        server.react(event)
        packets += 1
        if (packets === count) act(server)
      },
    },
  }
}
const ignore = () => undefined

/** Made anew for every test: some of them count. */
const endings: readonly Ending[] = [
  {
    name: 'a connection that cannot be made',
    setup: { answer: (connection) => connection.failed('ECONNREFUSED') },
    kind: 'unreachable',
    message: /ECONNREFUSED/,
    isClientError: true,
    checks: ['C5', 'C8', 'N9'],
    commands: [],
    endsWithinS: 0.1,
  },
  {
    name: 'an upgrade that is never answered',
    setup: { answer: ignore },
    kind: 'timeout',
    message: /connecting/,
    isClientError: true,
    checks: ['C5', 'C8'],
    commands: [],
    endsWithinS: 10,
  },
  {
    name: 'a socket that is cut in the middle of the input',
    setup: atPacket(5, ({ connection }) => connection.closed(1006, '')),
    kind: 'disconnected',
    message: /1006/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: ['session.update'],
    endsWithinS: 1,
  },
  {
    name: 'a socket that closes normally, but without session.closed',
    setup: atPacket(5, ({ connection }) => connection.closed(1000, 'bye')),
    kind: 'disconnected',
    message: /bye/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: ['session.update'],
    endsWithinS: 1,
  },
  {
    name: 'a server that closes the session in good order, but by itself',
    setup: atPacket(5, (server) => {
      server.say('session.closed', { reason: 'disconnect', client_event_id: null })
      server.connection.closed(1000, 'disconnect')
    }),
    kind: 'server_closed',
    message: /disconnect/,
    isClientError: false,
    checks: ['N9'],
    commands: ['session.update'],
    endsWithinS: 1,
  },
  {
    name: 'an error that leaves the session open',
    setup: atPacket(5, (server) => server.sayError('buffer_overflow', { fatal: false })),
    kind: 'server_error',
    message: /buffer_overflow/,
    isClientError: false,
    checks: ['N38', 'N6'],
    commands: ['session.update', 'session.close'],
    endsWithinS: 1,
  },
  {
    name: 'a fatal error, and nothing of the client after it',
    setup: atPacket(5, (server) => {
      server.sayError('internal', { fatal: true })
      server.say('session.closed', { reason: 'internal', client_event_id: null })
      server.connection.closed(1011, 'internal')
    }),
    kind: 'server_error',
    message: /internal/,
    isClientError: false,
    checks: ['N38', 'N9'],
    commands: ['session.update'],
    endsWithinS: 1,
  },
  {
    name: 'a fatal error, and a server that says no more',
    setup: atPacket(5, (server) => server.sayError('internal', { fatal: true })),
    kind: 'timeout',
    isClientError: true,
    checks: ['C5', 'N38'],
    commands: ['session.update'],
    endsWithinS: 30,
  },
  {
    name: 'a fatal error in place of session.closed',
    setup: {
      instead: {
        'session.close': (server) => {
          server.sayError('cleanup_timeout', { fatal: true })
          server.connection.closed(1011, 'cleanup_timeout')
        },
      },
    },
    kind: 'server_error',
    message: /cleanup_timeout/,
    isClientError: true,
    checks: ['C5', 'N38', 'N9'],
    commands: ALL_COMMANDS,
    endsWithinS: 3,
  },
  ...[
    { what: 'is cut short', text: '{"type":"session.up' },
    { what: 'is an array', text: '[1]' },
    { what: 'is null', text: 'null' },
    { what: 'is a string', text: '"hello"' },
    { what: 'is empty', text: '' },
  ].map(
    ({ what, text }): Ending => ({
      name: `a frame that ${what}`,
      setup: atPacket(5, ({ connection }) => connection.say(text)),
      kind: 'undecodable',
      message: /no JSON object/,
      isClientError: true,
      checks: ['C5'],
      commands: ['session.update'],
      endsWithinS: 1,
    }),
  ),
  {
    name: 'a binary frame',
    setup: atPacket(5, ({ connection }) => connection.sayBinary(4096)),
    kind: 'undecodable',
    message: /binary frame of 4096 bytes/,
    isClientError: true,
    checks: ['C5'],
    commands: ['session.update'],
    endsWithinS: 1,
  },
  {
    name: 'no session.created',
    setup: { instead: { connect: ({ connection }) => connection.open() } },
    kind: 'timeout',
    message: /10 s.*awaiting session\.created/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: [],
    endsWithinS: 10,
  },
  {
    name: 'no session.updated',
    setup: { instead: { 'session.update': ignore } },
    kind: 'timeout',
    message: /10 s.*awaiting session\.updated/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: ['session.update'],
    endsWithinS: 10,
  },
  {
    name: 'no drained',
    setup: { instead: { 'sglang.input_audio.end': ignore } },
    kind: 'timeout',
    message: /30 s.*drained/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: ['session.update', 'sglang.input_audio.end'],
    endsWithinS: 30,
  },
  {
    name: 'no session.closed',
    setup: { instead: { 'session.close': ignore } },
    kind: 'timeout',
    message: /30 s.*session\.closed/,
    isClientError: true,
    checks: ['C5', 'N9'],
    commands: ALL_COMMANDS,
    endsWithinS: 30,
  },
]

describe('a session that fails ends with its own cause', () => {
  test.each(endings)('$name: $kind', async ({ setup, kind, message, isClientError, checks, commands, endsWithinS }) => {
    const session = await Session.create(setup)
    const beganAtUs = session.clock.nowUs()
    await session.run()
    expect(session.result.outcome.kind).toBe(kind)
    if (message !== undefined) expect(session.result.outcome.message).toMatch(message)
    expect(session.of('error')).toHaveLength(isClientError ? 1 : 0)
    if (isClientError) expect(session.records.at(-1)?.direction).toBe('error')
    expect(session.verdict.status).toBe('fail')
    expect(session.brokenChecks).toEqual(expect.arrayContaining([...checks]))
    expect(session.commands).toEqual(commands)
    expect(session.facts).toMatchObject({ hasSucceeded: false, isDenied: false })
    expect((session.endedAtUs ?? Number.POSITIVE_INFINITY) - beganAtUs).toBeLessThanOrEqual(endsWithinS * US_PER_S)
  })

  test('and every packet on the wire is in its trace and its receipts', async () => {
    const session = await (await Session.create(atPacket(5, ({ connection }) => connection.closed(1006, '')))).run()
    expect(session.sink.sentPackets).toHaveLength(session.packetsOnWire)
    expect(session.facts.packetsSent).toBe(session.packetsOnWire)
    expect(session.packetsOnWire).toBeLessThan(PACKETS)
  })
})

test('a server that lingers on the closing handshake: the session is complete, and gone within seconds', async () => {
  const session = await Session.create({
    instead: {
      'session.close': (server, event) => {
        server.connection.lingers = true
        server.react(event)
      },
    },
  })
  await session.run()
  expect(session.result.outcome.kind).toBe('completed')
  expect(session.verdict).toMatchObject({ status: 'pass', violations: [] })
  expect(session.transport.connection).toMatchObject({ closeCode: 1000, isTerminated: true })
  const closedAtUs = session.records.at(-1)?.atUs ?? 0
  expect((session.endedAtUs ?? 0) - closedAtUs).toBeLessThanOrEqual(3 * US_PER_S)
})

test.each([
  ['\n', '\n'],
  ['\r\n', ' '],
])('a frame written over several lines stays one line of the trace', async (feed) => {
  const pretty = (value: unknown) => JSON.stringify(value, null, 2).replaceAll('\n', feed)
  const session = await Session.create({
    instead: {
      connect: ({ connection }) => {
        connection.open()
        connection.say(pretty({ type: 'session.created', event_id: 'p1', session: { id: 'sess_1', note: 'a\nb' } }))
      },
    },
  })
  await session.run()
  expect(session.verdict).toMatchObject({ status: 'pass', violations: [] })
  expect(session.lines.every((line) => !/[\r\n]/.test(line))).toBe(true)
  expect(session.records[0]?.event.session).toEqual({ id: 'sess_1', note: 'a\nb' })
})

describe('a trace that cannot be stored', () => {
  // Created, update, updated, then packets and their receipts.
  test.each([0, 1, 2, 3, 10, 24])('ends the session after %i lines, as not recorded', async (linesStored) => {
    const session = await (await Session.create({ linesStored })).run()
    expect(session.result.outcome.kind).toBe('not_recorded')
    expect(session.lines).toHaveLength(linesStored)
    expect(session.transport.connection.isTerminated).toBe(true)
    expect(session.verdict.status).toBe('fail')
  })
})

describe('a user who leaves', () => {
  const MESSAGE = 'interrupted by the user'
  const HELD = () => undefined
  const cases: {
    name: string
    setup?: SessionSetup
    /** From the first attempt. */
    afterUs: number
    commands: readonly string[]
  }[] = [
    { name: 'while connecting', afterUs: 500, commands: [] },
    {
      name: 'between two attempts',
      setup: { answer: (connection) => connection.refused(503) },
      afterUs: 100_000,
      commands: [],
    },
    {
      name: 'before session.created',
      setup: { instead: { connect: ({ connection }) => connection.open() } },
      afterUs: 5_000,
      commands: [],
    },
    {
      name: 'before session.updated',
      setup: { instead: { 'session.update': ignore } },
      afterUs: 10_000,
      commands: ['session.update', 'session.close'],
    },
    {
      name: 'while waiting for its start',
      setup: { requestStart: HELD },
      afterUs: 10_000,
      commands: ['session.update', 'session.close'],
    },
    { name: 'while streaming', afterUs: 500_000, commands: ['session.update', 'session.close'] },
    { name: 'while the server drains', afterUs: 1_360_000, commands: ALL_COMMANDS },
  ]
  const silent: SessionSetup['instead'] = { 'session.close': ignore }

  test.each(cases)('$name: the session says so, and is gone within a second', async ({ setup, afterUs, commands }) => {
    const session = await Session.create(setup)
    session.runner.begin()
    await session.wait(afterUs)
    const leftAtUs = session.clock.nowUs()
    session.runner.leave(MESSAGE)
    session.runner.leave(MESSAGE)
    await session.finish()
    expect(session.result.outcome).toEqual({ kind: 'left', message: MESSAGE })
    expect(session.errorTexts).toEqual([`Interrupted: ${MESSAGE}`])
    expect(session.commands).toEqual(commands)
    expect((session.endedAtUs ?? 0) - leftAtUs).toBeLessThanOrEqual(US_PER_S)
    expect(session.facts.hasSucceeded).toBe(false)
  })

  test.each(cases)('$name, and the server does not answer: gone after a second all the same', async (row) => {
    const session = await Session.create({ ...row.setup, instead: { ...row.setup?.instead, ...silent } })
    session.runner.begin()
    await session.wait(row.afterUs)
    const leftAtUs = session.clock.nowUs()
    session.runner.leave(MESSAGE)
    await session.finish()
    expect(session.result.outcome).toEqual({ kind: 'left', message: MESSAGE })
    expect((session.endedAtUs ?? 0) - leftAtUs).toBeLessThanOrEqual(US_PER_S)
    expect(session.errorTexts).toEqual([`Interrupted: ${MESSAGE}`])
  })

  test('while the session is closing: nothing more is sent, and it ends', async () => {
    const session = await Session.create({
      instead: {
        'session.close': (server, event) => {
          setClosing()
          server.react(event)
        },
      },
    })
    const setClosing = () => session.runner.leave(MESSAGE)
    await session.run()
    expect(session.commands).toEqual(ALL_COMMANDS)
  })

  test('after session.closed: the session is complete', async () => {
    const session = await Session.create({
      instead: {
        'session.close': (server, event) => {
          server.react(event)
          session.clock.at(session.clock.nowUs() + LATENCY_US, () => session.runner.leave(MESSAGE))
        },
      },
    })
    await session.run()
    expect(session.result.outcome.kind).toBe('completed')
    expect(session.verdict.status).toBe('pass')
  })

  test('after the end: nothing happens', async () => {
    const session = await (await Session.create()).run()
    session.runner.leave(MESSAGE)
    expect(session.results).toHaveLength(1)
    expect(session.watched.pending).toBe(0)
  })
})

describe('a start that comes too late for its session', () => {
  /** Holds the start back until the test lets it go, long after the session has been told to stop. */
  async function startAfter(stop: (session: Session) => void): Promise<Session> {
    let start: (startAtUs: number) => void = () => undefined
    const session = await Session.create({
      instead: { 'session.close': ignore },
      requestStart: (begin) => {
        start = begin
      },
    })
    session.runner.begin()
    await session.wait(10_000)
    stop(session)
    await session.wait(10_000)
    start(session.clock.nowUs() + 20_000)
    return session.finish()
  }

  test('sends nothing after the user has left', async () => {
    const session = await startAfter(({ runner }) => runner.leave('interrupted by the user'))
    expect(session.packetsOnWire).toBe(0)
  })

  test('sends nothing after a fatal error', async () => {
    const session = await startAfter(({ server }) => server?.sayError('internal', { fatal: true }))
    expect(session.commands).toEqual(['session.update'])
    expect(session.packetsOnWire).toBe(0)
  })

  test('sends nothing after an error that made the client close', async () => {
    const session = await startAfter(({ server }) => server?.sayError('invalid_state', { fatal: false }))
    expect(session.packetsOnWire).toBe(0)
  })
})

describe('secrets', () => {
  const SECRET = 'sk-very-secret-1234'
  const secrets = secretsOf({ url: 'wss://host/v1/realtime', headers: { Authorization: `Bearer ${SECRET}` } })

  test.each([
    {
      name: 'a refusal that repeats the key',
      setup: { answer: (connection) => connection.refused(401, `unknown key ${SECRET}`) } satisfies SessionSetup,
    },
    {
      name: 'an error that repeats the key',
      setup: atPacket(3, (server) =>
        server.say('error', { sglang: { fatal: false }, error: { code: 'invalid', message: `key ${SECRET}` } }),
      ),
    },
    {
      name: 'a frame that is no JSON and holds the key',
      setup: atPacket(3, ({ connection }) => connection.say(`denied for ${SECRET}`)),
    },
    {
      name: 'a frame whose cut excerpt ends within the key',
      setup: atPacket(3, ({ connection }) => connection.say(`${'x'.repeat(110)}${SECRET}`)),
    },
    {
      name: 'a close reason that holds the key',
      setup: atPacket(3, ({ connection }) => connection.closed(1008, `bad ${SECRET}`)),
    },
  ] as { name: string; setup: SessionSetup }[])('$name: stored nowhere', async ({ setup }) => {
    const session = await (await Session.create({ ...setup, secrets })).run()
    const stored = `${session.lines.join('\n')}${JSON.stringify(session.result)}`
    // A piece of a key gives it away as well.
    for (const piece of [SECRET, SECRET.slice(0, 9)]) expect(stored).not.toContain(piece)
    expect(session.lines.length).toBeGreaterThan(0)
  })

  test.each(['stream=true', 'unit=1000', 'fmt=audio'])('a query value like "%s" spoils no trace', async (query) => {
    const words = secretsOf({ url: `ws://host/v1/realtime?${query}`, headers: {} })
    const session = await (await Session.create({ secrets: words })).run()
    expect(session.verdict).toMatchObject({ status: 'pass', violations: [] })
  })
})
