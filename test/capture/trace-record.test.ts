import { describe, expect, it } from 'vitest'
import { parseTrace, parseTraceLine, type TraceLine } from '../../src/capture/trace-record.js'

function problemOf(line: TraceLine | undefined): string | undefined {
  return line?.ok === false ? line.problem : undefined
}

const line = (parts: Record<string, unknown>) =>
  JSON.stringify({ direction: 'send', time_s: 1.5, event: { type: 'x' }, ...parts })

describe('a trace line', () => {
  it('is read with its time in whole microseconds', () => {
    expect(parseTraceLine('{"direction":"receive","time_s":593390.135901,"event":{"type":"x"}}', 7)).toEqual({
      ok: true,
      line: 7,
      direction: 'receive',
      timeS: 593390.135901,
      atUs: 593_390_135_901,
      event: { type: 'x' },
      nonIntegerLiterals: [],
    })
  })

  it.each(['send', 'receive', 'admission', 'error'])('may have the direction %s', (direction) => {
    expect(parseTraceLine(line({ direction }), 1)).toMatchObject({ ok: true, direction })
  })

  it.each([
    { name: 'nothing', text: '', problem: 'is empty' },
    { name: 'spaces', text: '  \t', problem: 'is empty' },
    { name: 'half a line', text: '{"direction":"se', problem: 'is not valid JSON' },
    { name: 'two objects', text: '{} {}', problem: 'is not valid JSON' },
    { name: 'a number NaN, which is no JSON', text: line({}).replace('1.5', 'NaN'), problem: 'is not valid JSON' },
    { name: 'a list', text: '[]', problem: 'is not a JSON object' },
    { name: 'null', text: 'null', problem: 'is not a JSON object' },
    { name: 'text', text: '"x"', problem: 'is not a JSON object' },
    { name: 'no key', text: '{}', problem: 'has the keys none' },
    { name: 'a key too few', text: '{"direction":"send","time_s":1}', problem: 'has the keys direction, time_s;' },
    { name: 'a key too many', text: line({ note: 1 }), problem: 'has the keys direction, time_s, event, note' },
    {
      name: 'a wrong key',
      text: '{"direction":"send","time":1,"event":{}}',
      problem: 'has the keys direction, time, event',
    },
    { name: 'an unknown direction', text: line({ direction: 'sent' }), problem: 'has the direction "sent"' },
    { name: 'a direction that is no text', text: line({ direction: 1 }), problem: 'has the direction 1' },
    { name: 'a time as text', text: line({ time_s: '1' }), problem: 'has the time_s "1"' },
    { name: 'a negative time', text: line({ time_s: -1 }), problem: 'has the time_s -1' },
    { name: 'an infinite time', text: line({}).replace('1.5', '1e999'), problem: 'has the time_s null' },
    { name: 'a time beyond any clock', text: line({ time_s: 1e13 }), problem: 'has the time_s 10000000000000' },
    { name: 'a null time', text: line({ time_s: null }), problem: 'has the time_s null' },
    { name: 'an event as text', text: line({ event: '{}' }), problem: 'has an event that is not a JSON object' },
    { name: 'an event as a list', text: line({ event: [] }), problem: 'has an event that is not a JSON object' },
    { name: 'a null event', text: line({ event: null }), problem: 'has an event that is not a JSON object' },
  ])('is refused when it holds $name', ({ text, problem }) => {
    const parsed = parseTraceLine(text, 3)
    expect(parsed).toMatchObject({ ok: false, line: 3, isCutLastLine: false })
    expect(problemOf(parsed)).toContain(problem)
  })

  it.each([
    { name: 'an integer', event: '{"seq":3}', keys: [] },
    { name: 'a negative integer', event: '{"seq":-3}', keys: [] },
    { name: 'a decimal point', event: '{"seq":3.0}', keys: ['seq'] },
    { name: 'an exponent', event: '{"seq":1e3}', keys: ['seq'] },
    { name: 'a capital exponent', event: '{"content_index":1E0}', keys: ['content_index'] },
    { name: 'a negative decimal', event: '{"seq":-3.5}', keys: ['seq'] },
    { name: 'spaces around the colon', event: '{"native_unit_ms" : 1000.0}', keys: ['native_unit_ms'] },
    { name: 'depth', event: '{"a":{"b":[{"output_index":0.0}]}}', keys: ['output_index'] },
    { name: 'two of them', event: '{"native_unit_ms":80.0,"seq":1.0}', keys: ['native_unit_ms', 'seq'] },
    { name: 'a key that need not be an integer', event: '{"duration_ms":80.0}', keys: [] },
    { name: 'a key that only ends like one', event: '{"my_seq":3.0}', keys: [] },
    { name: 'text that looks like a key', event: JSON.stringify({ text: '"seq":3.0' }), keys: [] },
    { name: 'text that looks like a key after a backslash', event: JSON.stringify({ text: '\\"seq":3.0' }), keys: [] },
    { name: 'text in a key', event: JSON.stringify({ '"seq":3.0': 1 }), keys: [] },
  ])('names the keys whose numbers are not written as integers: $name', ({ event, keys }) => {
    expect(parseTraceLine(`{"direction":"send","time_s":1,"event":${event}}`, 1)).toMatchObject({
      ok: true,
      nonIntegerLiterals: keys,
    })
  })
})

describe('a trace', () => {
  const whole = line({})

  it.each([
    { name: 'an empty file has no lines', text: '', oks: [], cut: [] },
    { name: 'a line feed ends each line', text: `${whole}\n${whole}\n`, oks: [true, true], cut: [] },
    { name: 'a whole last line needs no line feed', text: `${whole}\n${whole}`, oks: [true, true], cut: [] },
    { name: 'a half last line is cut', text: `${whole}\n${whole.slice(0, 20)}`, oks: [true, false], cut: [2] },
    { name: 'a half line with a line feed is broken, not cut', text: `${whole.slice(0, 20)}\n`, oks: [false], cut: [] },
    {
      name: 'a half line elsewhere is broken, not cut',
      text: `${whole.slice(0, 20)}\n${whole}`,
      oks: [false, true],
      cut: [],
    },
    { name: 'an empty line is broken', text: `${whole}\n\n${whole}\n`, oks: [true, false, true], cut: [] },
    { name: 'a carriage return before the line feed does no harm', text: `${whole}\r\n`, oks: [true], cut: [] },
  ])('$name', ({ text, oks, cut }) => {
    const lines = parseTrace(text)
    expect(lines.map(({ ok }) => ok)).toEqual(oks)
    expect(lines.map((entry) => entry.line)).toEqual(oks.map((_, index) => index + 1))
    expect(lines.flatMap((entry) => (!entry.ok && entry.isCutLastLine ? [entry.line] : []))).toEqual(cut)
  })
})
