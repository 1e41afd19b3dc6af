/** Both transports against servers of every manner: what one says of a server, the other says too. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { createLevelTransport } from '../../src/load/level-transport.io.js'
import { MAX_MESSAGE_BYTES } from '../../src/load/transport.js'
import type { TransportName } from '../../src/load/transport-choice.js'
import { unreachableUrl } from '../helpers/refusing-server.js'
import { closeFrame, Heard, type Peer, serverFrame, startRawServer } from './transport-server.js'

const CONTINUATION = 0
const TEXT = 1
const BINARY = 2
const CLOSE = 8
const PING = 9
const PONG = 10

describe.each(['ws', 'lean'] as const)('%s', (name: TransportName) => {
  const transport = (url: string, headers: Record<string, string> = {}, handshakeTimeoutMs = 10_000) =>
    createLevelTransport(name, { url, headers, handshakeTimeoutMs })

  /** A client of a server that accepts, writes these bytes, and then, when the client has ended, ends too. */
  const session = async (frames: readonly Buffer[], on: ConstructorParameters<typeof Heard>[1] = {}) => {
    const server = await startRawServer((peer) => {
      peer.socket.write(Buffer.concat([peer.acceptance(), ...frames]))
      void peer.until(() => peer.hasEnded).then(() => peer.socket.end())
    })
    const heard = new Heard(transport(server.url), on)
    const events = await heard.toTheEnd()
    const closes = (server.peers[0] as Peer).frames.filter(({ opcode }) => opcode === CLOSE)
    return { events, closes: closes.map(({ payload }) => payload), peer: server.peers[0] as Peer }
  }

  describe('the request', () => {
    test('is an upgrade with the caller’s headers, a fresh key, and no offer of anything', async () => {
      const server = await startRawServer((peer) => peer.socket.write(peer.acceptance()))
      const to = transport(server.url, { Authorization: 'Bearer k', 'X-Trace': 'a b', connection: 'close' })
      await new Heard(to).until('open')
      await new Heard(to).until('open')
      const [first, second] = server.peers.map(({ headers }) => headers)
      expect(server.peers[0]?.request.split('\r\n')[0]).toBe('GET /v1/realtime?model=m HTTP/1.1')
      expect(first).toEqual({
        host: `127.0.0.1:${server.port}`,
        authorization: 'Bearer k',
        'x-trace': 'a b',
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
      })
      expect(second?.['sec-websocket-key']).not.toBe(first?.['sec-websocket-key'])
    })

    test.each([
      { given: {}, expected: `Basic ${Buffer.from('us er:p:ä').toString('base64')}` },
      { given: { authorization: 'Bearer k' }, expected: 'Bearer k' },
    ])('turns user information into basic authorization, but for $given', async ({ given, expected }) => {
      const server = await startRawServer((peer) => peer.socket.write(peer.acceptance()))
      const url = server.url.replace('ws://', 'ws://us%20er:p%3A%C3%A4@')
      await new Heard(transport(url, given)).until('open')
      expect(server.peers[0]?.headers.authorization).toBe(expected)
      expect(server.peers[0]?.headers.host).toBe(`127.0.0.1:${server.port}`)
    })

    test('a header that would break the request is refused before anything is sent', () => {
      const send = () => new Heard(transport('ws://127.0.0.1:1/', { 'X-Evil': 'a\r\nHost: b' }))
      expect(send).toThrow(/Invalid character in header content/)
    })
  })

  describe('an answer that refuses', () => {
    test.each([
      { status: 503, head: 'Content-Length: 4\r\nRetry-After: 1', body: 'full', expected: 'full' },
      { status: 401, head: 'Content-Length: 0', body: '', expected: '' },
      { status: 404, head: '', body: 'no such page', expected: 'no such page' },
      {
        status: 429,
        head: 'Transfer-Encoding: chunked',
        body: '3\r\nslo\r\n4;x=y\r\nw do\r\n2\r\nwn\r\n0\r\n\r\n',
        expected: 'slow down',
      },
      { status: 302, head: 'Location: ws://127.0.0.1:1/\r\nContent-Length: 5', body: 'moved', expected: 'moved' },
      { status: 200, head: 'Content-Length: 2', body: 'ok', expected: 'ok' },
      { status: 204, head: '', body: '', expected: '' },
      { status: 500, head: 'Content-Length: 99', body: 'cut sh', expected: 'cut sh' },
      { status: 500, head: 'Content-Length: 5', body: 'grün', expected: 'grün' },
      { status: 400, head: 'Content-Length: 9999', body: 'x'.repeat(9999), expected: 'x'.repeat(2048) },
      { status: 101, head: 'Content-Length: 0', body: '', expected: '' },
    ])('HTTP $status with "$head" is reported with its body', async ({ status, head, body, expected }) => {
      const lines = [`HTTP/1.1 ${status} Whatever`, ...(head === '' ? [] : [head]), '', body]
      const answer = Buffer.from(lines.join('\r\n'))
      const server = await startRawServer((peer) => {
        // Cut in the middle, so that head and body come in more than one read.
        void peer
          .writePieces([answer.subarray(0, 9), answer.subarray(9, 30), answer.subarray(30)])
          .then(() => peer.socket.end())
      })
      expect(await new Heard(transport(server.url)).toTheEnd()).toEqual([['refused', status, expected]])
    })

    test('an announcement before the answer is passed over', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.end('HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 503 Full\r\nContent-Length: 1\r\n\r\nx')
      })
      expect(await new Heard(transport(server.url)).toTheEnd()).toEqual([['refused', 503, 'x']])
    })

    test('a body that is never finished is reported when the handshake has timed out', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.write('HTTP/1.1 503 Full\r\nContent-Length: 9\r\n\r\nwait')
      })
      expect(await new Heard(transport(server.url, {}, 50)).toTheEnd()).toEqual([['refused', 503, 'wait']])
    })
  })

  describe('a handshake that fails', () => {
    const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n'
    test.each([
      {
        name: 'a wrong accept',
        answer: (peer: Peer) => peer.acceptance('', 'AAAA'),
        says: 'Invalid Sec-WebSocket-Accept header',
      },
      {
        name: 'another protocol',
        answer: () => `${SWITCH}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
        says: 'Invalid Upgrade header',
      },
      {
        name: 'an extension',
        answer: (peer: Peer) => peer.acceptance('Sec-WebSocket-Extensions: permessage-deflate\r\n'),
        says: 'Server sent a Sec-WebSocket-Extensions header but no extension was requested',
      },
      {
        name: 'a subprotocol',
        answer: (peer: Peer) => peer.acceptance('Sec-WebSocket-Protocol: chat\r\n'),
        says: 'Server sent a subprotocol but none was requested',
      },
      { name: 'no HTTP', answer: () => 'SSH-2.0-server\r\n', says: /Parse Error: Expected HTTP\// },
      { name: 'no status', answer: () => 'HTTP/1.1 abc\r\n\r\n', says: /Parse Error: Invalid status code/ },
      {
        name: 'a line that is no header',
        answer: () => 'HTTP/1.1 200 OK\r\nfoo bar\r\n\r\n',
        says: /Parse Error: Invalid header token/,
      },
      {
        name: 'a head without end',
        answer: () => `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`,
        says: /Parse Error: Header overflow/,
      },
      {
        name: 'a length that is none',
        answer: () => 'HTTP/1.1 500 No\r\nContent-Length: -1\r\n\r\n',
        says: /Parse Error: Invalid character in Content-Length/,
      },
      { name: 'nothing at all', answer: () => '', says: 'ECONNRESET: socket hang up' },
      { name: 'half a head', answer: () => 'HTTP/1.1 101 Swi', says: 'ECONNRESET: socket hang up' },
    ])('by $name says so', async ({ answer, says }) => {
      const server = await startRawServer((peer) => void peer.socket.end(answer(peer)))
      const said = typeof says === 'string' ? says : expect.stringMatching(says)
      expect(await new Heard(transport(server.url)).toTheEnd()).toEqual([['failed', said]])
    })

    test('at an address where nobody listens', async () => {
      const url = await unreachableUrl()
      const said = expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
      expect(await new Heard(transport(url)).toTheEnd()).toEqual([['failed', said]])
    })

    test('at a name that does not exist', async () => {
      const [[kind, said] = []] = await new Heard(transport('ws://no-such-host.invalid/')).toTheEnd()
      expect([kind, said]).toEqual(['failed', expect.stringMatching(/^getaddrinfo E[A-Z_]+ no-such-host\.invalid$/)])
    })

    test('by a reset says so', async () => {
      const server = await startRawServer((peer) => void peer.socket.resetAndDestroy())
      expect(await new Heard(transport(server.url)).toTheEnd()).toEqual([['failed', 'read ECONNRESET']])
    })

    test('by silence has timed out', async () => {
      const server = await startRawServer(() => undefined)
      const events = await new Heard(transport(server.url, {}, 50)).toTheEnd()
      expect(events).toEqual([['failed', 'Opening handshake has timed out']])
    })

    test.each(['close', 'terminate'] as const)('when the caller gives up by %s', async (how) => {
      const server = await startRawServer(() => undefined)
      const heard = new Heard(transport(server.url))
      heard.connection[how](1000)
      expect(heard.events, 'not from within the call').toEqual([])
      const said = 'WebSocket was closed before the connection was established'
      expect(await heard.toTheEnd()).toEqual([['failed', said]])
    })
  })

  describe('messages', () => {
    const LONG = '{"audio":"'.padEnd(70_000, 'é')
    const STREAM = [
      { frame: serverFrame(TEXT, '{"a":1}'), event: ['text', '{"a":1}'] },
      { frame: serverFrame(TEXT, ''), event: ['text', ''] },
      { frame: serverFrame(TEXT, 'Grüße, 世界 \u{1F30D} \uFFFD'), event: ['text', 'Grüße, 世界 \u{1F30D} \uFFFD'] },
      { frame: serverFrame(TEXT, 'x'.repeat(300)), event: ['text', 'x'.repeat(300)] },
      { frame: serverFrame(BINARY, Buffer.alloc(5)), event: ['binary', 5] },
      { frame: serverFrame(PONG, 'unasked') },
    ]
    /** One message in three fragments, cut inside a character, with control frames and an empty fragment between them. */
    const euro = Buffer.from('€')
    const FRAGMENTS = [
      serverFrame(TEXT, Buffer.concat([Buffer.from('one '), euro.subarray(0, 1)]), { isFinal: false }),
      serverFrame(PING, 'between'),
      serverFrame(CONTINUATION, '', { isFinal: false }),
      serverFrame(CONTINUATION, Buffer.concat([euro.subarray(1), Buffer.from(' two')]), { isFinal: false }),
      serverFrame(PONG, ''),
      serverFrame(CONTINUATION, ' three'),
    ]
    const EVENTS = [
      ['open'],
      ...STREAM.flatMap(({ event }) => (event === undefined ? [] : [event])),
      ['text', 'one € two three'],
      ['closed', 4001, 'bye ü'],
    ]
    const BYTES = [...STREAM.map(({ frame }) => frame), ...FRAGMENTS, closeFrame(4001, 'bye ü')]

    test('arrive whole and in order, with control frames between the fragments', async () => {
      const { events, peer } = await session(BYTES)
      expect(events).toEqual(EVENTS)
      expect(peer.frames.map(({ opcode, payload }) => [opcode, payload.toString()]).slice(0, 1)).toEqual([
        [PONG, 'between'],
      ])
    })

    test('arrive the same when every byte comes by itself', async () => {
      const server = await startRawServer((peer) => {
        const all = Buffer.concat([peer.acceptance(), ...BYTES])
        void peer.writePieces(Array.from(all, (byte) => Buffer.from([byte]))).then(() => peer.socket.end())
      })
      const heard = new Heard(transport(server.url))
      expect(await heard.toTheEnd()).toEqual(EVENTS)
    })

    test('arrive the same wherever the bytes are cut in two', async () => {
      let cut = 1
      let total = 2
      const server = await startRawServer((peer) => {
        const all = Buffer.concat([peer.acceptance(), ...BYTES])
        total = all.length
        void peer.writePieces([all.subarray(0, cut), all.subarray(cut)]).then(() => peer.socket.end())
      })
      const to = transport(server.url)
      for (; cut < total; cut += 1) {
        expect(await new Heard(to).toTheEnd(), `cut at ${cut}`).toEqual(EVENTS)
      }
      expect(total).toBeGreaterThan(500)
    })

    test('of any length arrive, and many at once', async () => {
      const many = Array.from({ length: 500 }, (_, index) => `{"index":${index}}`)
      const frames = [
        serverFrame(TEXT, LONG),
        serverFrame(TEXT, 'y'.repeat(MAX_MESSAGE_BYTES)),
        ...many.map((text) => serverFrame(TEXT, text)),
        serverFrame(BINARY, Buffer.alloc(200_000)),
        closeFrame(1000),
      ]
      const { events } = await session(frames)
      expect(events.length).toBe(many.length + 5)
      expect(events[1]).toEqual(['text', LONG])
      expect(String(events[2]?.[1]).length).toBe(MAX_MESSAGE_BYTES)
      expect(events.slice(3, -2)).toEqual(many.map((text) => ['text', text]))
      expect(events.slice(-2)).toEqual([
        ['binary', 200_000],
        ['closed', 1000, ''],
      ])
    })

    test('on connections that are read in turns do not mix', async () => {
      const server = await startRawServer((peer) => void peer.socket.write(peer.acceptance()))
      const to = transport(server.url)
      const both = [await new Heard(to).until('open'), await new Heard(to).until('open')]
      const frames = ['a', 'b'].map((letter) => serverFrame(TEXT, letter.repeat(1000)))
      for (let at = 0; at < 1004; at += 251) {
        for (const [index, peer] of server.peers.entries()) {
          await peer.writePieces([(frames[index] as Buffer).subarray(at, at + 251)])
        }
      }
      for (const heard of both) await heard.until('text')
      expect(both.map(({ events }) => events[1])).toEqual([
        ['text', 'a'.repeat(1000)],
        ['text', 'b'.repeat(1000)],
      ])
    })
  })

  describe('sending', () => {
    test('texts and prepared packets arrive as they are, and are told when they are taken', async () => {
      const server = await startRawServer((peer) => peer.socket.write(peer.acceptance()))
      const to = transport(server.url)
      const texts = ['{"short":"ü"}', 'm'.repeat(126), 'l'.repeat(3500), 'x'.repeat(70_000)]
      const packets = texts.map((text) => to.prepare(Buffer.from(text)))
      const before = packets.map((packet) => Buffer.from(packet))
      const sessions = [await new Heard(to).until('open'), await new Heard(to).until('open')]
      for (const { connection } of sessions) {
        for (const frame of [...texts, ...packets]) {
          await new Promise<void>((resolve, reject) => {
            connection.send(frame, (error) => (error instanceof Error ? reject(error) : resolve()))
          })
        }
      }
      for (const peer of server.peers) {
        await peer.until(() => peer.texts.length === 2 * texts.length)
        expect(peer.texts).toEqual([...texts, ...texts])
        expect(
          peer.frames.every(({ mask }) => mask.some((byte) => byte !== 0)),
          'masked in earnest',
        ).toBe(true)
      }
      expect(packets.map((packet, index) => packet.equals(before[index] as Buffer))).toEqual(texts.map(() => true))
    })

    test('to a server that does not read is not taken until it does, and in order', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.write(peer.acceptance())
        peer.socket.pause()
      })
      const to = transport(server.url)
      const packet = to.prepare(Buffer.alloc(256 * 1024, 'p'))
      const heard = await new Heard(to).until('open')
      const taken: number[] = []
      const count = 64
      for (let index = 0; index < count; index += 1) heard.connection.send(packet, () => taken.push(index))
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      expect(taken.length, 'the system has only so much room').toBeLessThan(count)
      server.peers[0]?.socket.resume()
      await server.peers[0]?.until(() => server.peers[0]?.frames.length === count)
      await vi.waitFor(() => expect(taken).toEqual(Array.from({ length: count }, (_, index) => index)))
    })

    test('to a connection that was dropped meanwhile tells every sender so', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.write(peer.acceptance())
        peer.socket.pause()
      })
      const to = transport(server.url)
      const packet = to.prepare(Buffer.alloc(256 * 1024, 'p'))
      const heard = await new Heard(to).until('open')
      const errors: unknown[] = []
      for (let index = 0; index < 64; index += 1) heard.connection.send(packet, (error) => errors.push(error))
      heard.connection.terminate()
      expect(await heard.toTheEnd()).toEqual([['open'], ['closed', 1006, '']])
      await vi.waitFor(() => expect(errors.length).toBe(64))
      expect(errors.at(-1)).toBeInstanceOf(Error)
    })

    test('after the close has begun is refused, not written', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.write(peer.acceptance())
        void peer.until(() => peer.frames.length > 0).then(() => peer.socket.end(closeFrame(1000)))
      })
      const heard = await new Heard(transport(server.url)).until('open')
      heard.connection.close(1000)
      const error = await new Promise((resolve) => heard.connection.send('late', resolve))
      expect(error).toBeInstanceOf(Error)
      expect(await heard.toTheEnd()).toEqual([['open'], ['closed', 1000, '']])
      expect(server.peers[0]?.texts).toEqual([])
    })
  })

  describe('pings', () => {
    test('are answered with what they carry', async () => {
      const { events, peer } = await session([
        serverFrame(PING, ''),
        serverFrame(PING, 'p'.repeat(125)),
        closeFrame(1000),
      ])
      expect(events).toEqual([['open'], ['closed', 1000, '']])
      const pongs = peer.frames.filter(({ opcode }) => opcode === PONG)
      expect(pongs.map(({ payload }) => payload.toString())).toEqual(['', 'p'.repeat(125)])
    })

    test('without end, from a server that does not read the answers, drop the connection', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.pause()
        peer.socket.write(Buffer.concat([peer.acceptance(), serverFrame(TEXT, 'go')]))
      })
      const to = transport(server.url)
      const packet = to.prepare(Buffer.alloc(256 * 1024, 'p'))
      const heard = new Heard(to, {
        text: ({ connection }) => {
          for (let index = 0; index < 64; index += 1) connection.send(packet, () => undefined)
        },
      })
      await heard.until('text')
      server.peers[0]?.socket.write(Buffer.concat(Array.from({ length: 61 }, () => serverFrame(PING, 'p'))))
      expect(await heard.toTheEnd()).toEqual([['open'], ['text', 'go'], ['closed', 1006, '']])
    })
  })

  describe('the closing handshake', () => {
    test.each([
      { name: 'a code and a reason', frame: closeFrame(4503, 'full'), expected: [4503, 'full'] },
      { name: 'a code alone', frame: closeFrame(1001), expected: [1001, ''] },
      { name: 'no code', frame: serverFrame(CLOSE, ''), expected: [1005, ''] },
    ])('by the server with $name is answered in kind', async ({ frame, expected }) => {
      const { events, closes } = await session([frame, serverFrame(TEXT, 'too late')])
      expect(events).toEqual([['open'], ['closed', ...expected]])
      expect(closes).toEqual([frame.subarray(2)])
    })

    test('by the client takes what still comes, and the server’s code', async () => {
      const server = await startRawServer((peer) => {
        peer.socket.write(peer.acceptance())
        void peer
          .until(() => peer.frames.length > 0)
          .then(() => {
            peer.socket.write(
              Buffer.concat([serverFrame(TEXT, 'late'), serverFrame(PING, 'no more'), closeFrame(1000, 'ok')]),
            )
            return peer.until(() => peer.hasEnded)
          })
          .then(() => peer.socket.end())
      })
      const heard = await new Heard(transport(server.url)).until('open')
      heard.connection.close(1000)
      heard.connection.close(1000)
      expect(await heard.toTheEnd()).toEqual([['open'], ['text', 'late'], ['closed', 1000, 'ok']])
      expect(server.peers[0]?.frames.map(({ opcode, payload }) => [opcode, payload.toString('hex')])).toEqual([
        [CLOSE, '03e8'],
      ])
    })

    test.each([
      { name: 'an end', end: (peer: Peer) => void peer.socket.end() },
      { name: 'a reset', end: (peer: Peer) => void peer.socket.resetAndDestroy() },
      {
        name: 'half a frame',
        end: (peer: Peer) => void peer.socket.end(serverFrame(TEXT, 'never whole').subarray(0, 7)),
      },
    ])('left out, by $name, is code 1006', async ({ end }) => {
      const server = await startRawServer((peer) => peer.socket.write(peer.acceptance()))
      const heard = await new Heard(transport(server.url)).until('open')
      end(server.peers[0] as Peer)
      expect(await heard.toTheEnd()).toEqual([['open'], ['closed', 1006, '']])
    })

    test('is not waited for by terminate, and nothing is heard after it', async () => {
      const frames = ['one', 'two', 'three'].map((text) => serverFrame(TEXT, text))
      const server = await startRawServer((peer) => peer.socket.write(Buffer.concat([peer.acceptance(), ...frames])))
      const heard = new Heard(transport(server.url), { open: ({ connection }) => connection.terminate() })
      expect(await heard.toTheEnd()).toEqual([['open'], ['closed', 1006, '']])
    })
  })

  describe('a breach of the rules', () => {
    const text = (...bytes: number[]) => Buffer.from(bytes)
    test.each([
      {
        name: 'a masked frame',
        frames: [serverFrame(TEXT, 'x', { isMasked: true })],
        code: 1002,
        says: 'MASK must be clear',
      },
      { name: 'RSV1', frames: [serverFrame(TEXT, 'x', { reserved: 0x40 })], code: 1002, says: 'RSV1 must be clear' },
      {
        name: 'RSV2',
        frames: [serverFrame(TEXT, 'x', { reserved: 0x20 })],
        code: 1002,
        says: 'RSV2 and RSV3 must be clear',
      },
      {
        name: 'RSV3',
        frames: [serverFrame(TEXT, 'x', { reserved: 0x10 })],
        code: 1002,
        says: 'RSV2 and RSV3 must be clear',
      },
      { name: 'opcode 3', frames: [serverFrame(3, 'x')], code: 1002, says: 'invalid opcode 3' },
      { name: 'opcode 11', frames: [serverFrame(11, 'x')], code: 1002, says: 'invalid opcode 11' },
      {
        name: 'a continuation of nothing',
        frames: [serverFrame(CONTINUATION, 'x')],
        code: 1002,
        says: 'invalid opcode 0',
      },
      {
        name: 'a message inside a message',
        frames: [serverFrame(TEXT, 'x', { isFinal: false }), serverFrame(TEXT, 'y')],
        code: 1002,
        says: 'invalid opcode 1',
      },
      {
        name: 'a fragmented ping',
        frames: [serverFrame(PING, '', { isFinal: false })],
        code: 1002,
        says: 'FIN must be set',
      },
      {
        name: 'a long ping',
        frames: [serverFrame(PING, 'p'.repeat(126))],
        code: 1002,
        says: 'invalid payload length 126',
      },
      { name: 'a close of one byte', frames: [serverFrame(CLOSE, 'x')], code: 1002, says: 'invalid payload length 1' },
      { name: 'close code 1005', frames: [closeFrame(1005)], code: 1002, says: 'invalid status code 1005' },
      { name: 'close code 999', frames: [closeFrame(999)], code: 1002, says: 'invalid status code 999' },
      {
        name: 'a reason that is no UTF-8',
        frames: [closeFrame(1000, text(0xc3))],
        code: 1007,
        says: 'invalid UTF-8 sequence',
      },
      {
        name: 'a text that is no UTF-8',
        frames: [serverFrame(TEXT, text(0x61, 0xff))],
        code: 1007,
        says: 'invalid UTF-8 sequence',
      },
      {
        name: 'half a surrogate',
        frames: [serverFrame(TEXT, text(0xed, 0xa0, 0x80))],
        code: 1007,
        says: 'invalid UTF-8 sequence',
      },
      {
        name: 'a message too long',
        frames: [serverFrame(TEXT, '', { length: BigInt(MAX_MESSAGE_BYTES + 1) })],
        code: 1009,
        says: 'Max payload size exceeded',
      },
      {
        name: 'fragments too long together',
        frames: [
          serverFrame(TEXT, 'x'.repeat(MAX_MESSAGE_BYTES), { isFinal: false }),
          serverFrame(CONTINUATION, 'x', { isFinal: false }),
        ],
        code: 1009,
        says: 'Max payload size exceeded',
      },
      {
        name: 'a length beyond counting',
        frames: [serverFrame(TEXT, '', { length: 2n ** 53n })],
        code: 1009,
        says: 'payload length > 2^53 - 1',
      },
      {
        name: 'fragments without end',
        frames: [
          serverFrame(TEXT, '', { isFinal: false }),
          ...Array.from({ length: 16_384 }, () => serverFrame(CONTINUATION, '', { isFinal: false })),
        ],
        code: 1008,
        says: 'Too many message fragments',
      },
    ])('by $name is answered with code $code and ends the session', async ({ frames, code, says }) => {
      const { events, closes } = await session([serverFrame(TEXT, 'good'), ...frames, serverFrame(TEXT, 'unheard')])
      const said = expect.stringMatching(
        new RegExp(`^WS_ERR_[A-Z_0-9]+: .*${says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
      )
      expect(events).toEqual([['open'], ['text', 'good'], ['closed', 1006, said]])
      expect(closes.map((payload) => payload.readUInt16BE(0))).toEqual([code])
    })
  })

  describe('over TLS', () => {
    const accept = (peer: Peer) => {
      peer.socket.write(
        Buffer.concat([peer.acceptance(), serverFrame(TEXT, 'x'.repeat(100_000)), serverFrame(PING, 'p')]),
      )
      void peer
        .until(() => peer.texts.length > 0)
        .then(() => peer.socket.write(Buffer.concat([serverFrame(TEXT, 'got it'), closeFrame(1000, 'bye')])))
        .then(() => peer.until(() => peer.hasEnded))
        .then(() => peer.socket.end())
    }

    test('a certificate of nobody known is a failure', async () => {
      const server = await startRawServer(accept, { tls: true })
      const events = await new Heard(transport(server.url)).toTheEnd()
      expect(events).toEqual([
        ['failed', expect.stringMatching(/^DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate/)],
      ])
    })

    test('a server without TLS is a failure', async () => {
      const server = await startRawServer(accept, { onSocket: (socket) => socket.end('HTTP/1.1 400 No\r\n\r\n') })
      const [event] = await new Heard(transport(server.url.replace('ws:', 'wss:'))).toTheEnd()
      expect(event).toEqual(['failed', expect.stringMatching(/wrong version number|packet length too long/)])
    })

    test('everything is as without', async () => {
      // A session like any other, once nothing is asked of the certificate.
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
      try {
        const server = await startRawServer(accept, { tls: true })
        const to = transport(server.url)
        const heard = new Heard(to, {
          text: ({ connection, events }) => {
            if (events.length === 2) connection.send(to.prepare(Buffer.from('y'.repeat(100_000))), () => undefined)
          },
        })
        const events = await heard.toTheEnd()
        expect(events).toEqual([['open'], ['text', 'x'.repeat(100_000)], ['text', 'got it'], ['closed', 1000, 'bye']])
        expect(server.peers[0]?.texts).toEqual(['y'.repeat(100_000)])
        expect(server.peers[0]?.frames.map(({ opcode }) => opcode)).toEqual(expect.arrayContaining([PONG, CLOSE]))
      } finally {
        vi.unstubAllEnvs()
      }
    })

    test.each(['127.0.0.1', 'localhost'])('a certificate that the user trusts is trusted, at %s', async (host) => {
      const server = await startRawServer((peer) => peer.socket.write(peer.acceptance()), { tls: true })
      const said = await connectTrusting(name, server.url.replace('127.0.0.1', host))
      expect(said).toBe('open')
    })

    // Elsewhere there is no second address that reaches this host without a name service.
    test.runIf(process.platform === 'linux')('a certificate for another address is a failure', async () => {
      const server = await startRawServer(() => undefined, { tls: true, host: '0.0.0.0' })
      const said = await connectTrusting(name, server.url.replace('127.0.0.1', '127.0.0.2'))
      expect(said).toMatch(/^failed ERR_TLS_CERT_ALTNAME_INVALID: .*127\.0\.0\.2/)
    })
  })
})

/** In a process of its own: what it trusts is settled when it starts. */
async function connectTrusting(name: TransportName, url: string): Promise<string> {
  const script = `
    import { createLevelTransport } from './dist/load/level-transport.io.js'
    const say = (...words) => { console.log(...words); process.exit() }
    createLevelTransport(${JSON.stringify(name)}, { url: ${JSON.stringify(url)}, headers: {}, handshakeTimeoutMs: 5000 }).connect({
      onOpen: () => say('open'), onFailed: (message) => say('failed', message), onRefused: ({ status }) => say(status),
    })`
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../vectors/tls/certificate.pem', import.meta.url)),
  }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  return stdout.trim()
}
