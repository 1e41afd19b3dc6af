/** Samples that two sources of words judge differently, counted flag by flag. Pure. */
import type { UnifiedRow } from '../unified/unified-result.js'

export interface PairDisagreement {
  readonly a: string
  readonly b: string
  readonly subset: string
  /** `outcome`, or a flag of the pause rows. */
  readonly what: string
  /** Samples with different judgements, of `n` that both sources judge. */
  readonly differ: number
  readonly n: number
}

const PAUSE_FLAGS = ['pause_intrusion', 'inside_pause_onset', 'pre_pause_speech', 'carry_in', 'any_speech'] as const

/** Every two sources, each subset, in order; combinations without a common sample are left out. */
export function pairDisagreements(
  sources: readonly { readonly name: string; readonly rows: readonly UnifiedRow[] }[],
): PairDisagreement[] {
  const judged = sources.map(({ name, rows }) => ({ name, judgements: judgementsOf(rows) }))
  return judged.flatMap((a, index) =>
    judged.slice(index + 1).flatMap((b) => {
      const counts = new Map<string, { subset: string; what: string; differ: number; n: number }>()
      for (const [key, one] of a.judgements) {
        const other = b.judgements.get(key)
        if (other === undefined) continue
        const { subset, what } = one
        const count = counts.get(`${subset} ${what}`) ?? { subset, what, differ: 0, n: 0 }
        count.n += 1
        if (other.value !== one.value) count.differ += 1
        counts.set(`${subset} ${what}`, count)
      }
      return [...counts.values()].map((count) => ({ a: a.name, b: b.name, ...count }))
    }),
  )
}

interface Judgement {
  readonly subset: string
  readonly what: string
  readonly value: boolean | string
}

/** By sample and flag. */
function judgementsOf(rows: readonly UnifiedRow[]): Map<string, Judgement> {
  const judgements = new Map<string, Judgement>()
  for (const row of rows) {
    if (!row.eligible) continue
    const { subset } = row
    const add = (what: string, value: boolean | string) => {
      judgements.set(`${subset} ${row.sample_id} ${what}`, { subset, what, value })
    }
    if ('outcome' in row) add('outcome', row.outcome)
    else for (const flag of PAUSE_FLAGS) add(flag, row[flag])
  }
  return judgements
}
