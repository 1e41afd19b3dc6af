/** What was full first, as the server's own series tell it. It says what stood beside a miss, never why it missed. Pure. */
import type { LevelEvidence, SeriesSummary } from './level-evidence.js'
import { seriesKey, seriesLabels } from './series-label.js'

/** A share this high counts as full. */
const FULL_SHARE = 0.95
/** A queue that is not empty in this share of the scrapes counts as full. */
const WAITING_SHARE = 0.5
/** Series that a line names; the table has them all. */
const SHOWN_MAX = 3

export interface LevelWithEvidence {
  readonly concurrency: number
  readonly evidence: LevelEvidence | null
}

/**
 * A line for the lowest level at which something was full, one for memory that was full from the lowest level on, one for what
 * could not be read; none where nothing was looked at.
 */
export function saturationLines(levels: readonly LevelWithEvidence[]): string[] {
  const sorted = levels
    .flatMap(({ concurrency, evidence }) => (evidence === null ? [] : [{ concurrency, ...evidence }]))
    .sort((a, b) => a.concurrency - b.concurrency)
  const known = sorted.filter(({ series }) => series.length > 0)
  const failures = failureLines(sorted)
  const [lowest] = known
  if (lowest === undefined) {
    const isAnythingAsked = sorted.some(({ endpoints }) => endpoints.some(({ scrapes }) => scrapes > 0))
    return isAnythingAsked && failures.length === 0 ? [`${HEAD}: no chosen series was found.`] : failures
  }
  const labels = seriesLabels(known.flatMap(({ series }) => series))
  const label = (summary: SeriesSummary) => labels.get(seriesKey(summary)) ?? summary.series
  const reserved = reservedSeries(known)
  const isNews = (summary: SeriesSummary) => isSaturated(summary) && !reserved.has(seriesKey(summary))
  const first = known.find(({ series }) => series.some(isNews))
  const lines =
    first === undefined
      ? [`${HEAD}: nothing became full up to level ${known.at(-1)?.concurrency}.`]
      : [`${HEAD}: full first at level ${first.concurrency}: ${listed(first.series.filter(isNews), label)}.`]
  if (reserved.size > 0) {
    const own = lowest.series.filter((summary) => reserved.has(seriesKey(summary)))
    lines.push(`Full at every level, so perhaps reserved by the server beforehand: ${listed(own, label)}.`)
  }
  return [...lines, ...failures]
}

const HEAD = "The server's own figures"

export function isSaturated({ role, mean_share: share, above_zero: aboveZero, samples }: SeriesSummary): boolean {
  if (samples < 2) return false
  if (role === 'queue') return aboveZero >= WAITING_SHARE
  return (role === 'use' || role === 'memory') && share !== null && share >= FULL_SHARE
}

/** Memory that is full whatever the load: inference servers take nearly all of it when they start. */
function reservedSeries(levels: readonly LevelEvidence[]): ReadonlySet<string> {
  if (levels.length < 2) return new Set()
  const full = levels.map(
    ({ series }) =>
      new Set(series.filter((summary) => summary.role === 'memory' && isSaturated(summary)).map(seriesKey)),
  )
  return new Set([...(full[0] ?? [])].filter((key) => full.every((own) => own.has(key))))
}

function failureLines(levels: readonly LevelEvidence[]): string[] {
  const counts = new Map<string, { scrapes: number; failures: number }>()
  for (const { endpoint, scrapes, failures } of levels.flatMap(({ endpoints }) => endpoints)) {
    const before = counts.get(endpoint) ?? { scrapes: 0, failures: 0 }
    counts.set(endpoint, { scrapes: before.scrapes + scrapes, failures: before.failures + failures })
  }
  return [...counts]
    .filter(([, { failures }]) => failures > 0)
    .map(([endpoint, { scrapes, failures }]) => `${endpoint}: ${failures} of ${scrapes} scrapes failed.`)
}

function listed(series: readonly SeriesSummary[], label: (summary: SeriesSummary) => string): string {
  const shown = series.slice(0, SHOWN_MAX).map((summary) => describe(summary, label(summary)))
  const rest = series.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

function describe({ role, mean_share: share, above_zero: aboveZero, max }: SeriesSummary, label: string): string {
  if (role === 'queue') return `${label} above 0 in ${percent(aboveZero)} of the scrapes, up to ${max}`
  return `${label} at ${percent(share ?? 0)} on average`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`
}
