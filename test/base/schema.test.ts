import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UserError } from '../../src/base/errors.js'
import { describeProblems, parseYamlWith } from '../../src/base/schema.js'

const schema = z.strictObject({
  name: z.string().min(1),
  packet_ms: z.number().int().min(5).max(1000),
  kind: z.enum(['native', 'turn-based']),
  ratio: z.number().positive().optional(),
  levels: z.array(z.number()).min(1).optional(),
  targets: z.strictObject({ unit_miss_rate_max: z.number(), rtf_p90_below: z.number().optional() }).prefault({
    unit_miss_rate_max: 0.01,
  }),
  sessions: z
    .union([z.literal('all'), z.strictObject({ count: z.number() })], { error: 'must be "all" or {count}' })
    .optional(),
})

const GOOD = 'name: a\npacket_ms: 80\nkind: native\n'

function problemsOf(text: string): string {
  try {
    parseYamlWith(schema, { file: 'mine.yaml', text, kind: 'profile', code: 'PROFILE_FIELD' })
  } catch (thrown) {
    if (thrown instanceof UserError && thrown.code === 'PROFILE_FIELD') return thrown.message
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('a document against its schema', () => {
  it('is read, with its defaults', () => {
    const source = { file: 'mine.yaml', text: GOOD, kind: 'profile', code: 'PROFILE_FIELD' } as const
    const targets = { unit_miss_rate_max: 0.01 }
    expect(parseYamlWith(schema, source)).toEqual({ name: 'a', packet_ms: 80, kind: 'native', targets })
  })

  it('may be JSON', () => {
    const text = JSON.stringify({ name: 'a', packet_ms: 80, kind: 'native' })
    expect(parseYamlWith(schema, { file: 'a.json', text, kind: 'profile', code: 'PROFILE_FIELD' }).packet_ms).toBe(80)
  })

  it.each([
    {
      name: 'a number too small',
      text: GOOD.replace('80', '0'),
      expected: 'line 2: packet_ms is 0; it must be at least 5',
    },
    {
      name: 'a number too large',
      text: GOOD.replace('80', '9999'),
      expected: 'line 2: packet_ms is 9999; it must be at most 1000',
    },
    {
      name: 'a fraction',
      text: GOOD.replace('80', '80.5'),
      expected: 'line 2: packet_ms is 80.5; it must be a whole number',
    },
    {
      name: 'text for a number',
      text: GOOD.replace('80', 'eighty'),
      expected: 'line 2: packet_ms is "eighty"; it must be a number',
    },
    {
      name: 'a number for text',
      text: GOOD.replace('name: a', 'name: 7'),
      expected: 'line 1: name is 7; it must be a string',
    },
    {
      name: 'empty text',
      text: GOOD.replace('name: a', 'name: ""'),
      expected: 'line 1: name is ""; it must be at least 1 characters',
    },
    {
      name: 'a bound that is not allowed itself',
      text: `${GOOD}ratio: 0\n`,
      expected: 'line 4: ratio is 0; it must be more than 0',
    },
    {
      name: 'a word that is not in the list',
      text: GOOD.replace('native', 'natve'),
      expected: 'line 3: kind is "natve"; allowed: native, turn-based',
    },
    {
      name: 'a list too short',
      text: `${GOOD}levels: []\n`,
      expected: 'line 4: levels is []; it must be at least 1 items',
    },
    {
      name: 'a wrong item of a list',
      text: `${GOOD}levels:\n  - 1\n  - two\n`,
      expected: 'line 6: levels.1 is "two"; it must be a number',
    },
    { name: 'a missing field', text: 'packet_ms: 80\nkind: native\n', expected: 'name is missing' },
    {
      name: 'a misspelt field',
      text: `${GOOD}packet_sm: 1\n`,
      expected: 'packet_sm is not a known field; did you mean packet_ms?',
    },
    {
      name: 'a misspelt field further down',
      text: `${GOOD}targets:\n  unit_miss_rate_mx: 1\n  unit_miss_rate_max: 1\n`,
      expected: 'targets.unit_miss_rate_mx is not a known field; did you mean unit_miss_rate_max?',
    },
    {
      name: 'an unheard-of field',
      text: `${GOOD}colour_of_the_box: red\n`,
      expected: 'colour_of_the_box is not a known field; known are name, packet_ms',
    },
    { name: 'a form that does not fit', text: `${GOOD}sessions: some\n`, expected: 'line 4: sessions is "some"; ' },
    { name: 'nothing', text: '', expected: 'the document is null; it must be an object' },
    { name: 'a list', text: '- 1\n', expected: 'the document is [1]; it must be an object' },
    { name: 'broken YAML', text: `${GOOD}levels: [1,\n`, expected: 'not valid YAML' },
    { name: 'a key given twice', text: `${GOOD}name: b\n`, expected: 'line 4: not valid YAML' },
  ])('is refused with line, field and rule: $name', ({ text, expected }) => {
    const message = problemsOf(text)
    expect(message).toContain('profile mine.yaml: ')
    expect(message).toContain(expected)
    expect(message).not.toContain('\n')
  })

  it('says all its problems together', () => {
    const message = problemsOf('packet_ms: 1\nkind: x\nother: 1\n')
    for (const part of [
      'name is missing',
      'line 1: packet_ms is 1',
      'line 2: kind is "x"',
      'other is not a known field',
    ]) {
      expect(message).toContain(part)
    }
  })

  it('shows long values in part', () => {
    const message = problemsOf(GOOD.replace('80', 'x'.repeat(500)))
    expect(message.length).toBeLessThan(250)
  })
})

describe('a value against its schema', () => {
  it('has no problem, or all of them', () => {
    expect(describeProblems(schema, { name: 'a', packet_ms: 80, kind: 'native' })).toBeUndefined()
    expect(describeProblems(schema, { name: 'a', packet_ms: 0, kind: 'x' })).toBe(
      'packet_ms is 0; it must be at least 5; kind is "x"; allowed: native, turn-based',
    )
  })
})
