/** What a server said of itself during one level: a summary of each series over the level's own time. Pure. */
import type { InstantUs } from '../../base/clock.js'
import { secondsFromUs } from '../../base/clock.js'
import { quantile, sortSamples } from '../../stats/quantile.js'
import { COMPANIONS, meaningOf, type SeriesMeaning } from './chosen-series.js'
import type { Scrape, ServerScrapes } from './scrape-record.js'
import { labelsOf, nameOf } from './series-label.js'

export interface SeriesSummary {
  readonly endpoint: string
  /** `name{label="value"}`; a counter stands as its rate each second. */
  readonly series: string
  readonly labels: Readonly<Record<string, string>>
  readonly role: SeriesMeaning['role']
  readonly is_rate: boolean
  readonly samples: number
  readonly min: number
  readonly mean: number
  readonly p95: number
  readonly max: number
  /** Mean share of what there is, where that is known. */
  readonly mean_share: number | null
  /** Share of the scrapes in which it was above 0. */
  readonly above_zero: number
}

export interface LevelEvidence {
  readonly endpoints: readonly { readonly endpoint: string; readonly scrapes: number; readonly failures: number }[]
  readonly series: readonly SeriesSummary[]
}

/** @param options.fromUs first open session of the level, `toUs` the end of its last; scrapes outside say nothing of it */
export function levelEvidence(options: {
  readonly scrapes: ServerScrapes
  readonly fromUs: InstantUs
  readonly toUs: InstantUs
}): LevelEvidence {
  const { head } = options.scrapes
  const [fromS, toS] = [secondsFromUs(options.fromUs), secondsFromUs(options.toUs)]
  const inside = options.scrapes.scrapes.filter(({ time_s: timeS }) => timeS >= fromS && timeS <= toS)
  const endpoints = head.endpoints.map((endpoint, index) => {
    const own = inside.filter((scrape) => scrape.endpoint === index)
    return { endpoint, scrapes: own.length, failures: own.filter(({ error }) => error !== undefined).length }
  })
  const series = head.endpoints.flatMap((endpoint, index) =>
    summaries(
      endpoint,
      inside.filter((scrape) => scrape.endpoint === index && scrape.values !== undefined),
    ),
  )
  return { endpoints, series }
}

function summaries(endpoint: string, scrapes: readonly Scrape[]): SeriesSummary[] {
  const names = [...new Set(scrapes.flatMap(({ values }) => Object.keys(values ?? {})))].sort()
  const counters = new Set(scrapes.flatMap(({ counters: own }) => own ?? []))
  return names.flatMap((series) => {
    const isRate = counters.has(series)
    const values = isRate ? ratesOf(series, scrapes) : scrapes.flatMap((scrape) => valueIn(scrape, series) ?? [])
    if (values.length === 0) return []
    const sorted = sortSamples(values)
    const mean = meanOf(values)
    const { role, full } = meaningOf(nameOf(series))
    const share = full === null ? companionShare(series, { scrapes, isRate }) : mean / full
    return [
      {
        endpoint,
        series,
        labels: Object.fromEntries(labelsOf(series)),
        role,
        is_rate: isRate,
        samples: values.length,
        min: tidy(sorted[0] as number),
        mean: tidy(mean),
        p95: tidy(quantile({ sorted, q: 0.95 }) ?? 0),
        max: tidy(sorted.at(-1) as number),
        mean_share: share === null ? null : tidy(share),
        above_zero: tidy(values.filter((value) => value > 0).length / values.length),
      },
    ]
  })
}

/** A counter that falls was reset: that step says nothing. */
function ratesOf(series: string, scrapes: readonly Scrape[]): number[] {
  const rates: number[] = []
  let before: { readonly timeS: number; readonly value: number } | undefined
  for (const scrape of scrapes) {
    const { time_s: timeS } = scrape
    const value = valueIn(scrape, series)
    if (value === undefined) continue
    if (before !== undefined && timeS > before.timeS && value >= before.value) {
      rates.push((value - before.value) / (timeS - before.timeS))
    }
    before = { timeS, value }
  }
  return rates
}

/** Share of what the companion says there is; null where it says nothing. */
function companionShare(
  series: string,
  { scrapes, isRate }: { readonly scrapes: readonly Scrape[]; readonly isRate: boolean },
): number | null {
  const name = nameOf(series)
  const companion = COMPANIONS.get(name)
  if (companion === undefined) return null
  const other = companion.name + series.slice(name.length)
  if (isRate) {
    const [used, all] = [ratesOf(series, scrapes), ratesOf(other, scrapes)]
    const total = all.length === 0 ? 0 : meanOf(all)
    return total > 0 ? meanOf(used) / total : null
  }
  const shares = scrapes.flatMap((scrape) => {
    const [used, rest] = [valueIn(scrape, series), valueIn(scrape, other)]
    if (used === undefined || rest === undefined) return []
    const total = companion.is === 'total' ? rest : used + rest
    return total > 0 ? [used / total] : []
  })
  return shares.length === 0 ? null : meanOf(shares)
}

/** A series may be called `constructor`. */
function valueIn({ values }: Scrape, series: string): number | undefined {
  return values !== undefined && Object.hasOwn(values, series) ? values[series] : undefined
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Nine digits are more than an exporter knows. */
function tidy(value: number): number {
  return Number(value.toPrecision(9))
}
