import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameReader } from '../../src/load/lean/frame-reader.js'
import { UpgradeResponse } from '../../src/load/lean/http-response.js'
import { closeFrame, serverFrame } from './transport-server.js'

const LIMIT = 200_000

/** All that a reader says of bytes that come in these pieces, each at an odd place of a buffer that is used again. */
function readPieces(bytes: Buffer, cuts: readonly number[]): unknown[][] {
  const said: unknown[][] = []
  const reader = new FrameReader(
    {
      onText: (bytes, from, to) => said.push(['text', bytes.toString('utf8', from, to)]),
      onBinary: (length) => said.push(['binary', length]),
      onPing: (payload) => said.push(['ping', payload.toString('hex')]),
      onClose: (code, reason) => said.push(['close', code, reason]),
      onViolation: ({ closeCode, message }) => said.push(['violation', closeCode, message]),
    },
    LIMIT,
  )
  const shared = Buffer.alloc(bytes.length + 3)
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  for (const [index, from] of places.slice(0, -1).entries()) {
    const to = places[index + 1] as number
    bytes.copy(shared, 3, from, to)
    reader.read(shared, 3, 3 + to - from)
    // The next connection reads into the same buffer.
    shared.fill(0xaa)
  }
  return said
}

const cuts = fc.array(fc.nat(), { maxLength: 30 })
const text = fc.string({ unit: 'grapheme', maxLength: 400 })
const longText = fc.integer({ min: 1, max: 70_000 }).map((length) => 'é0'.repeat(length / 2))

interface Piece {
  readonly frames: readonly Buffer[]
  readonly said: readonly unknown[][]
}

const control: fc.Arbitrary<Piece> = fc.oneof(
  fc.uint8Array({ maxLength: 125 }).map((payload) => ({
    frames: [serverFrame(9, Buffer.from(payload))],
    said: [['ping', Buffer.from(payload).toString('hex')]],
  })),
  fc.uint8Array({ maxLength: 125 }).map((payload) => ({ frames: [serverFrame(10, Buffer.from(payload))], said: [] })),
)

const message: fc.Arbitrary<Piece> = fc
  .record({
    payload: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.oneof(text, longText).map((value) => ({ opcode: 1, bytes: Buffer.from(value), value })),
      },
      {
        weight: 1,
        arbitrary: fc
          .uint8Array({ maxLength: 300 })
          .map((value) => ({ opcode: 2, bytes: Buffer.from(value), value: '' })),
      },
    ),
    fragmentCuts: fc.array(fc.nat(), { maxLength: 4 }),
    between: fc.array(control, { maxLength: 5 }),
  })
  .map(({ payload: { opcode, bytes, value }, fragmentCuts, between }) => {
    const places = [0, ...fragmentCuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
    const frames: Buffer[] = []
    const said: unknown[][] = []
    for (const [index, from] of places.slice(0, -1).entries()) {
      const isFinal = index === places.length - 2
      frames.push(serverFrame(index === 0 ? opcode : 0, bytes.subarray(from, places[index + 1]), { isFinal }))
      const inBetween = isFinal ? undefined : between[index]
      frames.push(...(inBetween?.frames ?? []))
      said.push(...(inBetween?.said ?? []))
    }
    return { frames, said: [...said, opcode === 1 ? ['text', value] : ['binary', bytes.length]] }
  })

describe('frames, cut anywhere', () => {
  test('say what was sent', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(message, control), { maxLength: 12 }), fc.boolean(), cuts, (pieces, hasEnd, at) => {
        const frames = pieces.flatMap((piece) => piece.frames)
        const said = pieces.flatMap((piece) => piece.said)
        const end = hasEnd ? [closeFrame(1000, 'ü'), serverFrame(1, 'after')] : []
        const expected = hasEnd ? [...said, ['close', 1000, 'ü']] : said
        expect(readPieces(Buffer.concat([...frames, ...end]), at)).toEqual(expected)
      }),
    )
  })

  test('that break the rules, or are no frames at all, say the same as uncut', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(
        serverFrame(1, Buffer.from([0xe2, 0x82])),
        serverFrame(1, '', { length: BigInt(LIMIT + 1) }),
        serverFrame(2, '', { length: 2n ** 63n }),
        serverFrame(1, 'masked', { isMasked: true }),
        serverFrame(9, 'p', { isFinal: false }),
        closeFrame(1005),
      ),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 3 }), noise, cuts, (pieces, bad, at) => {
        const bytes = Buffer.concat([...pieces.flatMap(({ frames }) => frames), bad])
        expect(readPieces(bytes, at)).toEqual(readPieces(bytes, []))
      }),
    )
  })
})

test('an answer to an upgrade, cut anywhere, says the same', () => {
  const answers = fc.oneof(
    fc.constantFrom(
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\r\n\x81\x01a',
      'HTTP/1.1 103 Soon\r\n\r\nHTTP/1.1 503 Full\r\nContent-Length: 9\r\n\r\ngrün full and more',
      'HTTP/1.1 429 Slow\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0004;x\r\ndefg\r\n0\r\nT: 1\r\n\r\n',
      `HTTP/1.1 400 Bad\r\n\r\n${'é'.repeat(3000)}`,
      'HTTP/1.1 200 OK\r\nno header\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ),
    fc.string({ maxLength: 60 }).map((junk) => `HTTP/1.1 ${junk}\r\n\r\n`),
  )
  const say = (bytes: Buffer, at: readonly number[]) => {
    const response = new UpgradeResponse()
    const places = [...new Set([0, ...at.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b)
    for (const [index, from] of places.slice(0, -1).entries()) {
      const progress = response.read(bytes, from, places[index + 1] as number)
      if (progress.kind === 'switched') return ['switched', progress.restAt, [...progress.headers]]
      if (progress.kind !== 'incomplete') return progress
    }
    return response.refusal
  }
  fc.assert(
    fc.property(answers, cuts, (answer, at) => {
      const bytes = Buffer.from(answer)
      expect(say(bytes, at)).toEqual(say(bytes, []))
    }),
  )
})
