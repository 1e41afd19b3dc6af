/** Looking into JSON that a stranger wrote: nothing here throws, whatever the value is. */
import { isObject } from '../capture/trace-record.js'

/** The value at a path of keys; undefined where the path leads nowhere. JSON has no undefined, so that means absent. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isObject(current)) return undefined
    current = current[key]
  }
  return current
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** A number a JSON document can hold: `1e999` parses to Infinity and is none. */
export function isNonNegativeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Whether a value is a list of strings that holds `wanted`. */
export function isStringListWith(value: unknown, wanted: string): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') && value.includes(wanted)
}

const SHOWN_TEXT_MAX = 60
const SHOWN_ENTRIES_MAX = 4

/** A value for a message. Bounded, and flat on purpose: nesting may be deeper than a recursive printer survives. */
export function show(value: unknown): string {
  if (Array.isArray(value)) {
    const entries = value.slice(0, SHOWN_ENTRIES_MAX).map(showFlat)
    return `[${entries.join(', ')}${value.length > SHOWN_ENTRIES_MAX ? ', …' : ''}]`
  }
  return showFlat(value)
}

function showFlat(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (typeof value === 'string') {
    return JSON.stringify(value.length > SHOWN_TEXT_MAX ? `${value.slice(0, SHOWN_TEXT_MAX)}…` : value)
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
