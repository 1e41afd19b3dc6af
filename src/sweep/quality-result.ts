/** The quality half of `serving.json`: the scores of every level, compared with the lowest one, and what follows. Pure. */
import { compareLevels, type LevelComparison, type QualityMargins } from '../quality/pairing/level-comparison.js'
import type { UnifiedResult, UnifiedRow } from '../quality/unified/unified-result.js'
import type { Capacity } from './capacity.js'
import { type QualityCapacity, qualityCapacity, worstVerdict } from './quality-capacity.js'

/** One level's capture, scored. */
export interface ScoredCapture {
  readonly result: UnifiedResult
  readonly rows: readonly UnifiedRow[]
}

export type LevelQuality = Pick<
  UnifiedResult,
  'definitions' | 'words' | 'speech' | 'manifest_sha256' | 'asr_sha256' | 'subsets'
> & {
  /** Null for runs of the lowest valid level and below it, and where the sources of words or of speech differ. */
  readonly against_baseline: LevelComparison | null
}

export interface ProfileQuality {
  readonly baseline: { readonly run: string; readonly concurrency: number }
  /** What may be worse by how much; other metrics decide nothing. */
  readonly margins: QualityMargins
  readonly capacity: QualityCapacity
}

export interface ScoredRun {
  readonly run: string
  readonly concurrency: number
  readonly repeat: number
  readonly isValid: boolean
  /** Undefined for a level that was not scored. */
  readonly scores: ScoredCapture | undefined
}

/** @param options.runs of one profile, in the order of their levels */
export function qualityResults(options: {
  readonly runs: readonly ScoredRun[]
  readonly serving: Capacity
  readonly margins: QualityMargins
  readonly seed: number
}): { readonly levels: readonly (LevelQuality | null)[]; readonly profile: ProfileQuality | null } {
  const { runs, serving, margins, seed } = options
  const lowest = runs.filter(({ isValid, scores }) => isValid && scores !== undefined)
  const baseline = lowest.reduce<ScoredRun | undefined>(
    (low, run) => (low === undefined || run.concurrency < low.concurrency ? run : low),
    undefined,
  )
  const levels = runs.map((run): LevelQuality | null => {
    if (run.scores === undefined) return null
    const { definitions, words, speech, manifest_sha256, asr_sha256, subsets } = run.scores.result
    const against = baselineFor(run, runs, baseline)?.scores
    const isComparable = against !== undefined && sameSources(against.result, run.scores.result)
    return {
      definitions,
      words,
      speech,
      manifest_sha256,
      asr_sha256,
      subsets,
      against_baseline: isComparable
        ? compareLevels({ baseline: against.rows, level: run.scores.rows, margins, seed })
        : null,
    }
  })
  if (baseline === undefined) return { levels, profile: null }
  const concurrencies = [...new Set(runs.map(({ concurrency }) => concurrency))].sort((a, b) => a - b)
  // A valid level below the baseline that has no scores leaves everything open: nobody knows what its quality was.
  const lowestValid = Math.min(...runs.filter(({ isValid }) => isValid).map(({ concurrency }) => concurrency))
  const outcomes = concurrencies
    .filter((concurrency) => concurrency >= lowestValid)
    .map((concurrency) => ({
      concurrency,
      verdict:
        concurrency === baseline.concurrency
          ? ('within' as const)
          : worstVerdict(
              runs.flatMap((run, index) =>
                run.concurrency === concurrency ? [levels[index]?.against_baseline?.verdict ?? null] : [],
              ),
            ),
    }))
  return {
    levels,
    profile: {
      baseline: { run: baseline.run, concurrency: baseline.concurrency },
      margins,
      capacity: qualityCapacity(serving, outcomes),
    },
  }
}

/** The run of the lowest level with the same repeat number, so that repeats are compared with repeats; else its first. */
function baselineFor(
  run: ScoredRun,
  runs: readonly ScoredRun[],
  baseline: ScoredRun | undefined,
): ScoredRun | undefined {
  if (baseline === undefined || run.concurrency <= baseline.concurrency) return undefined
  const same = runs.find(
    ({ concurrency, repeat, isValid, scores }) =>
      concurrency === baseline.concurrency && repeat === run.repeat && isValid && scores !== undefined,
  )
  return same ?? baseline
}

/** Scores from different sources of words or of speech are different definitions, and never compared. */
function sameSources(a: UnifiedResult, b: UnifiedResult): boolean {
  const sources = ({ definitions, words, speech }: UnifiedResult) => JSON.stringify([definitions, words, speech])
  return sources(a) === sources(b)
}
