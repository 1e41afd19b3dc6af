import { expect, test } from 'vitest'
import { FrameReader } from '../../src/load/lean/frame-reader.js'
import { FrameWriter } from '../../src/load/lean/frame-writer.js'
import { deploymentOf } from '../../src/loopback/deployment.js'
import { NullFrames } from '../../src/loopback/null-server/null-frames.js'
import { NullSession } from '../../src/loopback/null-server/null-session.js'
import { loopbackOptionsSchema } from '../../src/loopback/options.js'
import { loadProfile } from '../../src/profile/load-profile.io.js'
import { driverOf } from '../../src/protocol/registry.js'

const PROFILE = await loadProfile('minicpmo-native')
const FRAMES = new NullFrames(deploymentOf(PROFILE, loopbackOptionsSchema.parse({})), 0.4)
const HEAD = 'GET /v1/realtime HTTP/1.1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
const writer = new FrameWriter(Buffer.from([1, 2, 3, 4]))

/** Two and a half units and a packet of 10 ms. */
const packets = driverOf(PROFILE).packets(new Int16Array(16 * 2570), PROFILE)
const COMMANDS = [
  '{"type":"session.update","event_id":"c_update","session":{}}',
  ...packets.texts,
  '{"type":"sglang.input_audio.end","event_id":"c_end"}',
  '{"type":"session.close","event_id":"c_close"}',
]
const SENT = Buffer.concat([Buffer.from(HEAD), ...COMMANDS.map((text) => writer.text(text)), writer.close(1000, '')])

function said(pieces: readonly Buffer[]) {
  const written: Buffer[] = []
  let ends = 0
  const session = new NullSession(FRAMES, 2, { write: (bytes) => written.push(Buffer.from(bytes)), end: () => ends++ })
  for (const piece of pieces) session.read(piece)
  return { bytes: Buffer.concat(written), ends, packets: session.packets }
}

function events(bytes: Buffer): { type: string; [key: string]: unknown }[] {
  const heard: { type: string }[] = []
  const reader = new FrameReader(
    {
      onText: (all, from, to) => heard.push(JSON.parse(all.toString('utf8', from, to))),
      onBinary: () => undefined,
      onPing: () => undefined,
      onClose: () => heard.push({ type: 'close frame' }),
      onViolation: (violation) => heard.push({ type: violation.message }),
    },
    1e7,
  )
  const at = bytes.indexOf('\r\n\r\n') + 4
  reader.read(bytes, at, bytes.length)
  return heard
}

test('a session is shaken hands with, acknowledged, answered and closed', () => {
  const { bytes, ends, packets: counted } = said([SENT])
  expect(bytes.toString('latin1', 0, 200)).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  const heard = events(bytes)
  const count = (type: string) => heard.filter((event) => event.type === type).length
  expect({ ends, counted }).toEqual({ ends: 1, counted: packets.texts.length })
  expect(count('sglang.input_audio.accepted')).toBe(packets.texts.length)
  expect(count('sglang.unit.done')).toBe(3)
  // Of the group's three units the first and the last speak, in pieces of 80 ms.
  expect(count('response.output_audio.delta')).toBe(26)
  expect(heard.map(({ type }) => type).slice(-3)).toEqual([
    'sglang.input_audio.drained',
    'session.closed',
    'close frame',
  ])
  expect(heard.find(({ type }) => type === 'sglang.input_audio.drained')).toMatchObject({
    accepted_end_ms: 2570,
    padding_ms: 430,
    client_event_id: 'c_end',
  })
})

test('nothing depends on where the bytes are cut', () => {
  const whole = said([SENT])
  for (let at = 1; at < SENT.length; at += 37) {
    expect(said([SENT.subarray(0, at), SENT.subarray(at)]).bytes.equals(whole.bytes), `cut at ${at}`).toBe(true)
  }
})

test.each([
  ['no key', 'GET / HTTP/1.1\r\n\r\n'],
  ['a head without end', 'x'.repeat(20_000)],
])('%s is refused', (_name, text) => {
  const { bytes, ends } = said([Buffer.from(text)])
  expect(bytes.toString()).toContain('400 Bad Request')
  expect(ends).toBe(1)
})

test.each([
  ['an unmasked frame', Buffer.from([0x81, 1, 0x41])],
  ['an endless frame', Buffer.from([0x81, 0xff, 0, 0, 0x7f, 0, 0, 0, 0, 0, 1, 1, 1, 1])],
])('%s ends the session', (_name, frame) => {
  expect(said([Buffer.from(HEAD), frame]).ends).toBe(1)
})

test('what is no command is passed over, and a ping is answered', () => {
  const { bytes, ends } = said([Buffer.from(HEAD), writer.text('nothing'), Buffer.from([0x89, 0x82, 0, 0, 0, 0, 7, 8])])
  expect(ends).toBe(0)
  expect([...bytes.subarray(-4)]).toEqual([0x8a, 2, 7, 8])
})
