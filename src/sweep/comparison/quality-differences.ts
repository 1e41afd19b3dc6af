/** Conversation quality of one level on both sides, paired by sample. Pure. */
import { COMPARED_METRICS } from '../../quality/pairing/compared-metrics.js'
import { compareLevels, type QualityMargins } from '../../quality/pairing/level-comparison.js'
import { pairSamples } from '../../quality/pairing/paired-samples.js'
import { exactMcNemar } from '../../stats/paired-shares.js'
import { mismatchText } from './comparability.js'
import type { ComparedRun } from './compared-run.js'
import type { PendingQuality } from './verdicts.js'

export interface QualityDifferences {
  readonly metrics: readonly PendingQuality[]
  /** Why the quality does not compare, or which repeats were taken. */
  readonly warnings: readonly string[]
}

/** Repeats of a sample are not further samples: the first repeat that both sides have scored is taken, and no other. */
export function qualityDifferences(options: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
  readonly margins: QualityMargins
  readonly seed: number
}): QualityDifferences {
  const scored = (runs: readonly ComparedRun[]) => runs.filter((run) => run.scored !== undefined)
  const [olds, news] = [scored(options.old), scored(options.new)]
  if (olds.length === 0 && news.length === 0) return { metrics: [], warnings: [] }
  if (olds.length === 0 || news.length === 0) {
    return { metrics: [], warnings: [`only ${olds.length === 0 ? 'NEW' : 'OLD'} was scored for quality`] }
  }
  const old = olds.find(({ analysed }) => news.some((other) => other.analysed.run.repeat === analysed.run.repeat))
  const before = (old ?? olds[0])?.scored
  const after = (news.find(({ analysed }) => analysed.run.repeat === old?.analysed.run.repeat) ?? news[0])?.scored
  if (before === undefined || after === undefined) return { metrics: [], warnings: [] }
  const differing = (['definitions', 'words', 'speech'] as const).filter(
    (key) => JSON.stringify(before.result[key]) !== JSON.stringify(after.result[key]),
  )
  if (differing.length > 0) {
    const warnings = differing.map((what) =>
      mismatchText({
        what: `quality does not compare, ${NAMES[what]}`,
        old: textOf(before.result[what]),
        new: textOf(after.result[what]),
      }),
    )
    return { metrics: [], warnings }
  }
  const { metrics } = compareLevels({
    baseline: before.rows,
    level: after.rows,
    margins: options.margins,
    seed: options.seed,
  })
  const subsets = pairSamples({ baseline: before.rows, level: after.rows })
  return {
    metrics: metrics.flatMap(({ verdict, ...figures }): PendingQuality[] => {
      if (figures.margin === null) return []
      const pairs = subsets.find(({ subset }) => subset === figures.subset)?.pairs ?? []
      const p = figures.pairs === 0 ? null : (figures.mcnemar?.p_two_sided ?? signTest(figures.metric, pairs))
      return [{ ...figures, p, alone: verdict }]
    }),
    warnings: olds.length > 1 || news.length > 1 ? ['quality: one repeat of each side was compared'] : [],
  }
}

const NAMES = { definitions: 'definitions', words: 'source of words', speech: 'speech detection' } as const

/** Of the samples whose latency changed at all, how many became slower? Exact, and no matter how much slower: never is slower. */
function signTest(metric: string, pairs: ReturnType<typeof pairSamples>[number]['pairs']): number {
  const compared = COMPARED_METRICS.find(({ name }) => name === metric)
  if (compared?.kind !== 'latency') return 1
  const times = pairs.flatMap(({ baseline, level }) => {
    const [before, after] = [compared.of(baseline), compared.of(level)]
    return before === undefined || after === undefined ? [] : [{ before, after }]
  })
  return exactMcNemar({
    pairs: times.length,
    gained: times.filter(({ before, after }) => after > before).length,
    lost: times.filter(({ before, after }) => after < before).length,
  }).pTwoSided
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value)
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}
