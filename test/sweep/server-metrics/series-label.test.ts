import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seriesText } from '../../../src/sweep/server-metrics/prometheus-text.js'
import { labelsOf, seriesKey, seriesLabels } from '../../../src/sweep/server-metrics/series-label.js'

const A = 'http://box-1:9100/metrics'
const B = 'http://box-2:9100/metrics'

function shown(all: readonly (readonly [series: string, endpoint?: string])[]): (string | undefined)[] {
  const named = all.map(([series, endpoint = A]) => ({ series, endpoint }))
  const labels = seriesLabels(named)
  return named.map((one) => labels.get(seriesKey(one)))
}

describe('the name of a series for a reader', () => {
  it.each([
    { name: 'none of its labels where it is alone', all: [['q{model="m",pod="p"}']] as const, is: ['q'] },
    {
      name: 'the GPU before everything else',
      all: [['u{UUID="a",gpu="0",host="h"}'], ['u{UUID="b",gpu="1",host="h"}']] as const,
      is: ['u{gpu="0"}', 'u{gpu="1"}'],
    },
    {
      name: 'the shortest label that tells all apart',
      all: [['u{long="aaaa",s="1"}'], ['u{long="bbbb",s="2"}']] as const,
      is: ['u{s="1"}', 'u{s="2"}'],
    },
    {
      name: 'several labels where one does not do',
      all: [['u{a="1",b="1"}'], ['u{a="1",b="2"}'], ['u{a="2",b="1"}']] as const,
      is: ['u{a="1",b="1"}', 'u{a="1",b="2"}', 'u{a="2",b="1"}'],
    },
    {
      name: 'the host of its endpoint',
      all: [
        ['q', A],
        ['q', B],
      ] as const,
      is: ['q @box-1:9100', 'q @box-2:9100'],
    },
    {
      name: 'the whole endpoint where the host is the same',
      all: [
        ['q', 'http://box/a'],
        ['q', 'http://box/b'],
      ] as const,
      is: ['q @http://box/a', 'q @http://box/b'],
    },
    {
      name: 'free of what a terminal obeys',
      all: [['q{a="\u009b2J"}'], ['q{a="x"}']] as const,
      is: ['q{a="\ufffd2J"}', 'q{a="x"}'],
    },
  ])('has $name', ({ all, is }) => {
    expect(shown(all)).toEqual(is)
  })

  it('is read back from its text', () => {
    const key = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((text) => text !== '__proto__')
    fc.assert(
      fc.property(fc.dictionary(key, fc.string({ unit: 'binary' }), { maxKeys: 4 }), (labels) => {
        expect(Object.fromEntries(labelsOf(seriesText({ name: 'q', labels })))).toEqual({ ...labels })
      }),
    )
  })

  it('is never that of another', () => {
    const value = fc.constantFrom('1', '2', 'x')
    const series = fc.record({ a: value, b: value, c: value }).map((labels) => seriesText({ name: 'q', labels }))
    const all = fc.uniqueArray(fc.record({ series, endpoint: fc.constantFrom(A, B) }), { selector: seriesKey })
    fc.assert(fc.property(all, (named) => new Set(seriesLabels(named).values()).size === named.length))
  })
})
