import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { UnifiedMetric } from '../../src/quality/unified/unified-result.js'
import { htmlReport } from '../../src/report/html/html-report.js'
import { pageAssets } from '../../src/report/html/page-assets.io.js'
import type { PageData } from '../../src/report/html/page-data.js'
import type { AnalysedRun } from '../../src/sweep/analyse-run.io.js'
import type { LevelQuality } from '../../src/sweep/quality-result.js'
import { type ServingResult, servingResult } from '../../src/sweep/serving-result.js'
import { analysedLevel, busySession, replyWith } from '../helpers/analysed-levels.js'
import { deniedFacts, factsWith, NATIVE, TURN_BASED } from '../helpers/measured-levels.js'
import { analysedRuns } from '../helpers/recorded-runs.js'

const assets = pageAssets()
const resultOf = (runs: readonly AnalysedRun[]) => servingResult({ runs, toolVersion: '1.2.3' })
const pageOf = (runs: readonly AnalysedRun[], result: ServingResult = resultOf(runs)) =>
  htmlReport({ result, runs, assets })

function dataOf(page: string): PageData {
  const [, json] = /<script type="application\/json" id="report-data">(.*?)<\/script>/s.exec(page) ?? []
  return JSON.parse(json ?? 'null')
}

const GOOD = { replies: [replyWith()] }
const invalid = factsWith({
  name: 'slow client',
  pacing: { problems: ['packet 3 0.2 s off its schedule'], latenessUs: [0, 200_000], isInputStalled: false },
})
const RUNS = [
  analysedLevel({ concurrency: 1, sessions: [factsWith(GOOD)] }),
  analysedLevel({
    concurrency: 2,
    sessions: [factsWith({ ...GOOD, lagsUs: [900_000, 1_000_001] }), deniedFacts({ name: 'two' })],
  }),
  analysedLevel({ concurrency: 4, sessions: [invalid] }),
]

describe('the page', () => {
  const page = pageOf(RUNS)
  const result = resultOf(RUNS)

  it('begins with the verdict, word for word', () => {
    const lines = result.profiles[0]?.verdict ?? []
    expect(lines.length).toBeGreaterThan(0)
    const places = lines.map((line) => page.indexOf(`>${line}<`))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(Math.max(...places)).toBeLessThan(page.indexOf('<h3'))
  })

  it('holds its script, its style and its data once, and asks nobody for anything', () => {
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page.match(/<style/g)).toHaveLength(1)
    expect(page).not.toMatch(/<(?:link|script|img|iframe|object|embed)[^>]*(?:src|href)="(?!data:,")/)
    expect(page).not.toMatch(/url\(|@import\s+['"]|fetch\(|XMLHttpRequest|WebSocket\(|sendBeacon|importScripts/)
    expect(page).not.toMatch(/\sstyle="|\son\w+="/)
  })

  it('allows only that script and that style to run', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    expect(policy).toContain('default-src &#39;none&#39;')
    expect(policy).not.toContain('unsafe')
    for (const [tag, name] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const [, text = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(page) ?? []
      expect(policy).toContain(`${name} &#39;sha256-${createHash('sha256').update(text).digest('base64')}&#39;`)
    }
  })

  it('has a script that can be read, joined from modules that share no name', () => {
    expect(() => new Script(assets.script)).not.toThrow()
    expect(assets.script).not.toMatch(/^(?:import|export) /m)
    expect(assets.script).not.toContain('</script')
  })

  it('has a target for each of its links, and every id once', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const linked = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
    expect(linked.filter((id) => !ids.includes(id))).toEqual([])
  })

  it('explains every term where it stands', () => {
    const terms = [...page.matchAll(/<a class="term"([^>]*)>/g)].map(([, attributes]) => attributes ?? '')
    expect(terms.length).toBeGreaterThan(20)
    expect(terms.filter((attributes) => !/title="[^"]{20,}"/.test(attributes))).toEqual([])
  })

  it('marks levels by words and signs, not by colour alone', () => {
    for (const text of ['✓ yes', '✕ no', '⊘ invalid']) expect(page).toContain(text)
    expect(dataOf(page).profiles[0]?.levels.map(({ state }) => state)).toEqual(['meets', 'misses', 'invalid'])
  })

  it('names sessions that failed, with cause and a link to the trace beside it', () => {
    expect(page).toContain('C5 client error: denied')
    expect(page).toContain('href="./concurrency-2/samples/two/continuous.jsonl"')
  })

  it('shows first what is worth a look: the first level that misses', () => {
    expect(dataOf(page).profiles[0]?.first).toBe(1)
  })

  it('has the same bytes for the same runs in any order, and no path of the machine', () => {
    expect(pageOf([...RUNS].reverse())).toBe(page)
    expect(page).not.toContain('/somewhere')
  })
})

describe('texts that a server or a recording chose', () => {
  const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert('2')">&amp;<!--`
  const hostile = factsWith({ name: `a/${HOSTILE}`, hasSucceeded: false, reasons: [HOSTILE, HOSTILE], units: [] })
  const outside = factsWith({ name: '../../etc', hasSucceeded: false, reasons: ['x'], units: [] })
  const run = analysedLevel({
    concurrency: 1,
    sessions: [hostile, outside],
    events: [{ atUs: 5, direction: 'receive', type: 'error', detail: HOSTILE }],
  })
  const page = pageOf([run], { ...resultOf([run]), warnings: [HOSTILE] })

  it('are text wherever they stand', () => {
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page).not.toContain('<img')
    expect(page).not.toContain('<!--')
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)')
  })

  it('come whole out of the data', () => {
    expect(dataOf(page).profiles[0]?.levels[0]?.session?.events[0]?.[1]).toBe(`received · error · ${HOSTILE}`)
  })

  it('make no link that leads out of the folder', () => {
    expect(page).toContain('<code>concurrency-1/samples/../../etc/continuous.jsonl</code>')
    expect(page).not.toMatch(/href="[^"]*\.\.\//)
    expect(page).toContain('href="./concurrency-1/samples/a/%3C')
  })
})

describe('other results', () => {
  it('turn-based levels are drawn by their real-time factor', () => {
    const session = factsWith({
      unitsExpected: null,
      units: [],
      replies: [replyWith({ realTimeFactor: 0.7, bufferNeededUs: 81_000 })],
    })
    const page = pageOf([analysedLevel({ concurrency: 3, sessions: [session], profile: TURN_BASED })])
    expect(dataOf(page).profiles[0]).toMatchObject({
      mode: 'turn_based',
      unitMs: null,
      levels: [{ rtfMilli: 700, lag: null }],
    })
    expect(page).toContain('Real-time factor')
    expect(page).not.toContain('data-chart="lag"')
  })

  it('several profiles have a section each', () => {
    const page = pageOf([...RUNS, analysedLevel({ concurrency: 1, sessions: [], profile: TURN_BASED, name: 'turns' })])
    expect(page.match(/<article/g)).toHaveLength(2)
    expect(page.match(/class="verdict /g)).toHaveLength(2)
  })

  it('a result alone has every table and no curve', () => {
    const page = htmlReport({ result: resultOf(RUNS), runs: [], assets })
    expect(page).toContain('✕ no')
    expect(dataOf(page).profiles[0]?.levels[1]).toMatchObject({ lag: null, session: null, state: 'misses' })
  })

  it('an empty result says so', () => {
    expect(pageOf([])).toContain('No level was measured.')
  })

  it('quality stands against concurrency only where it was scored', () => {
    const share: UnifiedMetric = { value: 0.25, interval: [0.1, 0.5], count: 3, n: 12, selected_bounds: [0, 1] }
    const never: UnifiedMetric = { value: 1.5, interval: [1, 'not_reached'], p90: null, n: 9 }
    const quality = {
      definitions: 'floorload-unified-vad-1',
      words: { kind: 'vad', name: 'silero' },
      subsets: {
        candor_turn_taking: {
          counts: { declared: 12, selected: 12, eligible: 12, ineligible: 0, ineligible_reasons: {} },
          coverage: 1,
          metrics: { early_start_rate: share, response_latency_s: never },
        },
      },
      against_baseline: null,
    } as unknown as LevelQuality
    const result = resultOf(RUNS)
    const levels = result.levels.map((row, index) => (index === 0 ? { ...row, quality } : row))
    const page = pageOf(RUNS, { ...result, levels })
    expect(page).toContain('speech segments counted as words')
    expect(dataOf(page).profiles[0]?.quality).toMatchObject([
      {
        title: 'early starts',
        isShare: true,
        points: [{ label: '1', value: 250_000, low: 100_000, high: 500_000, n: 12 }],
      },
      { title: 'latency s', isShare: false, points: [{ value: 15_000, low: 10_000, high: null }] },
    ])
    expect(pageOf(RUNS)).not.toContain('data-chart="quality"')
  })

  it('is made of recorded runs, too, with the worst session of each level', async () => {
    const runs = await analysedRuns([
      { name: 'c1', concurrency: 1, sessions: { one: { lagsUs: [5] }, two: { lagsUs: [1_200_000] } } },
    ])
    const session = dataOf(pageOf(runs)).profiles[0]?.levels[0]?.session
    expect(session).toMatchObject({ name: 'speech/two/input', inputEnd: 10_000 })
    expect(session?.units).toEqual([[0, expect.any(Number), expect.any(Number), 0]])
    expect((session?.units[0]?.[2] ?? 0) - (session?.units[0]?.[1] ?? 0)).toBe(12_000)
    expect(session?.packets).toHaveLength(13)
    expect(session?.events.map(([, text]) => text)).toContain('received · session.updated')
  })
})

describe('size', () => {
  const LEVELS = [1, 2, 4, 8, 16, 32]

  it.each([
    { name: '1 s units', unitMs: 1000 },
    { name: '80 ms units', unitMs: 80 },
  ])('6 levels of 128 sessions of 15 s stay below 1.5 MB: $name', ({ unitMs }) => {
    const profile = { ...NATIVE, unit_ms: unitMs }
    const runs = LEVELS.map((concurrency) =>
      analysedLevel({
        concurrency,
        profile,
        sessions: Array.from({ length: 128 }, (_, index) =>
          busySession({
            name: `s${String(index).padStart(3, '0')}`,
            seconds: 15,
            unitUs: unitMs * 1000,
            startUs: 10_000_000 + Math.floor(index / concurrency) * 16_000_000 + (index % concurrency) * 37_000,
          }),
        ),
      }),
    )
    const page = pageOf(runs)
    expect(Buffer.byteLength(page)).toBeLessThan(1_500_000)
    const level = dataOf(page).profiles[0]?.levels[0]
    expect(level?.time.points).toBeNull()
    expect(level?.time.bins?.length).toBeLessThanOrEqual(401)
    expect(level?.lag?.all.n).toBe(128 * Math.round(15_000 / unitMs))
  })
})
