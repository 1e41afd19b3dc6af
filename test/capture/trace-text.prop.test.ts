import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base64ByteLength } from '../../src/base/base64.js'
import { parseAudioLine } from '../../src/capture/trace-text.js'
import { pcm16ByteLength } from '../../src/protocol/pcm.js'

const VECTORS = fileURLToPath(new URL('../vectors/', import.meta.url))

/** What the quick way says has to be what the parser says; it may always leave a line to it. */
function expectSame(text: string): boolean {
  const quick = parseAudioLine(text)
  if (quick === undefined) return false
  expect(quick.value).toEqual(JSON.parse(text))
  expect(Object.keys(quick.value as object)).toEqual(Object.keys(JSON.parse(text)))
  return true
}

const audio = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uint8Array({ minLength: 380, maxLength: 900 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  fc.string({
    minLength: 500,
    maxLength: 700,
    unit: fc.constantFrom('A', 'b', '+', '/', '=', '-', '_', ' ', '\\', '"', 'é', '\u0001'),
  }),
)
const spacing = fc.constantFrom(undefined, 1)

describe('a line with audio', () => {
  test('is what the parser makes of it, whatever stands beside the audio', () => {
    let quick = 0
    fc.assert(
      fc.property(
        audio,
        fc.constantFrom('audio', 'delta'),
        fc.dictionary(
          fc.constantFrom('type', 'event_id', 'audio', 'delta', 'sglang', 'x"y'),
          fc.jsonValue({ maxDepth: 2 }),
        ),
        fc.dictionary(fc.constantFrom('seq', 'audio', 'delta', 'text'), fc.jsonValue({ maxDepth: 1 })),
        spacing,
        fc.constantFrom('send', 'receive'),
        (value, key, before, after, indent, direction) => {
          const event = { ...before, [key]: value, ...after }
          const text = JSON.stringify({ direction, time_s: 12.5, event }, null, indent)
          if (expectSame(text.replaceAll('\n', ' '))) quick += 1
        },
      ),
      { numRuns: 400 },
    )
    expect(quick, 'lines that took the quick way').toBeGreaterThan(20)
  })

  test.each([
    ['twice', (long: string) => `{"direction":"send","time_s":1,"event":{"audio":"${long}","audio":"AAAA"}}`],
    [
      'under an escaped name too',
      (long: string) => `{"direction":"send","time_s":1,"event":{"audio":"${long}","\\u0061udio":"AAAA"}}`,
    ],
    ['deeper than the event', (long: string) => `{"direction":"send","time_s":1,"event":{"x":{"audio":"${long}"}}}`],
    ['with an escape', (long: string) => `{"direction":"send","time_s":1,"event":{"audio":"${long}\\n"}}`],
    [
      'and a time with an exponent',
      (long: string) =>
        `{"direction":"send","time_s":1e3,"event":{"type":"input_audio_buffer.append","event_id":"a","audio":"${long}"}}`,
    ],
    [
      'and a fourth key',
      (long: string) =>
        `{"direction":"send","time_s":1,"event":{"type":"input_audio_buffer.append","event_id":"a","audio":"${long}"},"x":{"y":"z"}}`,
    ],
  ])('that is there %s is what the parser makes of it', (_name, line) => {
    expectSame(line('ABCD'.repeat(200)))
  })

  test.each(['', ',', 'x'])('that is broken by %j is left to the parser', (end) => {
    const text = `{"direction":"send","time_s":1,"event":{"type":"a","audio":"${'ABCD'.repeat(200)}"}${end}`
    expect(parseAudioLine(text)).toBeUndefined()
  })

  test('takes the quick way in the traces that we have', () => {
    const files = readdirSync(VECTORS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
    expect(files.length).toBeGreaterThan(10)
    let quick = 0
    for (const name of files) {
      for (const line of readFileSync(join(VECTORS, name), 'utf8').split('\n')) {
        try {
          JSON.parse(line)
        } catch {
          expect(parseAudioLine(line)).toBeUndefined()
          continue
        }
        if (expectSame(line)) quick += 1
      }
    }
    expect(quick).toBeGreaterThan(100)
  })
})

test('the quick look at base64 refuses whatever is not base64 in every character', () => {
  const plain = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
        fc.string({
          maxLength: 24,
          unit: fc.constantFrom('A', 'z', '0', '+', '/', '=', '-', '_', ' ', '\n', 'é', '€'),
        }),
      ),
      (text) => {
        const length = base64ByteLength(text)
        if (text !== '' && plain.test(text)) expect(length).toBe(Buffer.from(text, 'base64').length)
        else expect(length).toBeUndefined()
        if (length === undefined) expect(pcm16ByteLength(text).ok).toBe(false)
      },
    ),
    { numRuns: 2000 },
  )
})
