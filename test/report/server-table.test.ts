import { describe, expect, it } from 'vitest'
import { plainWidth } from '../../src/report/level-table.js'
import { seriesRows, serverMarkdown, serverTable } from '../../src/report/server-table.js'
import { levelEvidence } from '../../src/sweep/server-metrics/level-evidence.js'
import type { ServingLevel } from '../../src/sweep/serving-result.js'
import { rowWith } from '../helpers/measured-levels.js'

const DCGM = (gpu: number) => `{gpu="${gpu}",UUID="GPU-${gpu}-0123456789",modelName="NVIDIA H100 80GB HBM3"}`

function level(concurrency: number, values: Readonly<Record<string, number>>): ServingLevel {
  const scrapes = [1, 2, 3].map((timeS) => ({ time_s: timeS, endpoint: 0, values }))
  const head = {
    schema: 'floorload.server-metrics/1' as const,
    interval_s: 1,
    endpoints: ['http://box:9400/metrics'],
  }
  const evidence = levelEvidence({ scrapes: { head, scrapes }, fromUs: 0, toUs: 9e6 })
  return { ...rowWith({ concurrency }), repeat: 1, server_metrics: evidence } as ServingLevel
}

const LEVELS = [2, 4, 8, 16].map((concurrency) =>
  level(concurrency, {
    'vllm:num_requests_waiting{model_name="m"}': concurrency > 4 ? 3 : 0,
    [`DCGM_FI_DEV_GPU_UTIL${DCGM(0)}`]: 50 + concurrency,
    [`DCGM_FI_DEV_GPU_UTIL${DCGM(1)}`]: 97,
    [`DCGM_FI_DEV_FB_USED${DCGM(0)}`]: 6000,
    [`DCGM_FI_DEV_FB_FREE${DCGM(0)}`]: 4000,
    node_load1: 1.25,
  }),
)
const PLAIN = { colour: false, width: undefined }

describe('the table of the server’s own figures', () => {
  it('has short names, those that tell of fullness first, and no row that only makes a share', () => {
    expect(seriesRows(LEVELS).map(({ series }) => series)).toEqual([
      'DCGM_FI_DEV_GPU_UTIL{gpu="0"}',
      'DCGM_FI_DEV_GPU_UTIL{gpu="1"}',
      'DCGM_FI_DEV_FB_USED',
      'vllm:num_requests_waiting',
      'node_load1',
    ])
  })

  it('says in words what is full, and of how much', () => {
    const table = serverTable(LEVELS, PLAIN)
    expect(table).toMatch(/num_requests_waiting +│ +0, 0 │ +0, 0 │ +3, 3 full │ +3, 3 full │/)
    expect(table).toMatch(/FB_USED +│ +6000, 6000 \(60%\) │/)
    expect(table).toMatch(/GPU_UTIL\{gpu="1"\} +│ +97, 97 full │/)
  })

  it.each([120, 80, 60, 40])('fits into %i columns, with every level', (width) => {
    const table = serverTable(LEVELS, { colour: false, width })
    expect(plainWidth(table)).toBeLessThanOrEqual(width)
    for (const { concurrency } of LEVELS) expect(table).toMatch(new RegExp(`level ${concurrency} `))
  })

  it('ends after two dozen series and says how many there are', () => {
    const many = level(2, Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`q{i="${index}"}`, index])))
    expect(serverTable([many], PLAIN)).toContain('and 6 more series in serving.json')
    expect(serverMarkdown([many]).split('\n')).toHaveLength(2 + 24 + 2)
  })

  it('is no way out of a Markdown cell', () => {
    const odd = level(2, { 'q{a="|`x"}': 1, 'q{a="y"}': 1 })
    const [, , , row = ''] = serverMarkdown([odd]).split('\n')
    expect(row).toBe('| `q{a="\\|\'x"}` | 1, 1 |')
  })
})
