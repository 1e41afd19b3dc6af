import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageType } from '../../src/capture/message-type.js'

function typeOf(text: string, before = '', after = ''): string | undefined {
  const bytes = Buffer.from(`${before}${text}${after}`)
  const from = Buffer.byteLength(before)
  return messageType(bytes, from, from + Buffer.byteLength(text))
}

const LONG = 'A'.repeat(5000)

describe('the type of a message', () => {
  test.each([
    ['{"type":"session.created"}', 'session.created'],
    [' {\n "event_id" : "e\\"1" , "type" : "error" } \r\n', 'error'],
    [`{"delta":"${LONG}","type":"response.output_audio.delta"}`, 'response.output_audio.delta'],
    [`{"delta":"${LONG}\\"","n":-1.5e3,"ok":true,"no":null,"type":"a"}`, 'a'],
    ['{"session":{"type":"inner","list":[1,{"type":"deeper"}]},"type":"outer"}', 'outer'],
    ['{"a":[],"b":{},"type":"x","rest":"never looked at"}', 'x'],
    ['{"typ":"no","types":"no","type":""}', ''],
  ])('is found in %s', (text, type) => {
    expect(typeOf(text)).toBe(type)
    // The bytes around it belong to other messages.
    expect(typeOf(text, '{"type":"before","x":"', '"}')).toBe(type)
  })

  test.each([
    [''],
    ['{'],
    ['{}'],
    ['null'],
    ['["type"]'],
    ['"type"'],
    ['{"type":"x"'],
    ['{"type":"x"} trailing'],
    ['{"type":5}'],
    ['{"type":null}'],
    ['{"type":{"type":"x"}}'],
    ['{"type":"esc\\u0061ped"}'],
    ['{"type":"naïve"}'],
    ['{type:"x"}'],
    ['{"a":,"type":"x"}'],
    ['{"a" "type":"x"}'],
    ['{"a":[1,"type":"x"}'],
    [`{"type":"${'x'.repeat(200)}"}`],
    ['{"a":"unterminated}'],
  ])('is left to the parser in %s', (text) => {
    expect(typeOf(text)).toBeUndefined()
    expect(typeOf(text, '', '","type":"after"}')).toBeUndefined()
  })

  test('is what the parser says, for any object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.stringMatching(/^[a-z._]{0,20}$/),
        fc.nat(5),
        fc.constantFrom(undefined, 1, '\t'),
        (fields, type, position, indent) => {
          const entries = Object.entries(fields).filter(([key]) => key !== 'type' && key !== '__proto__')
          entries.splice(position, 0, ['type', type])
          const text = JSON.stringify(Object.fromEntries(entries), null, indent)
          expect(typeOf(text, '{"', '}')).toBe(type)
        },
      ),
    )
  })
})
