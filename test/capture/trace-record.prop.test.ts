import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INTEGER_KEYS, parseTrace, parseTraceLine } from '../../src/capture/trace-record.js'

describe('reading a trace', () => {
  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const lines = parseTrace(text)
        expect(lines.every((line) => line.ok || line.problem !== '')).toBe(true)
      }),
    )
  })

  it('gives back any event that was written with JSON.stringify', () => {
    const event = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(event, fc.integer({ min: 0, max: 2 ** 51 }), (written, us) => {
        const parsed = parseTraceLine(JSON.stringify({ direction: 'send', time_s: us / 1e6, event: written }), 1)
        expect(parsed).toMatchObject({ ok: true, atUs: us })
        expect(parsed.ok && parsed.event).toEqual(JSON.parse(JSON.stringify(written)))
      }),
    )
  })

  it('takes no text for a number, however much it looks like a key with one', () => {
    const lookalike = fc
      .tuple(fc.stringMatching(/^[\\" ]{0,3}$/), fc.constantFrom(...INTEGER_KEYS), fc.constantFrom('":3.0', '" : 1e3'))
      .map((parts) => `${parts[0]}"${parts[1]}${parts[2]}`)
    fc.assert(
      fc.property(lookalike, (text) => {
        const line = JSON.stringify({ direction: 'receive', time_s: 1, event: { text, [text]: [text] } })
        expect(parseTraceLine(line, 1)).toMatchObject({ ok: true, nonIntegerLiterals: [] })
      }),
    )
  })
})
