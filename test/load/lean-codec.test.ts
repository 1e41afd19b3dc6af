import { describe, expect, test } from 'vitest'
import { FrameReader, type FrameSink } from '../../src/load/lean/frame-reader.js'
import { FrameWriter } from '../../src/load/lean/frame-writer.js'
import { acceptOf, requestHead, requestText, targetOf } from '../../src/load/lean/handshake.js'
import { MAX_MESSAGE_BYTES } from '../../src/load/transport.js'

describe('the writer', () => {
  const MASK = Buffer.from('37fa213d', 'hex')
  const writer = new FrameWriter(MASK)
  const tail = (bytes: number) => '7a'.repeat(bytes)
  /** 'z' under the mask, byte by byte. */
  const masked = (bytes: number) => Buffer.from(tail(bytes), 'hex').map((byte, at) => byte ^ (MASK[at & 3] as number))

  test('frames a text as in RFC 6455, section 5.7', () => {
    expect(writer.text('Hello').toString('hex')).toBe('818537fa213d7f9f4d5158')
  })

  test.each([
    { bytes: 0, head: '8180' },
    { bytes: 125, head: '81fd' },
    { bytes: 126, head: '81fe007e' },
    { bytes: 65_535, head: '81feffff' },
    { bytes: 65_536, head: '81ff0000000000010000' },
  ])('gives $bytes bytes the shortest length', ({ bytes, head }) => {
    const frame = writer.text(Buffer.from('z'.repeat(bytes)))
    const headBytes = head.length / 2
    expect(frame.subarray(0, headBytes + 4).toString('hex')).toBe(`${head}37fa213d`)
    expect(frame.subarray(headBytes + 4).equals(masked(bytes))).toBe(true)
  })

  test.each([
    { name: 'a code', frame: writer.close(1000, ''), hex: '888237fa213d3412' },
    { name: 'a code and a reason', frame: writer.close(1000, 'z'), hex: '888337fa213d34125b' },
    { name: 'no code', frame: writer.close(1005, ''), hex: '888037fa213d' },
    { name: 'a pong', frame: writer.pong(Buffer.from('z')), hex: '8a8137fa213d4d' },
  ])('writes control frames: $name', ({ frame, hex }) => {
    expect(frame.toString('hex')).toBe(hex)
  })

  test('takes a mask of four bytes only', () => {
    expect(() => new FrameWriter(Buffer.alloc(3))).toThrow('a mask has 4 bytes, not 3')
  })
})

describe('the reader', () => {
  const quiet: FrameSink = {
    onText: () => undefined,
    onBinary: () => undefined,
    onPing: () => undefined,
    onClose: () => undefined,
    onViolation: () => undefined,
  }

  test('reads nothing more once it was stopped from within a call', () => {
    const heard: string[] = []
    const reader = new FrameReader(
      {
        ...quiet,
        onText: (bytes, from, to) => {
          heard.push(bytes.toString('utf8', from, to))
          reader.stop()
        },
      },
      100,
    )
    reader.read(Buffer.from('\x81\x01a\x81\x01b', 'latin1'), 0, 6)
    expect([heard, reader.isDone]).toEqual([['a'], true])
  })

  test('takes no memory for a length alone', () => {
    const head = Buffer.from('817f0000000000800000', 'hex')
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 200 }, () => new FrameReader(quiet, MAX_MESSAGE_BYTES))
    for (const reader of readers) {
      reader.read(head, 0, head.length)
      reader.read(head, 0, 1)
    }
    const eachBytes = (process.memoryUsage().arrayBuffers - before) / readers.length
    expect(readers.some(({ isDone }) => isDone)).toBe(false)
    expect(eachBytes).toBeLessThan(64 * 1024)
  })
})

describe('the handshake', () => {
  test('knows the answer to a key, as in RFC 6455, section 1.3', () => {
    expect(acceptOf('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  })

  test.each([
    { url: 'ws://host/v1?a=b', target: { isSecure: false, host: 'host', port: 80 }, line: 'GET /v1?a=b', host: 'host' },
    { url: 'wss://host', target: { isSecure: true, host: 'host', port: 443 }, line: 'GET /', host: 'host' },
    { url: 'wss://host:443/', target: { isSecure: true, host: 'host', port: 443 }, line: 'GET /', host: 'host' },
    {
      url: 'ws://[::1]:8080/x y',
      target: { isSecure: false, host: '::1', port: 8080 },
      line: 'GET /x%20y',
      host: '[::1]:8080',
    },
  ])('is addressed as $url says', ({ url, target, line, host }) => {
    expect(targetOf(new URL(url))).toEqual(target)
    const lines = requestText(requestHead(new URL(url), {}), 'KEY').split('\r\n')
    expect(lines[0]).toBe(`${line} HTTP/1.1`)
    expect(lines).toContain(`Host: ${host}`)
    expect(lines.slice(-3)).toEqual(['Sec-WebSocket-Key: KEY', '', ''])
  })

  test('a host of the caller’s own takes the place of the URL’s', () => {
    const head = requestHead(new URL('ws://10.0.0.1/'), { host: 'front' })
    expect(head.match(/host: .*/gi)).toEqual(['host: front'])
  })
})
