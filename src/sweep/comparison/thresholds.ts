/** How large a difference has to be before anybody cares, and how it is written on the command line. Pure. */
import { UserError } from '../../base/errors.js'
import { COMPARED_METRICS as QUALITY_METRICS } from '../../quality/pairing/compared-metrics.js'

export interface Threshold {
  /** In the metric's own unit: a share from 0 to 1, seconds, a factor. */
  readonly absolute: number
  /** Share of the old value. The larger of the two applies. */
  readonly relative: number
}

type ThresholdUnit = 'share' | 'time' | 'factor'

/** `unit_lag` speaks of all quantiles of unit lag. */
export const DEFAULT_THRESHOLDS = {
  unit_miss_rate: { absolute: 0.005, relative: 0 },
  session_failure_rate: { absolute: 0.05, relative: 0 },
  denied_rate: { absolute: 0.05, relative: 0 },
  silent_session_rate: { absolute: 0.05, relative: 0 },
  underrun_rate: { absolute: 0.05, relative: 0 },
  unit_lag: { absolute: 0.02, relative: 0.05 },
  first_audio: { absolute: 0.02, relative: 0.05 },
  buffer_needed: { absolute: 0.02, relative: 0.05 },
  rtf: { absolute: 0.02, relative: 0.05 },
} as const satisfies Record<string, Threshold>
export type ThresholdName = keyof typeof DEFAULT_THRESHOLDS

const UNITS: Readonly<Record<ThresholdName, ThresholdUnit>> = {
  unit_miss_rate: 'share',
  session_failure_rate: 'share',
  denied_rate: 'share',
  silent_session_rate: 'share',
  underrun_rate: 'share',
  unit_lag: 'time',
  first_audio: 'time',
  buffer_needed: 'time',
  rtf: 'factor',
}

export interface Thresholds {
  readonly serving: Readonly<Record<ThresholdName, Threshold>>
  /** Margins of quality metrics that were given; the others are the sweep's own. */
  readonly quality: Readonly<Record<string, number>>
}

export function thresholdFor({ absolute, relative }: Threshold, old: number): number {
  return Math.max(absolute, relative * Math.abs(old))
}

/**
 * The defaults with `NAME=VALUE` laid over them: `unit_miss_rate=1%`, `unit_lag=50ms`, `unit_lag=10%` (of the old value),
 * `first_audio=10%,30ms` (the larger), `rtf=0.1`, `quality.response_latency_s=250ms`.
 * @throws UserError USAGE naming what was given and what is allowed
 */
export function parseThresholds(given: readonly string[]): Thresholds {
  const serving: Record<ThresholdName, Threshold> = { ...DEFAULT_THRESHOLDS }
  const quality: Record<string, number> = {}
  for (const text of given) {
    const equals = text.indexOf('=')
    const name = text.slice(0, Math.max(0, equals)).trim()
    const value = text.slice(equals + 1).trim()
    if (equals < 0 || value === '') throw usage(text, 'it needs the form NAME=VALUE', 'such as unit_lag=10%')
    if (Object.hasOwn(UNITS, name))
      serving[name as ThresholdName] = thresholdOf(text, UNITS[name as ThresholdName], value)
    else quality[qualityName(text, name)] = qualityMargin(text, name, value)
  }
  return { serving, quality }
}

function thresholdOf(text: string, unit: ThresholdUnit, value: string): Threshold {
  let absolute: number | undefined
  let relative: number | undefined
  for (const part of value.split(',')) {
    const { amount, suffix } = amountOf(text, part)
    const isRelative = unit !== 'share' && suffix === '%'
    if (isRelative) relative = once(text, relative, amount / 100)
    else absolute = once(text, absolute, absoluteOf(text, unit, amount, suffix))
  }
  return { absolute: absolute ?? 0, relative: relative ?? 0 }
}

function absoluteOf(text: string, unit: ThresholdUnit, amount: number, suffix: string): number {
  if (unit === 'share') {
    if (suffix === 'ms' || suffix === 's') throw usage(text, 'it is a share', 'write it in points, such as 1%')
    const share = suffix === '%' ? amount / 100 : amount
    if (share >= 1) throw usage(text, 'it is a share and must be below 100%', 'write it in points, such as 1%')
    return share
  }
  if (unit === 'factor') {
    if (suffix !== '') throw usage(text, 'it is a plain number', 'write 0.1 or, of the old value, 10%')
    return amount
  }
  if (suffix === '') throw usage(text, 'it is a time and needs a unit', `write ${amount}ms, or 10% of the old value`)
  return suffix === 'ms' ? amount / 1000 : amount
}

function amountOf(text: string, part: string): { amount: number; suffix: string } {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(%|ms|s)?\s*$/.exec(part)
  if (match === null)
    throw usage(text, `${JSON.stringify(part)} is no amount`, 'such as 1%, 50ms, or 10%,50ms for the larger')
  return { amount: Number(match[1]), suffix: match[2] ?? '' }
}

function once(text: string, known: number | undefined, value: number): number {
  if (known !== undefined)
    throw usage(text, 'it has two amounts of one kind', 'give one, or one relative and one absolute')
  return value
}

function qualityName(text: string, name: string): string {
  const own = name.startsWith('quality.') ? name.slice('quality.'.length) : undefined
  if (own !== undefined && QUALITY_METRICS.some((metric) => metric.name === own)) return own
  const known = [...Object.keys(UNITS), ...QUALITY_METRICS.map((metric) => `quality.${metric.name}`)]
  throw usage(text, `${JSON.stringify(name)} is no metric with a threshold`, `known are ${known.join(', ')}`)
}

function qualityMargin(text: string, name: string, value: string): number {
  const unit = name.endsWith('_s') ? 'time' : 'share'
  const { amount, suffix } = amountOf(text, value)
  if (unit === 'time' && suffix === '%') throw usage(text, 'it is a time', 'write 250ms')
  return absoluteOf(text, unit, amount, suffix)
}

function usage(text: string, problem: string, fix: string): UserError {
  return new UserError({ code: 'USAGE', message: `--threshold ${text}: ${problem}`, fix })
}
