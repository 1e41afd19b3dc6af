import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTrace } from '../../src/capture/trace-record.js'
import { judgeSession } from '../../src/protocol/judge.js'
import { decodePcm16, pcm16ByteLength } from '../../src/protocol/pcm.js'
import type { Verdict } from '../../src/protocol/verdict.js'
import { BASES, type BaseName, draftOf, profileOf } from './fixtures.js'

const BASE_NAMES = Object.keys(BASES) as BaseName[]

/** Words of the protocols, so that arbitrary events reach the checks and do not all stop at an unknown type. */
const TYPES = [
  ...['session.created', 'session.update', 'session.updated', 'session.close', 'session.closed', 'error'],
  ...['input_audio_buffer.append', 'sglang.input_audio.accepted', 'sglang.input_audio.end', 'sglang.input_audio.ended'],
  ...['sglang.unit.done', 'sglang.input_audio.drained', 'input_audio_buffer.speech_started'],
  ...['input_audio_buffer.speech_stopped', 'output_audio_buffer.cleared', 'input_audio_buffer.cleared'],
  ...['response.created', 'response.output_audio.delta', 'response.output_audio.done', 'response.output_text.delta'],
  ...['response.audio.delta', 'response.audio.done', 'response.text.delta', 'response.done', 'response.other'],
  ...['response.listen', 'response.output_audio_transcript.delta', 'input_audio_buffer.committed', 'response.cancel'],
  ...['conversation.item.truncate', 'input_audio_buffer.commit', 'session.resume'],
]
const KEYS = [
  ...['event_id', 'client_event_id', 'response_id', 'item_id', 'unit_id', 'seq', 'content_index', 'output_index', 'id'],
  ...['delta', 'audio', 'sglang', 'session', 'response', 'media_time', 't_start_ms', 'duration_ms', 'accepted_end_ms'],
  ...[
    'server_event_seq',
    'duration_ms',
    'audio_end_ms',
    'audio_start_ms',
    'format',
    'error',
    'code',
    'message',
    'type',
  ],
  ...['granted', 'status', 'status_details', 'reason', 'turn_detection', 'modalities', 'input', '__proto__', 'attempt'],
]

const scalar = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'unit_0', 'unit_1', 'unit_99999999999999999999', 'AQA=', 'AQ==', 'in_progress', 'stop'),
  fc.constantFrom(null, true, false, 0, 1, -1, 0.5, 80, 1e300),
  fc.string({ maxLength: 5 }),
)
const { value: wireValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  ),
}))
const wireEvent = fc
  .tuple(
    fc.oneof(fc.constantFrom(...TYPES), scalar),
    fc.dictionary(fc.constantFrom(...KEYS), wireValue, { maxKeys: 8 }),
  )
  .map(([type, fields]) => ({ ...fields, type }))
const traceLine = fc.oneof(
  { arbitrary: fc.string(), weight: 1 },
  {
    arbitrary: fc
      .record({
        direction: fc.constantFrom('send', 'receive', 'receive', 'admission', 'error'),
        time_s: fc.double({ min: 0, max: 1e6, noNaN: true }),
        event: wireEvent,
      })
      .map((line) => JSON.stringify(line)),
    weight: 12,
  },
)

function judge(base: BaseName, text: string): Verdict {
  return judgeSession({ profile: profileOf(base), lines: parseTrace(text), admissionRetryLimit: 3 })
}

function expectWellFormed(verdict: Verdict): void {
  expect(verdict.status === 'fail').toBe(verdict.violations.length > 0)
  const lines = verdict.violations.map(({ line }) => line ?? Number.POSITIVE_INFINITY)
  expect(lines).toEqual([...lines].sort((a, b) => a - b))
  for (const { message } of verdict.violations) expect(message.length).toBeLessThan(600)
}

describe('a verdict', () => {
  it('is reached on any lines at all', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BASE_NAMES), fc.array(traceLine, { maxLength: 25 }), (base, lines) => {
        expectWellFormed(judge(base, lines.map((line) => `${line}\n`).join('')))
      }),
      { numRuns: 1500 },
    )
  })

  it('is reached on the lines of a valid session in any order, and fails where that is not the order of time', () => {
    const texts = new Map(BASE_NAMES.map((base) => [base, draftOf(base).toText().trimEnd().split('\n')]))
    fc.assert(
      fc.property(
        fc
          .constantFrom(...BASE_NAMES)
          .chain((base) => fc.tuple(fc.constant(base), fc.shuffledSubarray(texts.get(base) ?? [], { minLength: 2 }))),
        ([base, lines]) => {
          const verdict = judge(base, `${lines.join('\n')}\n`)
          expectWellFormed(verdict)
          const times = lines.map((line) => (JSON.parse(line) as { time_s: number }).time_s)
          // A part of a session in its order may happen to be a whole one: a client may skip the update, say.
          if (times.some((time, i) => time < (times[i - 1] ?? 0))) expect(verdict.status).toBe('fail')
          if (lines.join('\n') === texts.get(base)?.join('\n')) expect(verdict.status).toBe('pass')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('never changes when a stranger adds fields of unknown names', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...BASE_NAMES),
        fc.nat({ max: 20 }),
        fc.dictionary(fc.stringMatching(/^x_[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 }),
        (base, at, extra) => {
          const lines = draftOf(base).toText().trimEnd().split('\n')
          const record = JSON.parse(lines[at] ?? '{}')
          lines[at] = JSON.stringify({ ...record, event: { ...record.event, ...extra } })
          expect(judge(base, `${lines.join('\n')}\n`).status).toBe('pass')
        },
      ),
      { numRuns: 60 },
    )
  })

  it('survives values nested deeper than a recursive printer', () => {
    const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const text = `{"direction":"receive","time_s":1,"event":{"type":"session.updated","event_id":${nested},"session":${nested}}}\n`
    for (const base of BASE_NAMES) expectWellFormed(judge(base, text))
  })
})

describe('audio on the wire', () => {
  it('decodes to what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (half) => {
        const bytes = Buffer.concat([half, half])
        const text = bytes.toString('base64')
        expect(decodePcm16(text)).toEqual({ ok: true, bytes })
        expect(pcm16ByteLength(text)).toEqual({ ok: true, byteLength: bytes.length })
      }),
    )
  })

  it('is judged alike with and without the bytes, on any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[AQ=/+_\n]{0,9}$/)), (text) => {
        const decoded = decodePcm16(text)
        const length = pcm16ByteLength(text)
        expect(length).toEqual(decoded.ok ? { ok: true, byteLength: decoded.bytes.length } : decoded)
        if (decoded.ok) expect(decoded.bytes.length % 2 === 0 && decoded.bytes.length > 0).toBe(true)
      }),
    )
  })

  it('agrees with a decoder that only knows how base64 is written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9+/=]{0,13}$/), (text) => {
        const bytes = Buffer.from(text, 'base64')
        // Characters whose bits are left over encode to another last character, so only the lengths are compared.
        const isBase64 = bytes.toString('base64').length === text.length && /^[^=]*={0,2}$/.test(text)
        expect(pcm16ByteLength(text).ok).toBe(isBase64 && bytes.length > 0 && bytes.length % 2 === 0)
      }),
    )
  })
})
