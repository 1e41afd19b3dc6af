/** What was full first, as the server's own series tell it. It says what stood beside a miss, never why it missed. Pure. */
import type { LevelEvidence, SeriesSummary } from './level-evidence.js'

/** A share this high counts as full. */
const FULL_SHARE = 0.95
/** A queue that is not empty in this share of the scrapes counts as full. */
const WAITING_SHARE = 0.5

export interface LevelWithEvidence {
  readonly concurrency: number
  readonly evidence: LevelEvidence | null
}

/** One line for the lowest level at which something was full; none where nothing was, or nothing was looked at. */
export function saturationLines(levels: readonly LevelWithEvidence[]): string[] {
  const known = levels.filter(({ evidence }) => (evidence?.series.length ?? 0) > 0)
  if (known.length === 0) return []
  const sorted = [...known].sort((a, b) => a.concurrency - b.concurrency)
  for (const { concurrency, evidence } of sorted) {
    const full = (evidence?.series ?? []).filter(isSaturated)
    if (full.length === 0) continue
    const shown = full.slice(0, 3).map(describe).join('; ')
    const more = full.length > 3 ? `; and ${full.length - 3} more` : ''
    return [`The server's own figures: full first at level ${concurrency}: ${shown}${more}.`]
  }
  return [`The server's own figures: nothing was full at any level up to ${sorted.at(-1)?.concurrency}.`]
}

export function isSaturated({ role, mean_share: share, above_zero: aboveZero, samples }: SeriesSummary): boolean {
  if (samples < 2) return false
  if (role === 'queue') return aboveZero >= WAITING_SHARE
  return (role === 'use' || role === 'memory') && share !== null && share >= FULL_SHARE
}

function describe({ series, role, mean_share: share, above_zero: aboveZero, max }: SeriesSummary): string {
  if (role === 'queue') return `${series} above 0 in ${percent(aboveZero)} of the scrapes, up to ${max}`
  return `${series} at ${percent(share ?? 0)} on average`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`
}
