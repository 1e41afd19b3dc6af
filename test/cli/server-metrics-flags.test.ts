import { expect, it } from 'vitest'
import { checkServerMetrics } from '../../src/cli/server-metrics-flags.js'

const URL = 'http://box/metrics'

it.each([
  { flags: { serverMetric: ['q'] }, code: 'USAGE' },
  { flags: { serverMetrics: [URL], serverMetric: ['q{a="1"}'] }, code: 'USAGE' },
  { flags: { serverMetrics: [URL], serverMetric: [''] }, code: 'USAGE' },
  { flags: { serverMetrics: [URL, 'box:9100'] }, code: 'URL_INVALID' },
])('refuses $flags', ({ flags, code }) => {
  expect(() => checkServerMetrics(flags)).toThrow(expect.objectContaining({ code }))
})

it.each([{}, { serverMetrics: [URL] }, { serverMetrics: [URL], serverMetric: ['vllm:*', 'a.b_c'] }])(
  'takes %j',
  (flags) => {
    expect(() => checkServerMetrics(flags)).not.toThrow()
  },
)
