/** Which of several recordings of a sample enters the tree. Pure. */
import { FDB_V10_SUBSETS } from '../../dataset/annotation.js'
import { compareNatural } from '../../dataset/natural-order.js'
import type { RecordedWindow } from './recorded-window.io.js'

export interface Superseded {
  readonly sample_id: string
  readonly variant: string
  readonly run: string
  /** Why the recording that is left out has no window; empty where it has one and another run had it first. */
  readonly reasons: readonly string[]
}

/**
 * Of a sample that several runs recorded, the first recording that has a window, else the last one. Samples in the order of
 * the dataset's subsets, then of their ids, so that the order of the runs shows only where they overlap.
 */
export function chooseWindows(windows: readonly RecordedWindow[]): {
  readonly windows: readonly RecordedWindow[]
  readonly superseded: readonly Superseded[]
} {
  const groups = new Map<string, RecordedWindow[]>()
  for (const window of windows) {
    const key = `${window.subset}/${window.item}/${window.variant}`
    groups.set(key, [...(groups.get(key) ?? []), window])
  }
  const chosen: RecordedWindow[] = []
  const superseded: Superseded[] = []
  for (const group of groups.values()) {
    const best = group.find(({ reasons }) => reasons.length === 0) ?? group.at(-1)
    if (best === undefined) continue
    chosen.push(best)
    for (const other of group) {
      if (other === best) continue
      const { subset, item, variant, run, reasons } = other
      superseded.push({ sample_id: `${subset}/${item}`, variant, run, reasons: reasons.map(({ code }) => code) })
    }
  }
  return { windows: chosen.sort(compareWindows), superseded }
}

function compareWindows(a: RecordedWindow, b: RecordedWindow): number {
  return (
    subsetRank(a.subset) - subsetRank(b.subset) ||
    compareNatural(a.subset, b.subset) ||
    compareNatural(a.item, b.item) ||
    compareNatural(b.variant, a.variant)
  )
}

function subsetRank(subset: string): number {
  const rank = (FDB_V10_SUBSETS as readonly string[]).indexOf(subset)
  return rank < 0 ? FDB_V10_SUBSETS.length : rank
}
