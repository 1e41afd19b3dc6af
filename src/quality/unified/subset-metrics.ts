/**
 * The metrics of a subset from the facts of its samples, under the names of the specification and in its order.
 * Source: docs/metrics.md, "Unified turn-taking metrics".
 */
import type { InterruptionFacts } from './interruption-facts.js'
import { latencyMetric, NEVER_US, pooledMetric, shareMetric } from './metric-kinds.js'
import type { PauseFacts } from './pause-facts.js'
import type { TurnTakingFacts } from './turn-taking-facts.js'
import type { ShareMetric, UnifiedMetric } from './unified-result.js'

/** Horizons of the response rates, inclusive. */
const HORIZONS_S = [1, 2, 5] as const

export interface Population {
  readonly subset: string
  readonly selected: number
  /** Selected samples that are not eligible: their outcomes are unknown. */
  readonly ineligible: number
}

export type Metrics = Readonly<Record<string, UnifiedMetric>>

export function pauseMetrics(facts: readonly PauseFacts[], population: Population): Metrics {
  const { subset } = population
  const share = (is: (one: PauseFacts) => boolean) => shareOf(facts, is, population, population.ineligible)
  return {
    pause_intrusion_rate: share(({ hasIntrusion }) => hasIntrusion),
    pause_intrusion_per_pause: pooledMetric(
      { subset, metric: 'pause_intrusion_per_pause' },
      {
        parts: facts.map(({ pausesIntruded, pauses }) => ({ numerator: pausesIntruded, denominator: pauses })),
        scale: 'count',
      },
    ),
    intrusion_s_per_pause_s: pooledMetric(
      { subset, metric: 'intrusion_s_per_pause_s' },
      {
        parts: facts.map(({ coveredUs, pauseUs }) => ({ numerator: coveredUs, denominator: pauseUs })),
        scale: 'seconds',
      },
    ),
    inside_pause_onset_rate: share(({ hasOnsetInsidePause }) => hasOnsetInsidePause),
    pre_pause_speech_rate: share(({ hasSpeechBeforePause }) => hasSpeechBeforePause),
    carry_in_rate: share(({ hasCarryIn }) => hasCarryIn),
    any_speech_rate: share(({ hasSpeech }) => hasSpeech),
  }
}

export function turnTakingMetrics(facts: readonly TurnTakingFacts[], population: Population): Metrics {
  const unknown = population.ineligible
  const share = (is: (one: TurnTakingFacts) => boolean) => shareOf(facts, is, population, unknown)
  return {
    early_start_rate: share(({ outcome }) => outcome === 'early_start'),
    ...responseRates(share, shortestUs(facts)),
    no_response_rate: share(({ outcome }) => outcome === 'no_response'),
    response_latency_s: latencyMetric(
      { subset: population.subset, metric: 'response_latency_s' },
      facts.map(({ latencyUs }) => latencyUs ?? NEVER_US),
    ),
  }
}

/** All but the first are among the exercised samples; to them the others are unknown, like the ineligible ones. */
export function interruptionMetrics(facts: readonly InterruptionFacts[], population: Population): Metrics {
  const { subset, ineligible } = population
  const exercised = facts.filter(({ isSpeakingAtOnset }) => isSpeakingAtOnset)
  const unknown = ineligible + facts.length - exercised.length
  const share = (is: (one: InterruptionFacts) => boolean) => shareOf(exercised, is, population, unknown)
  return {
    exercised_rate: shareOf(facts, ({ isSpeakingAtOnset }) => isSpeakingAtOnset, population, ineligible),
    speaking_at_end_rate: share(({ outcome }) => outcome === 'speaking_at_end'),
    ...responseRates(share, shortestUs(facts)),
    no_response_rate: share(({ outcome }) => outcome === 'no_response'),
    response_latency_s: latencyMetric(
      { subset, metric: 'response_latency_s' },
      exercised.map(({ latencyUs }) => latencyUs ?? NEVER_US),
    ),
    stop_latency_s: latencyMetric(
      { subset, metric: 'stop_latency_s' },
      exercised.map(({ stopUs }) => stopUs ?? NEVER_US),
    ),
    speech_s_per_interruption_s: pooledMetric(
      { subset, metric: 'speech_s_per_interruption_s' },
      {
        parts: exercised.map((one) => ({
          numerator: one.speechInInterruptionUs,
          denominator: one.endUs - one.onsetUs,
        })),
        scale: 'seconds',
      },
    ),
    restart_rate: share(({ restarts }) => restarts > 0),
  }
}

/** The shortest time from the reference to the end of a window, over all eligible samples; undefined without one. */
export function shortestUs(facts: readonly { readonly observableUs: number }[]): number | undefined {
  return facts.length === 0
    ? undefined
    : facts.reduce((shortest, { observableUs }) => Math.min(shortest, observableUs), Number.POSITIVE_INFINITY)
}

interface Answer {
  readonly latencyUs: number | null
}

function responseRates<F extends Answer>(
  share: (is: (one: F) => boolean) => ShareMetric,
  horizonUs: number | undefined,
): Readonly<Record<string, ShareMetric>> {
  return Object.fromEntries(
    HORIZONS_S.map((seconds) => {
      const rate = share(({ latencyUs }) => latencyUs !== null && latencyUs <= seconds * 1e6)
      // A window that ends before the horizon may hide a response inside it.
      const isLowerBound = horizonUs !== undefined && horizonUs < seconds * 1e6
      return [`response_rate_${seconds}s`, isLowerBound ? { ...rate, lower_bound_only: true as const } : rate]
    }),
  )
}

function shareOf<F>(
  facts: readonly F[],
  is: (one: F) => boolean,
  { selected }: Population,
  unknown: number,
): ShareMetric {
  return shareMetric({ count: facts.filter(is).length, n: facts.length, unknown, selected })
}
