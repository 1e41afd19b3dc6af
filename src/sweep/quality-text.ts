/** The quality verdict in words. Pure text from figures; the first line stands alone. */
import type { LevelComparison, MetricComparison, Worsening } from '../quality/pairing/level-comparison.js'
import type { LevelQuality, ProfileQuality } from './quality-result.js'
import { percent } from './verdict-text.js'

const TITLES: Readonly<Record<string, string>> = {
  pause_intrusion_rate: 'pause intrusion',
  early_start_rate: 'early starts',
  response_rate_2s: 'responses within 2 s',
  no_response_rate: 'no response',
  response_latency_s: 'response latency',
  exercised_rate: 'interruptions that met speech',
  speaking_at_end_rate: 'still speaking at the end of an interruption',
  stop_latency_s: 'stop latency',
}

interface LevelOfQuality {
  readonly concurrency: number
  readonly quality: LevelQuality | null
}

/** @param levels all runs of the profile, ascending */
export function qualityLines(profile: ProfileQuality, levels: readonly LevelOfQuality[]): string[] {
  const lines = [`Quality capacity: ${answer(profile, levels)}`]
  if (levels.some(({ quality }) => quality?.words.kind === 'vad')) {
    lines.push(
      'Quality counts speech segments as words: a definition of its own, not comparable with transcript scores.',
    )
  }
  return lines
}

function answer({ capacity, baseline }: ProfileQuality, levels: readonly LevelOfQuality[]): string {
  const isAtLeast = capacity.status !== 'exact'
  const sessions = `${isAtLeast ? 'at least ' : ''}${capacity.sessions} session${capacity.sessions === 1 ? '' : 's'} at once`
  switch (capacity.status) {
    case 'exact':
    case 'at_least':
      if (capacity.worse_level !== null) {
        return `${sessions}; ${worseLine(capacity.worse_level, { baseline, levels })}`
      }
      return capacity.sessions === baseline.concurrency
        ? `${sessions}: the baseline itself; no higher level within the serving capacity was there to compare.`
        : `${sessions}, as for serving: every level up to it is within the margins of level ${baseline.concurrency}.`
    case 'not_enough_samples':
      return [
        `${sessions}. ${capacity.undecided_level === null ? '' : openLine(capacity.undecided_level, levels)}`,
        ...(capacity.worse_level === null ? [] : [capitalized(worseLine(capacity.worse_level, { baseline, levels }))]),
      ].join(' ')
    case 'none':
      return 'none, since the lowest level misses its serving targets.'
    default:
      return capacity.undecided_level === null
        ? 'undecided, as the serving capacity is.'
        : `undecided: level ${capacity.undecided_level}, the lowest one, was not scored.`
  }
}

function worseLine(
  level: number,
  { baseline, levels }: { readonly baseline: ProfileQuality['baseline']; readonly levels: readonly LevelOfQuality[] },
): string {
  return `level ${level} is worse than level ${baseline.concurrency}: ${worseTexts(worstComparison(levels, level))}.`
}

/** Why a level could not be decided: for want of samples, of scores, or of a metric that decides. */
function openLine(level: number, levels: readonly LevelOfQuality[]): string {
  const own = levels.filter(({ concurrency }) => concurrency === level).map(({ quality }) => quality)
  const comparison = worstComparison(levels, level)
  if (comparison?.verdict !== 'not_enough_samples') {
    const isUnscored = own.some((quality) => quality === null)
    return `Level ${level} is open: ${isUnscored ? 'it was not scored' : 'its words or speech come from another source than the baseline’s'}.`
  }
  const open = comparison.metrics.filter(({ verdict }) => verdict === 'not_enough_samples')
  if (open.length === 0) return `Level ${level} is open: no metric that was recorded has a margin.`
  const more = open.length > SHOWN ? `; and ${open.length - SHOWN} more` : ''
  return `Not enough samples to say of level ${level}: ${open.slice(0, SHOWN).map(openText).join('; ')}${more}.`
}

const SHOWN = 3

function openText(metric: MetricComparison): string {
  const needed =
    metric.pairs_needed === null || metric.pairs_needed <= metric.pairs
      ? ''
      : `; at least ${metric.pairs_needed} are needed`
  return `${title(metric)} ${seen(metric)} (margin ${size(metric, metric.margin)}, ${pairs(metric)}${needed})`
}

function seen(metric: MetricComparison): string {
  const { worsening, worsening_bounds95: bounds } = metric
  if (metric.pairs === 0) return 'cannot be compared'
  if (worsening === null) return 'is reached at neither level'
  if (bounds === null) return worse(metric, worsening)
  const [, high] = bounds
  const most = typeof high === 'string' ? 'without a bound' : `up to ${worse(metric, high)}`
  return `${worse(metric, worsening)}, ${most} at 95%`
}

function worseTexts(comparison: LevelComparison | undefined): string {
  const worseOnes = comparison?.metrics.filter(({ verdict }) => verdict === 'worse') ?? []
  return worseOnes
    .map((metric) => {
      const chance = metric.mcnemar === null ? '' : `, p ${metric.mcnemar.p.toPrecision(2)}`
      return `${title(metric)} ${value(metric, metric.baseline)} to ${value(metric, metric.level)} (margin ${size(metric, metric.margin)}, ${pairs(metric)}${chance})`
    })
    .join(', ')
}

function worstComparison(levels: readonly LevelOfQuality[], level: number | null): LevelComparison | undefined {
  const own = levels.flatMap(({ concurrency, quality }) =>
    concurrency === level && quality !== null && quality.against_baseline !== null ? [quality.against_baseline] : [],
  )
  return own.find(({ verdict }) => verdict === 'worse') ?? own.find(({ verdict }) => verdict !== 'within') ?? own[0]
}

/** With the subset, since one metric may stand for several. */
function title({ metric, subset }: MetricComparison): string {
  return `${TITLES[metric] ?? metric} (${subset.replaceAll('_', ' ')})`
}

function pairs(metric: MetricComparison): string {
  return `${metric.pairs} pair${metric.pairs === 1 ? '' : 's'}`
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function isLatency({ metric }: MetricComparison): boolean {
  return metric.endsWith('latency_s')
}

function value(metric: MetricComparison, found: MetricComparison['level']): string {
  if (found === null) return '-'
  if (found === 'not_reached') return 'not reached'
  return isLatency(metric) ? `${found.toFixed(2)} s` : percent(found)
}

function size(metric: MetricComparison, worsening: number | null): string {
  if (worsening === null) return '-'
  return isLatency(metric) ? `${worsening.toFixed(2)} s` : `${Number((100 * worsening).toFixed(1))} points`
}

function worse(metric: MetricComparison, worsening: Worsening): string {
  if (worsening === null) return 'unknown'
  if (typeof worsening === 'string') return worsening === 'inf' ? 'no longer reached' : 'reached only here'
  if (worsening === 0) return 'unchanged'
  return `${size(metric, Math.abs(worsening))} ${worsening > 0 ? 'worse' : 'better'}`
}
