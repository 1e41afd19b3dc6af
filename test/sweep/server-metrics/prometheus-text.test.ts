import { describe, expect, it } from 'vitest'
import { isCounter, seriesFilter } from '../../../src/sweep/server-metrics/chosen-series.js'
import { parsePrometheusText, seriesText } from '../../../src/sweep/server-metrics/prometheus-text.js'

const one = (line: string) => parsePrometheusText(line).samples[0]

describe('a line of Prometheus text', () => {
  it.each([
    { line: 'up 1', name: 'up', labels: {}, value: 1 },
    {
      line: 'vllm:num_requests_waiting{model="a"} 3.0',
      name: 'vllm:num_requests_waiting',
      labels: { model: 'a' },
      value: 3,
    },
    { line: 'x{a="1",b="2",} 4', name: 'x', labels: { a: '1', b: '2' }, value: 4 },
    { line: 'x{ a = "1" , b="2" } 4', name: 'x', labels: { a: '1', b: '2' }, value: 4 },
    { line: 'x{} 4', name: 'x', labels: {}, value: 4 },
    {
      line: String.raw`x{p="C:\\a",q="say \"hi\"",n="a\nb"} 1`,
      name: 'x',
      labels: { p: 'C:\\a', q: 'say "hi"', n: 'a\nb' },
      value: 1,
    },
    { line: 'x{a="},{"} 1', name: 'x', labels: { a: '},{' }, value: 1 },
    { line: 'x 1 1712345678000', name: 'x', labels: {}, value: 1 },
    { line: 'b_bucket{le="+Inf"} 7 # {trace="abc"} 0.3 1.5', name: 'b_bucket', labels: { le: '+Inf' }, value: 7 },
    { line: 'x -1.5e-3', name: 'x', labels: {}, value: -0.0015 },
    { line: 'x +Inf', name: 'x', labels: {}, value: Number.POSITIVE_INFINITY },
    { line: 'x -Inf', name: 'x', labels: {}, value: Number.NEGATIVE_INFINITY },
    { line: '\tx\t2\r', name: 'x', labels: {}, value: 2 },
  ])('$line', ({ line, name, labels, value }) => {
    expect(one(line)).toEqual({ name, labels, value })
  })

  it('may hold no number', () => {
    expect(one('x NaN')?.value).toBeNaN()
  })

  it.each(['x', '1x 2', 'x{a=1} 2', 'x{a="1} 2', 'x{a="1"', 'x{a="1" b="2"} 3', 'x{="1"} 2', 'x two', '{a="1"} 2'])(
    'cannot be read: %s',
    (line) => {
      expect(parsePrometheusText(`${line}\nup 1`)).toMatchObject({
        samples: [{ name: 'up', value: 1 }],
        brokenLines: 1,
      })
    },
  )
})

describe('a page', () => {
  it('has types, comments, blank lines and an end', () => {
    const page = parsePrometheusText(
      [
        '# HELP a Some text',
        '# TYPE a counter',
        'a_total 1',
        '',
        '# a comment',
        '# TYPE b gauge',
        'b 2',
        '# EOF',
        'c 3',
      ].join('\n'),
    )
    expect(page.samples.map(({ name }) => name)).toEqual(['a_total', 'b'])
    expect([...page.types]).toEqual([
      ['a', 'counter'],
      ['b', 'gauge'],
    ])
  })

  it('keeps every series of a histogram apart', () => {
    const { samples } = parsePrometheusText('h_bucket{le="1",gpu="0"} 1\nh_bucket{le="2",gpu="0"} 3\nh_sum{gpu="0"} 4')
    expect(samples.map(seriesText)).toEqual(['h_bucket{gpu="0",le="1"}', 'h_bucket{gpu="0",le="2"}', 'h_sum{gpu="0"}'])
  })
})

describe('what is kept', () => {
  it('known series, and those that the user names', () => {
    const isKept = seriesFilter(['my_queue_*', 'exact.name'])
    expect(
      ['DCGM_FI_DEV_GPU_UTIL', 'my_queue_depth', 'exact.name', 'exactXname', 'other', 'not_my_queue_x'].map((name) =>
        isKept({ name }),
      ),
    ).toEqual([true, true, true, false, false, false])
  })

  const types = new Map([
    ['a', 'counter'],
    ['g_total', 'gauge'],
    ['h', 'histogram'],
    ['s', 'summary'],
    ['u_total', 'untyped'],
  ])
  it.each([
    { name: 'a', is: true },
    { name: 'a_total', is: true },
    { name: 'a_created', is: false },
    { name: 'unheard_total', is: true },
    { name: 'unheard', is: false },
    { name: 'unheard_sum', is: false },
    { name: 'g_total', is: false },
    { name: 'u_total', is: true },
    { name: 'h_bucket', is: true },
    { name: 'h_count', is: true },
    { name: 's_sum', is: true },
    { name: 's', is: false },
  ])('$name is a counter: $is', ({ name, is }) => {
    expect(isCounter(name, types)).toBe(is)
  })
})
