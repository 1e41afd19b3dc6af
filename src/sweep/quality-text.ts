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

export function qualityLines(profile: ProfileQuality, levels: readonly LevelOfQuality[]): string[] {
  const { capacity, baseline } = profile
  const comparisonAt = (level: number | null) => worstComparison(levels, level)
  const against = `level ${baseline.concurrency}`
  const lines = [`Quality capacity: ${answer(profile, comparisonAt, against)}`]
  if (levels.some(({ quality }) => quality?.words.kind === 'vad')) {
    lines.push(
      'Quality counts speech segments as words: a definition of its own, not comparable with transcript scores.',
    )
  }
  if (capacity.status !== 'not_enough_samples' && capacity.undecided_level !== null) {
    lines.push(openLine(capacity.undecided_level, comparisonAt(capacity.undecided_level)))
  }
  return lines
}

function answer(
  { capacity, baseline }: ProfileQuality,
  comparisonAt: (level: number | null) => LevelComparison | undefined,
  against: string,
): string {
  const sessions = `${capacity.sessions} session${capacity.sessions === 1 ? '' : 's'} at once`
  switch (capacity.status) {
    case 'exact':
      return capacity.worse_level === null
        ? `${sessions}: every level that meets its serving targets converses as ${against} does.`
        : `${sessions}; level ${capacity.worse_level} is worse than ${against}: ${worseTexts(comparisonAt(capacity.worse_level))}.`
    case 'at_least':
      return capacity.sessions === baseline.concurrency
        ? `at least ${sessions}; there is no higher level to compare with it.`
        : `at least ${sessions}: every level converses as ${against} does.`
    case 'not_enough_samples':
      return `at least ${sessions}; not enough samples to say more. ${openLine(capacity.undecided_level, comparisonAt(capacity.undecided_level))}`
    case 'none':
      return 'none, since no level meets its serving targets.'
    default:
      return 'undecided.'
  }
}

function openLine(level: number | null, comparison: LevelComparison | undefined): string {
  const open = comparison?.metrics.filter(({ verdict }) => verdict === 'not_enough_samples') ?? []
  return `Level ${level} is open: ${open.slice(0, 3).map(openText).join('; ')}${open.length > 3 ? `; and ${open.length - 3} more` : ''}.`
}

function openText(metric: MetricComparison): string {
  const bounds = metric.worsening_bounds95
  const range =
    bounds === null
      ? 'nothing to compare'
      : `${worse(metric, metric.worsening)}, at most ${size(metric, bounds[1])} at 95%`
  const needed =
    metric.pairs_needed === null || metric.pairs_needed <= metric.pairs
      ? ''
      : `; at least ${metric.pairs_needed} pairs are needed`
  return `${title(metric)} ${range} (${metric.pairs} pairs, margin ${size(metric, metric.margin)}${needed})`
}

function worseTexts(comparison: LevelComparison | undefined): string {
  const worseOnes = comparison?.metrics.filter(({ verdict }) => verdict === 'worse') ?? []
  return worseOnes
    .map((metric) => {
      const chance = metric.mcnemar === null ? '' : `, p ${metric.mcnemar.p.toPrecision(2)}`
      return `${title(metric)} ${value(metric, metric.baseline)} to ${value(metric, metric.level)} (margin ${size(metric, metric.margin)}, ${metric.pairs} pairs${chance})`
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

function isLatency({ metric }: MetricComparison): boolean {
  return metric.endsWith('latency_s')
}

function value(metric: MetricComparison, found: MetricComparison['level']): string {
  if (found === null) return '-'
  if (found === 'not_reached') return 'not reached'
  return isLatency(metric) ? `${found.toFixed(2)} s` : percent(found)
}

function size(metric: MetricComparison, worsening: Worsening): string {
  if (worsening === null) return '-'
  if (typeof worsening === 'string') return 'no bound'
  return isLatency(metric) ? `${worsening.toFixed(2)} s` : `${(100 * worsening).toFixed(0)} points`
}

function worse(metric: MetricComparison, worsening: Worsening): string {
  if (worsening === null) return 'unknown'
  if (typeof worsening === 'string') return worsening === 'inf' ? 'never reached' : 'reached only here'
  if (worsening === 0) return 'unchanged'
  return `${size(metric, worsening < 0 ? -worsening : worsening)} ${worsening > 0 ? 'worse' : 'better'}`
}
