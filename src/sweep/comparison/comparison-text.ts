/** The comparison in words. The first line stands alone. Pure. */
import type { Capacity } from '../capacity.js'
import { percent } from '../verdict-text.js'
import { mismatchText } from './comparability.js'
import type {
  ComparedCapacity,
  ComparedLevel,
  ComparedUnit,
  Comparison,
  MetricDifference,
  QualityDifference,
} from './comparison-result.js'

/** So many figures are named one by one; the table has them all. */
const NAMED_MAX = 3

export function summaryLines(comparison: Omit<Comparison, 'summary'>): string[] {
  const { verdict, levels, method, capacity } = comparison
  const named = (wanted: 'worse' | 'better') =>
    levels.flatMap((level) => [
      ...level.metrics.filter((metric) => metric.verdict === wanted).map((metric) => metricText(level, metric)),
      ...level.quality.filter((metric) => metric.verdict === wanted).map((metric) => qualityText(level, metric)),
    ])
  const [worse, better] = [named('worse'), named('better')]
  return [
    verdict === 'worse'
      ? `Worse ${listed(worse)}.`
      : verdict === 'better'
        ? `Better ${listed(better)}.`
        : verdict === 'no difference shown'
          ? `No difference shown in ${method.comparisons} comparisons.`
          : `Not comparable: ${notComparable(comparison)}.`,
    ...(verdict === 'worse' && better.length > 0 ? [`Also better ${listed(better)}.`] : []),
    ...capacity.map(capacityText),
    ...(verdict === 'not comparable' ? [] : levels.flatMap(incomparableLevel)),
    ...unmatchedText(comparison),
  ]
}

/** `612 → 731 ms` without the arrow's sides: one value in its unit. */
export function valueText(value: number | null, unit: ComparedUnit): string {
  if (value === null) return '-'
  if (unit === 'share') return percent(value)
  return unit === 'time' ? `${milliseconds(value)} ms` : value.toFixed(3)
}

/** With its sign: `+119 ms`, `-1.2 points`. */
export function differenceText(value: number | null, unit: ComparedUnit): string {
  if (value === null) return '-'
  return `${signed(value, unit)}${unit === 'time' ? ' ms' : unit === 'share' ? ' points' : ''}`
}

/** `+84..+151` */
export function intervalText(interval: readonly [number, number] | null, unit: ComparedUnit): string {
  return interval === null ? '-' : `${signed(interval[0], unit)}..${signed(interval[1], unit)}`
}

export function capacityText({ profile, old, new: fresh, verdict, notes }: ComparedCapacity): string {
  const tail = notes.length === 0 ? '' : ` (${notes.join('; ')})`
  return `Capacity of ${profile}: ${statedCapacity(old)} → ${statedCapacity(fresh)}: ${verdict}${tail}.`
}

/** A value of a paired quality metric: a share, or seconds. */
export function qualityValue(value: number | string | null, metric: string): string {
  if (value === null) return '-'
  if (typeof value === 'string') return value.replace('_', ' ')
  return metric.endsWith('_s') ? `${milliseconds(value)} ms` : percent(value)
}

export function qualityWorsening(value: number | string | null, metric: string): string {
  return typeof value === 'number' ? signed(value, metric.endsWith('_s') ? 'time' : 'share') : (value ?? '-')
}

function metricText(
  { concurrency }: ComparedLevel,
  { metric, unit, old, new: fresh, ...rest }: MetricDifference,
): string {
  const from = unit === 'time' && old !== null ? milliseconds(old) : valueText(old, unit)
  return (
    `at level ${concurrency}: ${metricTitle(metric)} ${from} → ${valueText(fresh, unit)} ` +
    `(${differenceText(rest.difference, unit).replace(' ms', '')}, 95% ${intervalText(rest.interval95, unit)})`
  )
}

function qualityText({ concurrency }: ComparedLevel, { metric, subset, baseline, level }: QualityDifference): string {
  return `at level ${concurrency}: ${metricTitle(metric)} of ${subset} ${qualityValue(baseline, metric)} → ${qualityValue(level, metric)}`
}

/** `unit_lag.p95` is `unit lag p95`. */
export function metricTitle(metric: string): string {
  return metric.replace(/_s$/, '').replace(/[_.]/g, ' ')
}

function listed(texts: readonly string[]): string {
  const more = texts.length - NAMED_MAX
  return `${texts.slice(0, NAMED_MAX).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function notComparable({ levels, unmatched }: Omit<Comparison, 'summary'>): string {
  const reasons = [...new Set(levels.flatMap(({ mismatches }) => mismatches.map(mismatchText)))]
  const invalid = levels.flatMap((level) => level.invalid)
  const found = [...reasons, ...invalid]
  if (found.length > 0) return listed(found)
  return levels.length === 0 && unmatched.length > 0
    ? 'OLD and NEW have no level in common'
    : 'no figure has a value on both sides'
}

function incomparableLevel({ concurrency, verdict, mismatches, invalid }: ComparedLevel): string[] {
  if (verdict !== 'not comparable') return []
  const reasons = [...mismatches.map(mismatchText), ...invalid]
  return [
    `Level ${concurrency} does not compare: ${reasons.length === 0 ? 'no figure has a value on both sides' : reasons.join('; ')}.`,
  ]
}

function unmatchedText({ unmatched }: Omit<Comparison, 'summary'>): string[] {
  return (['old', 'new'] as const).flatMap((side) => {
    const levels = unmatched.filter((level) => level.side === side).map(({ concurrency }) => concurrency)
    return levels.length === 0
      ? []
      : [`Only ${side.toUpperCase()} has level${levels.length > 1 ? 's' : ''} ${levels.join(', ')}.`]
  })
}

/** `4`, `at least 4`, or why there is no number. */
export function statedCapacity({ status, sessions }: Capacity): string {
  if (status === 'at_least') return `at least ${sessions}`
  return status === 'exact' ? String(sessions) : status
}

function signed(value: number, unit: ComparedUnit): string {
  const shown =
    unit === 'time'
      ? milliseconds(Math.abs(value))
      : Math.abs(unit === 'share' ? 100 * value : value).toFixed(unit === 'share' ? 2 : 3)
  if (Number(shown) === 0) return '0'
  return `${value < 0 ? '-' : '+'}${shown}`
}

/** Whole from ten on, else with the tenths that a difference may lie in. */
function milliseconds(seconds: number): string {
  const ms = seconds * 1000
  return Math.abs(ms) >= 10 ? ms.toFixed(0) : ms.toFixed(1).replace(/\.0$/, '')
}
