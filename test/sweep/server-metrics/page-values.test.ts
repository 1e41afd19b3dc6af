import { describe, expect, it } from 'vitest'
import { seriesFilter } from '../../../src/sweep/server-metrics/chosen-series.js'
import { pageValues, SERIES_MAX } from '../../../src/sweep/server-metrics/page-values.js'

const read = (text: string, patterns: readonly string[] = []) => pageValues(text, seriesFilter(patterns))

describe('what is kept of a page', () => {
  it('is finite, chosen, and apart by labels', () => {
    expect(
      read('node_load1 2\nmine{gpu="0"} 1\nmine{gpu="1"} 2\nmine{gpu="2"} NaN\nmine{gpu="3"} +Inf\nelse 1', ['mi*']),
    ).toEqual({ values: { node_load1: 2, 'mine{gpu="0"}': 1, 'mine{gpu="1"}': 2 } })
  })

  it('is no more than a bound, the known series first', () => {
    const many = Array.from({ length: SERIES_MAX + 5 }, (_, index) => `mine{i="${index}"} 1`).join('\n')
    const { values = {}, left_out: leftOut } = read(`${many}\nnode_load1 2\n`, ['*'])
    expect(Object.keys(values)).toHaveLength(SERIES_MAX)
    expect(values.node_load1).toBe(2)
    expect(leftOut).toBe(6)
  })

  it('has the CPUs of a node as two sums', () => {
    const text = [
      '# TYPE node_cpu_seconds_total counter',
      ...['idle 10', 'iowait 1', 'user 5', 'system 2'].flatMap((line) => {
        const [mode, value] = line.split(' ')
        return ['0', '1'].map((cpu) => `node_cpu_seconds_total{cpu="${cpu}",mode="${mode}"} ${value}`)
      }),
    ].join('\n')
    expect(read(text)).toEqual({
      values: { 'node_cpu_busy_seconds:sum': 14, 'node_cpu_seconds:sum': 36 },
      counters: ['node_cpu_busy_seconds:sum', 'node_cpu_seconds:sum'],
    })
  })

  it.each([
    { text: '', error: 'an empty page' },
    { text: '# only a comment\n', error: 'an empty page' },
    { text: '<html>\n<body>\n', error: 'no Prometheus text' },
  ])('is an error where there is nothing: $error', ({ text, error }) => {
    expect(read(text)).toEqual({ error })
  })
})
