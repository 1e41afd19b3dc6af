import { describe, expect, it } from 'vitest'
import { namedSamples, namedSamplesOfFile } from '../../src/dataset/sample-ids.js'
import { type SampleRule, selectSamples } from '../../src/dataset/sample-selection.js'

const KNOWN = ['turns', 'pauses', 'rest']
const THERE = new Map([
  ['turns', ['1', '2', '10', 'a']],
  ['pauses', ['3', '4']],
])

const counts = (rest: Partial<SampleRule & { kind: 'counts' }>): SampleRule => ({
  kind: 'counts',
  perSubset: 'all',
  counts: {},
  ...rest,
})
const select = (rule: SampleRule) => {
  const { ids, ...others } = selectSamples(rule, KNOWN, THERE)
  return { ids: Object.fromEntries(ids), ...others }
}

describe('a selection', () => {
  it.each([
    { name: 'all, of what is known', rule: counts({}), ids: { turns: ['1', '2', '10', 'a'], pauses: ['3', '4'] } },
    { name: 'the first two of each', rule: counts({ perSubset: 2 }), ids: { turns: ['1', '2'], pauses: ['3', '4'] } },
    { name: 'more than there are', rule: counts({ perSubset: 3, counts: { rest: 0 } }), missing: [] },
    {
      name: 'a count of one subset, the others as ever',
      rule: counts({ perSubset: 1, counts: { turns: 3 } }),
      ids: { turns: ['1', '2', '10'], pauses: ['3'] },
    },
    {
      name: '0 leaves a subset out',
      rule: counts({ counts: { turns: 0, rest: 0 } }),
      ids: { pauses: ['3', '4'] },
      missing: [],
    },
    {
      name: 'none but one that is counted',
      rule: counts({ perSubset: 0, counts: { turns: 'all' } }),
      ids: { turns: ['1', '2', '10', 'a'] },
      missing: [],
    },
    {
      name: 'only the subsets chosen',
      rule: counts({ perSubset: 1, subsets: ['pauses'] }),
      ids: { pauses: ['3'] },
      missing: [],
    },
    {
      name: 'ids in any order stand in the dataset’s',
      rule: { kind: 'ids' as const, ...namedSamples(['pauses/3', ' turns/10', 'turns/2 ']) },
      ids: { turns: ['2', '10'], pauses: ['3'] },
      missing: [],
    },
  ])('$name', ({ rule, ids, missing = ['rest'] }) => {
    const selection = select(rule)
    expect(selection).toMatchObject({ missing, empty: [], problems: [] })
    if (ids !== undefined) expect(selection.ids).toEqual(ids)
  })

  it.each([
    {
      rule: counts({ counts: { turn: 1 } }),
      problem: '"turn" is no subset (known are turns, pauses, rest); did you mean turns?',
    },
    { rule: counts({ subsets: ['zzz'] }), problem: '"zzz" is no subset (known are turns, pauses, rest)' },
    {
      rule: counts({ subsets: ['turns'], counts: { pauses: 2 } }),
      problem: 'pauses has a count but is not among the subsets',
    },
  ])('is refused: $problem', ({ rule, problem }) => {
    expect(select(rule).problems).toEqual([problem])
  })

  it('a subset that is there and empty is neither missing nor chosen', () => {
    const selection = selectSamples(counts({}), ['empty'], new Map([['empty', []]]))
    expect(selection).toMatchObject({ missing: [], empty: ['empty'] })
    expect(selection.ids.size).toBe(0)
  })
})

describe('an ids file', () => {
  const of = (text: string) => select({ kind: 'ids', ...namedSamplesOfFile(text, 'ids.txt') })

  it('holds one sample on each line; blank lines and comments do not count', () => {
    const { ids, problems } = of('\uFEFF# mine\r\n\r\nturns/2  # the short one\r\n  pauses/4\n\n')
    expect(problems).toEqual([])
    expect(ids).toEqual({ turns: ['2'], pauses: ['4'] })
  })

  it.each([
    { text: 'turns/1\nturns/2\nturns/1', problem: 'ids.txt, line 3: turns/1 is named twice (ids.txt, line 1)' },
    { text: '# x\nturns/99', problem: 'ids.txt, line 2: there is no sample turns/99' },
    { text: 'rest/1', problem: 'ids.txt, line 1: there is no sample rest/1' },
    { text: 'other/1', problem: 'ids.txt, line 1: "other" is no subset (known are turns, pauses, rest)' },
    { text: 'turns/1\n7', problem: 'ids.txt, line 2: "7" is no SUBSET/ID' },
    { text: 'turns/1/input.wav', problem: 'ids.txt, line 1: "turns/1/input.wav" is no SUBSET/ID' },
    { text: 'turns/..', problem: 'ids.txt, line 1: "turns/.." is no SUBSET/ID' },
  ])('is refused with its line: $problem', ({ text, problem }) => {
    expect(of(text).problems).toEqual([problem])
  })
})
