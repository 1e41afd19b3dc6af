/**
 * How far each metric of one capture moves with the source of its words. Recognizers place words differently, so a score
 * without its recognizer is half a score; a metric that moves further between sources than its own interval is wide says
 * more about the recognizer than about the server. Pure.
 * Source: docs/transcripts.md, "Backend sensitivity".
 */
import { assert } from '../../base/errors.js'
import type { RecognizerIdentity } from '../transcripts/word-source.js'
import {
  type MetricInterval,
  type MetricValue,
  type UnifiedResult,
  type UnifiedRow,
  VAD_WORD_DEFINITIONS,
} from '../unified/unified-result.js'
import { type PairDisagreement, pairDisagreements } from './disagreements.js'

export const SENSITIVITY_SCHEMA = 'floorload-sensitivity'
export const SENSITIVITY_FILE = 'sensitivity.json'

export interface ScoredSource {
  readonly result: UnifiedResult
  readonly rows: readonly UnifiedRow[]
}

export interface SensitivitySource {
  /** Unique among the sources. */
  readonly name: string
  readonly words: RecognizerIdentity
  readonly asr_sha256: string | null
  readonly definitions: UnifiedResult['definitions']
  /** Speech segments counted as words: another definition than that of the transcripts beside it. */
  readonly is_own_definition: boolean
}

/** `unbounded`: some sources reach the quantile and some do not. Null: fewer than two sources have a value. */
export type Spread = number | 'unbounded' | null

export interface SpreadFinding {
  /** Largest value less smallest. */
  readonly spread: Spread
  /** Of the widest interval among the same sources; `unbounded` where one has no upper end, null without any. */
  readonly widest_interval: Spread
  /** The spread is larger than the widest interval. Null where that cannot be said. */
  readonly exceeds_interval: boolean | null
}

export interface MetricSensitivity extends SpreadFinding {
  readonly subset: string
  readonly metric: string
  /** In the order of the sources; null is no data. */
  readonly values: readonly MetricValue[]
  readonly intervals: readonly MetricInterval[]
  /** The same with speech segments counted in; present where there are any. */
  readonly with_vad?: SpreadFinding
}

export interface SensitivityReport {
  readonly schema: typeof SENSITIVITY_SCHEMA
  readonly schema_version: 1
  readonly manifest_sha256: string
  readonly sources: readonly SensitivitySource[]
  readonly metrics: readonly MetricSensitivity[]
  /** Samples judged differently, for each two sources and each subset. */
  readonly disagreements: readonly PairDisagreement[]
}

/**
 * Compares the scores of one capture with two or more sources of words.
 * `spread`, `widest_interval` and `exceeds_interval` are over the transcripts only, because speech segments as words are
 * another definition; `with_vad` is over all.
 */
export function sensitivity(scored: readonly ScoredSource[]): SensitivityReport {
  const [first] = scored
  assert(first !== undefined && scored.length >= 2, 'there are two sources to compare')
  const manifest = first.result.manifest_sha256
  assert(
    scored.every(({ result }) => result.manifest_sha256 === manifest),
    'all sources score one capture',
  )
  const names = uniqueNames(scored.map(({ result }) => result.words.name))
  const sources = scored.map(({ result }, index) => ({
    name: names[index] as string,
    words: result.words,
    asr_sha256: result.asr_sha256,
    definitions: result.definitions,
    is_own_definition: result.definitions === VAD_WORD_DEFINITIONS,
  }))
  return {
    schema: SENSITIVITY_SCHEMA,
    schema_version: 1,
    manifest_sha256: manifest,
    sources,
    metrics: metricsOf(scored.map(({ result }) => result)),
    disagreements: pairDisagreements(scored.map(({ rows }, index) => ({ name: names[index] as string, rows }))),
  }
}

function metricsOf(results: readonly UnifiedResult[]): MetricSensitivity[] {
  const isVad = results.map(({ definitions }) => definitions === VAD_WORD_DEFINITIONS)
  const subsets = unique(results.flatMap((result) => Object.keys(result.subsets)))
  return subsets.flatMap((subset) => {
    const names = unique(results.flatMap((result) => Object.keys(result.subsets[subset]?.metrics ?? {})))
    return names.map((metric) => {
      const found = results.map((result) => result.subsets[subset]?.metrics[metric])
      const values = found.map((one) => one?.value ?? null)
      const intervals = found.map((one) => one?.interval ?? null)
      const all = values.map((value, index) => ({ value, interval: intervals[index] ?? null }))
      return {
        subset,
        metric,
        values,
        intervals,
        ...spreadFinding(all.filter((_, index) => isVad[index] !== true)),
        ...(isVad.includes(true) ? { with_vad: spreadFinding(all) } : {}),
      }
    })
  })
}

/** What one metric's values say together. Exported for its own test. */
export function spreadFinding(
  measured: readonly { readonly value: MetricValue; readonly interval: MetricInterval }[],
): SpreadFinding {
  const present = measured.filter(({ value }) => value !== null)
  const spread = spreadOf(present.map(({ value }) => value))
  const widest = widestOf(present.flatMap(({ interval }) => (interval === null ? [] : [interval])))
  return { spread, widest_interval: widest, exceeds_interval: exceeds(spread, widest) }
}

function spreadOf(values: readonly MetricValue[]): Spread {
  if (values.length < 2) return null
  const reached = values.filter((value) => typeof value === 'number')
  // Nobody reaches it: the sources agree.
  if (reached.length === 0) return 0
  if (reached.length < values.length) return 'unbounded'
  return rounded(Math.max(...reached) - Math.min(...reached))
}

function widestOf(intervals: readonly NonNullable<MetricInterval>[]): Spread {
  const widths = intervals.flatMap(([low, high]): (number | 'unbounded')[] => {
    if (low === null || high === null) return []
    if (low === 'not_reached') return [0]
    return [high === 'not_reached' ? 'unbounded' : high - low]
  })
  if (widths.length === 0) return null
  if (widths.includes('unbounded')) return 'unbounded'
  return rounded(Math.max(...widths.filter((width) => width !== 'unbounded')))
}

/** An unbounded spread exceeds every interval that ends; nothing exceeds one that does not. */
function exceeds(spread: Spread, widest: Spread): boolean | null {
  if (spread === null) return null
  if (spread === 0) return false
  if (widest === 'unbounded') return spread === 'unbounded' ? null : false
  if (widest === null) return null
  return spread === 'unbounded' || spread > widest
}

/** Differences of decimals carry float noise; a spread equal to the interval must not exceed it by that. */
function rounded(value: number): number {
  return Number(value.toFixed(9))
}

function uniqueNames(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}#${before + 1}`
  })
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
