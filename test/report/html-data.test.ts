import { describe, expect, it } from 'vitest'
import type { SelfMonitoring } from '../../src/capture/self-monitoring.js'
import { isUnderrun } from '../../src/metrics/playback.js'
import { levelTime } from '../../src/report/html/level-time.js'
import { embeddedJson, html } from '../../src/report/html/markup.js'
import { PERCENTILE_GRID, percentileCurve, playsByBuffer } from '../../src/report/html/percentile-curve.js'
import { factsWith } from '../helpers/measured-levels.js'

describe('a curve on the percentile axis', () => {
  const valuesUs = Array.from({ length: 101 }, (_, index) => index * 1000)

  it('holds the quantiles of the level table at its places, and the maximum last', () => {
    const curve = percentileCurve([...valuesUs].reverse())
    const at = (place: number) => curve?.at[PERCENTILE_GRID.indexOf(place)]
    expect(curve?.n).toBe(101)
    expect([at(0), at(301), at(1000), at(1301)]).toEqual([0, 500, 900, 950])
    expect(curve?.at.at(-1)).toBe(1000)
  })

  it.each([
    { n: 0, places: undefined },
    { n: 1, places: 0 },
    { n: 10, places: PERCENTILE_GRID.filter((place) => place < 1000).length },
    { n: 101, places: PERCENTILE_GRID.filter((place) => place <= 2000).length },
    { n: 100_000, places: PERCENTILE_GRID.length },
  ])('ends where $n values end', ({ n, places }) => {
    const curve = percentileCurve(Array.from({ length: n }, (_, index) => index))
    expect(curve?.at.length).toBe(places === undefined ? undefined : places + 1)
  })
})

describe('replies that play', () => {
  it('are those that do not underrun, at every buffer, on the limit too', () => {
    const neededUs = [0, 79_999, 80_000, 80_000.0005, 80_001, 4_000_000]
    const plays = playsByBuffer(neededUs)
    expect(plays).toMatchObject({ n: 6, stepMs: 10 })
    for (const [step, count] of (plays?.counts ?? []).entries()) {
      expect(count).toBe(neededUs.filter((us) => !isUnderrun(us, step * 10_000)).length)
    }
    expect(plays?.counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 4, 5])
  })

  it('are none without a reply', () => {
    expect(playsByBuffer([])).toBeNull()
  })
})

describe('the time of a level', () => {
  const session = (changes: object) =>
    factsWith({ openAtUs: 10_000_000, closeAtUs: 13_500_000, t0Us: 10_100_000, ...changes })
  const monitoring = {
    senders: [
      {
        sessions: ['a'],
        stalls: [[10.5, 10.51, 10.52]],
        series: [
          { at_s: 10.2, receive_delay_max_ms: 0.4, gc_max_ms: 1.2 },
          { at_s: 11.2, receive_delay_max_ms: null, gc_max_ms: null },
        ],
      },
      {
        sessions: ['b'],
        stalls: [
          [10.8, 10.807, 10.82],
          [99, 99.5, 99.6],
        ],
        series: [{ at_s: 10.9, receive_delay_max_ms: 7, gc_max_ms: 0 }],
      },
    ],
  } as unknown as SelfMonitoring

  it('counts from the first open session', () => {
    const units = [
      { unit: 0, doneAtUs: 12_000_400, lagUs: 250_040, isSpeak: true },
      { unit: 1, doneAtUs: 13_000_000, lagUs: undefined, isSpeak: false },
    ]
    const time = levelTime([session({ units }), session({ openAtUs: 11_000_000, units: [] })], monitoring)
    expect(time).toMatchObject({ spanMs: 3500, binMs: 1000, points: [[2000, 2500, 1]], bins: null })
    expect(time.open).toEqual([1, 2, 2, 2])
    expect(time.stall).toEqual([100, 0, 0, 0])
    expect(time.receive).toEqual([70, null, null, null])
    expect(time.gc).toEqual([12, 0, 0, 0])
  })

  it('places each packet where it was sent', () => {
    const latenessUs = Array.from({ length: 20 }, (_, k) => (k === 15 ? 30_000 : 1000))
    const time = levelTime([session({ pacing: { problems: [], latenessUs, isInputStalled: false } })], undefined)
    expect(time.late).toEqual([10, 300, null, null])
    expect(time).toMatchObject({ stall: null, receive: null, gc: null })
  })

  it('says nothing of lateness where a session has no due times', () => {
    const pacing = { problems: [], latenessUs: undefined, isInputStalled: false }
    expect(levelTime([session({}), session({ pacing })], undefined).late).toBeNull()
  })

  it('bins many units, with their worst', () => {
    const units = Array.from({ length: 900 }, (_, unit) => ({
      unit,
      doneAtUs: 10_000_000 + unit * 1000,
      lagUs: unit === 899 ? 5_000_000 : 100_000,
      isSpeak: false,
    }))
    const time = levelTime([session({ units })], undefined)
    expect(time.points).toBeNull()
    expect(time.bins).toEqual([[1000, 1000, 50_000], null, null, null])
  })

  it('widens its bins for a long level, and has none for an empty one', () => {
    const long = levelTime([session({ closeAtUs: 10_000_000 + 3_600e6 })], undefined)
    expect(long.binMs).toBe(10_000)
    expect(long.open).toHaveLength(361)
    expect(levelTime([], undefined)).toMatchObject({ spanMs: 0, open: [], points: [] })
  })
})

describe('markup', () => {
  it('escapes what is put in, but what came out of a template', () => {
    expect(html`<p title="${'"\'&<'}">${html`<b>${'<i>'}</b>`}${[1, '>', null, false, undefined]}</p>`.text).toBe(
      '<p title="&quot;&#39;&amp;&lt;"><b>&lt;i&gt;</b>1&gt;</p>',
    )
  })

  it('data cannot end its own element', () => {
    const value = { text: '</script><!--\u2028&' }
    const { text } = embeddedJson(value)
    expect(text).not.toMatch(/[<>&\u2028]/)
    expect(JSON.parse(text)).toEqual(value)
  })
})
