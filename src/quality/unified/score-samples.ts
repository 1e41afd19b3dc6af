/** Checked samples to subset scores and rows. The whole specification meets here; nothing is read or written. */
import { secondsOfMicroseconds } from '../../base/microseconds.js'
import { FDB_V10 } from '../../dataset/annotation.js'
import { interruptionFacts } from './interruption-facts.js'
import { type EligibleSample, type LoadedSample, SCORED_SUBSETS, type ScoredSubset } from './loaded-sample.js'
import { type OfficialSample, officialRules } from './official-rules.js'
import { pauseFacts } from './pause-facts.js'
import { ineligibleRow, interruptionRow, pauseRow, turnTakingRow } from './rows.js'
import {
  interruptionMetrics,
  type Metrics,
  type Population,
  pauseMetrics,
  shortestUs,
  turnTakingMetrics,
} from './subset-metrics.js'
import { turnTakingFacts } from './turn-taking-facts.js'
import type { SubsetScores, UnifiedRow } from './unified-result.js'

export interface SampleScores {
  /** In the dataset's order; without those that have no selected sample. */
  readonly subsets: Readonly<Record<string, SubsetScores>>
  /** In the samples' order. */
  readonly rows: readonly UnifiedRow[]
}

export interface ScoreOptions {
  /** Sizes of the whole subsets where they are not the published ones. */
  readonly declared?: Readonly<Record<string, number>>
  /** The published v1.0 rules as well; they are defined on transcripts only. */
  readonly withOfficialRules: boolean
}

/** @param samples each once, in the manifest's order */
export function scoreSamples(samples: readonly LoadedSample[], options: ScoreOptions): SampleScores {
  const subsets = SCORED_SUBSETS.flatMap((subset) => {
    const own = samples.filter((sample) => sample.subset === subset)
    return own.length === 0 ? [] : [[subset, subsetScores(subset, own, options)] as const]
  })
  return { subsets: Object.fromEntries(subsets), rows: samples.map(rowOf) }
}

/** One sample as its row of `unified-samples.jsonl`. */
export function rowOf(sample: LoadedSample): UnifiedRow {
  switch (sample.kind) {
    case 'ineligible':
      return ineligibleRow(sample)
    case 'pauses':
      return pauseRow(sample, pauseFacts(sample))
    case 'turn_end':
      return turnTakingRow(sample, turnTakingFacts(sample))
    case 'interruption':
      return interruptionRow(sample, interruptionFacts(sample))
    default:
      return sample satisfies never
  }
}

function subsetScores(subset: ScoredSubset, samples: readonly LoadedSample[], options: ScoreOptions): SubsetScores {
  const eligible = samples.filter((sample) => sample.kind !== 'ineligible')
  const ineligible = samples.length - eligible.length
  const figures = figuresOf(subset, eligible, { subset, selected: samples.length, ineligible })
  return {
    counts: {
      declared: options.declared?.[subset] ?? FDB_V10[subset].declared,
      selected: samples.length,
      eligible: eligible.length,
      ineligible,
      ineligible_reasons: reasonCounts(samples),
      ...figures.counts,
    },
    coverage: eligible.length / samples.length,
    ...figures.horizon,
    metrics: figures.metrics,
    ...(options.withOfficialRules ? { official_rules: officialRules(eligible.map(officialSample)) } : {}),
  }
}

interface Figures {
  readonly counts?: { readonly exercised: number }
  readonly horizon?: { readonly min_observable_s: number | null }
  readonly metrics: Metrics
}

function figuresOf(subset: ScoredSubset, samples: readonly EligibleSample[], population: Population): Figures {
  switch (FDB_V10[subset].task) {
    case 'smooth_turn_taking': {
      const facts = samples.flatMap((sample) => (sample.kind === 'turn_end' ? [turnTakingFacts(sample)] : []))
      return { horizon: horizonOf(facts), metrics: turnTakingMetrics(facts, population) }
    }
    case 'user_interruption': {
      const facts = samples.flatMap((sample) => (sample.kind === 'interruption' ? [interruptionFacts(sample)] : []))
      return {
        counts: { exercised: facts.filter(({ isSpeakingAtOnset }) => isSpeakingAtOnset).length },
        horizon: horizonOf(facts),
        metrics: interruptionMetrics(facts, population),
      }
    }
    default: {
      const facts = samples.flatMap((sample) => (sample.kind === 'pauses' ? [pauseFacts(sample)] : []))
      return { metrics: pauseMetrics(facts, population) }
    }
  }
}

function horizonOf(facts: readonly { readonly observableUs: number }[]) {
  const us = shortestUs(facts)
  return { min_observable_s: us === undefined ? null : secondsOfMicroseconds(us) }
}

/** Samples for each reason; a reason that one sample names twice counts once. */
function reasonCounts(samples: readonly LoadedSample[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const sample of samples) {
    if (sample.kind !== 'ineligible') continue
    for (const reason of new Set(sample.reasons)) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function officialSample({ raw: { words, annotation } }: EligibleSample): OfficialSample {
  switch (annotation.kind) {
    case 'pauses':
      return { words, referenceS: null }
    case 'turn_end':
    case 'interruption':
      return { words, referenceS: annotation.endS }
    default:
      return annotation satisfies never
  }
}
