/**
 * Check C7: the fields that every protocol shares have their JSON type. Only known places are looked at, since unknown
 * extra fields inside an event are allowed and may be called anything.
 */
import { isObject } from '../capture/trace-record.js'
import { violation } from './findings.js'
import type { WireRecord } from './session-log.js'
import type { Violation } from './verdict.js'
import { isNonEmptyString, isNonNegativeNumber, show, valueAt } from './wire-values.js'

interface Rule {
  readonly path: readonly string[]
  readonly isValid: (value: unknown) => boolean
  readonly required: string
}

const INTEGER_PATHS: readonly (readonly string[])[] = [['seq'], ['sglang', 'seq'], ['content_index'], ['output_index']]

const RULES: readonly Rule[] = [
  ...INTEGER_PATHS.map((path) => ({
    path,
    isValid: (value: unknown) => Number.isInteger(value),
    required: 'an integer',
  })),
  ...[
    ...[
      'accepted_end_ms',
      'consumed_ms',
      'discarded_ms',
      'padding_ms',
      'audio_start_ms',
      'audio_end_ms',
      'audio_ms',
    ].map((key) => [key]),
    ...['t_start_ms', 't_ms', 'discarded_ms'].map((key) => ['sglang', key]),
    ...['t_start_ms', 'duration_ms'].map((key) => ['sglang', 'media_time', key]),
  ].map((path) => ({ path, isValid: isNonNegativeNumber, required: 'a number of milliseconds, not negative,' })),
  ...[
    ...['client_event_id', 'response_id', 'item_id', 'unit_id'].map((key) => [key]),
    ['sglang', 'unit_id'],
    ['session', 'id'],
    ['response', 'id'],
    ['error', 'event_id'],
  ].map((path) => ({ path, isValid: isIdOrNull, required: 'a non-empty string or null' })),
  { path: ['sglang', 'fatal'], isValid: (value) => typeof value === 'boolean', required: 'a boolean' },
  // Null is named among what these may not be: a server that has nothing to say leaves the block out.
  ...[['sglang'], ['session', 'sglang']].map((path) => ({ path, isValid: isObject, required: 'an object' })),
]

/** Rules by the key of the event that they begin at; of most events few keys have any. */
const RULES_BY_KEY: ReadonlyMap<string, readonly Rule[]> = grouped(RULES)

function grouped(rules: readonly Rule[]): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>()
  for (const rule of rules) {
    const key = rule.path[0] ?? ''
    groups.set(key, [...(groups.get(key) ?? []), rule])
  }
  return groups
}

/** Whether nothing of this event can violate C7: the quick look at what is almost always so. */
export function hasStrictTypes({ event, nonIntegerLiterals }: WireRecord): boolean {
  if (nonIntegerLiterals.length > 0) return false
  for (const key in event) {
    const rules = RULES_BY_KEY.get(key)
    if (rules === undefined) continue
    for (const { path, isValid } of rules) {
      let value = event[key]
      for (let step = 1; step < path.length && value !== undefined; step += 1) {
        value = isObject(value) ? value[path[step] as string] : undefined
      }
      if (value !== undefined && !isValid(value)) return false
    }
  }
  return true
}

export function* strictTypeChecks(record: WireRecord): Generator<Violation> {
  for (const { path, isValid, required } of RULES) {
    const value = valueAt(record.event, ...path)
    if (value === undefined || isValid(value)) continue
    yield violation('C7', `${path.join('.')} of ${record.type} is ${show(value)}; ${required} is required`, record)
  }
  yield* integerLiteralChecks(record)
}

/** `3.0` parses to the integer 3; only the text of the line shows that it was not written as one. */
function* integerLiteralChecks(record: WireRecord): Generator<Violation> {
  if (record.nonIntegerLiterals.length === 0) return
  for (const path of INTEGER_PATHS) {
    const key = path.at(-1) ?? ''
    const value = valueAt(record.event, ...path)
    if (!record.nonIntegerLiterals.includes(key) || !Number.isInteger(value)) continue
    yield violation(
      'C7',
      `${path.join('.')} of ${record.type} is written with a fraction or exponent; ${show(value)} is required`,
      record,
    )
  }
}

function isIdOrNull(value: unknown): boolean {
  return value === null || isNonEmptyString(value)
}
