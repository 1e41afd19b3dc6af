import { describe, expect, it } from 'vitest'
import { levelEvidence } from '../../../src/sweep/server-metrics/level-evidence.js'
import { isSaturated, saturationLines } from '../../../src/sweep/server-metrics/saturation.js'
import { parseServerScrapes, type Scrape, type ServerScrapes } from '../../../src/sweep/server-metrics/scrape-record.js'

const HEAD = { schema: 'floorload.server-metrics/1', interval_s: 1, endpoints: ['http://box/metrics'] } as const

function scrapesOf(values: readonly Scrape['values'][], changes: Partial<Scrape> = {}): ServerScrapes {
  return {
    head: { ...HEAD, endpoints: [...HEAD.endpoints] },
    scrapes: values.map((own, index) => ({ time_s: 10 + index, endpoint: 0, values: own, ...changes })),
  }
}

function evidenceOf(scrapes: ServerScrapes, fromS = 10, toS = 100) {
  return levelEvidence({ scrapes, fromUs: fromS * 1e6, toUs: toS * 1e6 })
}

describe('a level’s evidence', () => {
  it('is of the level’s own time alone', () => {
    const { series, endpoints } = evidenceOf(scrapesOf([{ q: 9 }, { q: 1 }, { q: 3 }, { q: 9 }]), 11, 12)
    expect(series).toMatchObject([{ series: 'q', samples: 2, min: 1, mean: 2, max: 3, above_zero: 1 }])
    expect(endpoints).toEqual([{ endpoint: 'http://box/metrics', scrapes: 2, failures: 0 }])
  })

  it('shows a counter as its rate, and passes over a reset', () => {
    const counted = scrapesOf([{ c_total: 5 }, { c_total: 7 }, { c_total: 0 }, { c_total: 4 }], {
      counters: ['c_total'],
    })
    expect(evidenceOf(counted).series).toMatchObject([{ is_rate: true, samples: 2, min: 2, mean: 3, max: 4 }])
  })

  it('counts failures and keeps what was read', () => {
    const scrapes = scrapesOf([{ q: 1 }])
    const failed = { time_s: 20, endpoint: 0, error: 'HTTP 503' }
    const { endpoints, series } = evidenceOf({ ...scrapes, scrapes: [...scrapes.scrapes, failed] })
    expect(endpoints[0]).toMatchObject({ scrapes: 2, failures: 1 })
    expect(series).toHaveLength(1)
  })

  it('knows the share of memory by the rest of it, label by label', () => {
    const { series } = evidenceOf(
      scrapesOf([
        { 'DCGM_FI_DEV_FB_USED{gpu="0"}': 97, 'DCGM_FI_DEV_FB_FREE{gpu="0"}': 3, 'DCGM_FI_DEV_FB_USED{gpu="1"}': 10 },
      ]),
    )
    const shares = series.filter(({ role }) => role === 'memory').map(({ mean_share: share }) => share)
    expect(shares).toEqual([0.97, null])
  })

  it('knows how busy the CPUs were by the rates of both sums', () => {
    const busy = 'node_cpu_busy_seconds:sum'
    const all = 'node_cpu_seconds:sum'
    const counted = scrapesOf(
      [
        { [busy]: 100, [all]: 1000 },
        { [busy]: 103, [all]: 1004 },
        { [busy]: 106, [all]: 1008 },
      ],
      { counters: [busy, all] },
    )
    expect(evidenceOf(counted).series.find(({ series }) => series === busy)).toMatchObject({
      role: 'use',
      mean: 3,
      mean_share: 0.75,
    })
  })

  it('keeps labels apart, and reads nothing from a name that every object has', () => {
    const { series } = evidenceOf(scrapesOf([{ 'q{a="x\\"y"}': 1 }, { constructor: 2 }]))
    expect(series.map(({ series: name, labels, samples }) => ({ name, labels, samples }))).toEqual([
      { name: 'constructor', labels: {}, samples: 1 },
      { name: 'q{a="x\\"y"}', labels: { a: 'x"y' }, samples: 1 },
    ])
  })

  it('survives a file that was cut', () => {
    const text = `${JSON.stringify(HEAD)}\n{"time_s":1,"endpoint":0,"values":{"q":1}}\n{"time_s":2,"endp`
    expect(parseServerScrapes(text)?.scrapes).toHaveLength(1)
    expect(parseServerScrapes('')).toBeUndefined()
    expect(parseServerScrapes('{"schema":"other"}\n')).toBeUndefined()
  })
})

describe('what was full first', () => {
  const level = (concurrency: number, values: readonly Scrape['values'][]) => ({
    concurrency,
    evidence: evidenceOf(scrapesOf(values)),
  })

  it('is named at the lowest level at which something was', () => {
    const idle = { 'vllm:num_requests_waiting': 0, DCGM_FI_DEV_GPU_UTIL: 60 }
    const busy = { 'vllm:num_requests_waiting': 4, DCGM_FI_DEV_GPU_UTIL: 99 }
    expect(
      saturationLines([
        level(8, [busy, busy]),
        level(2, [idle, idle]),
        level(4, [idle, { ...busy, DCGM_FI_DEV_GPU_UTIL: 70 }]),
      ]),
    ).toEqual([
      "The server's own figures: full first at level 4: vllm:num_requests_waiting above 0 in 50% of the scrapes, up to 4.",
    ])
    expect(saturationLines([level(2, [idle, idle])])).toEqual([
      "The server's own figures: nothing became full up to level 2.",
    ])
  })

  it('is not memory that was full at every level', () => {
    const loaded = { 'DCGM_FI_DEV_FB_USED{gpu="0",UUID="x"}': 98, 'DCGM_FI_DEV_FB_FREE{gpu="0",UUID="x"}': 2 }
    const busy = { ...loaded, DCGM_FI_DEV_GPU_UTIL: 99 }
    expect(saturationLines([level(2, [loaded, loaded]), level(4, [busy, busy])])).toEqual([
      "The server's own figures: full first at level 4: DCGM_FI_DEV_GPU_UTIL at 99% on average.",
      'Full at every level, so perhaps reserved by the server beforehand: DCGM_FI_DEV_FB_USED at 98% on average.',
    ])
  })

  it('is nothing where nothing could be read, and says so', () => {
    const failed = (concurrency: number) => ({
      concurrency,
      evidence: evidenceOf({
        head: { ...HEAD, endpoints: [...HEAD.endpoints] },
        scrapes: [{ time_s: 20, endpoint: 0, error: 'HTTP 503' }],
      }),
    })
    expect(saturationLines([failed(1), failed(2)])).toEqual(['http://box/metrics: 2 of 2 scrapes failed.'])
    expect(saturationLines([level(1, [{}])])).toEqual(["The server's own figures: no chosen series was found."])
  })

  it('says nothing where nothing was looked at', () => {
    expect(saturationLines([{ concurrency: 1, evidence: null }])).toEqual([])
  })

  it('is not judged by one scrape', () => {
    const [series] = evidenceOf(scrapesOf([{ DCGM_FI_DEV_GPU_UTIL: 100 }])).series
    expect(series === undefined ? undefined : isSaturated(series)).toBe(false)
  })
})
