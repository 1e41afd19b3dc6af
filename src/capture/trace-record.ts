/**
 * One line of a session's wire trace, and how it is read. The format is the field's: JSON Lines, exactly three keys
 * (docs/formats.md, "Trace"). Reading never throws: a line is a record or the reason why it is none.
 */
import type { InstantUs } from '../base/clock.js'
import { usFromSeconds } from '../base/clock.js'
import { isObject } from '../base/json.js'
import { parseAudioLine } from './trace-text.js'

export { isObject }

export type TraceDirection = 'send' | 'receive' | 'admission' | 'error'

/** A JSON object as it crossed the wire. */
export type WireEvent = Readonly<Record<string, unknown>>

export interface TraceRecord {
  readonly ok: true
  /** 1-based line number in the trace file. */
  readonly line: number
  readonly direction: TraceDirection
  /** As written: seconds on one monotonic clock. */
  readonly timeS: number
  /** `timeS` in whole microseconds. */
  readonly atUs: InstantUs
  readonly event: WireEvent
  /**
   * Keys that the text of the line gives a number that is not written as a JSON integer (`3.0`, `1e3`), although
   * `JSON.parse` makes it one. Only keys of `INTEGER_KEYS` are looked at.
   */
  readonly nonIntegerLiterals: readonly string[]
}

export interface BrokenTraceLine {
  readonly ok: false
  readonly line: number
  /** Why the line is no record, for a person. */
  readonly problem: string
  /** The last line of the file, without its line feed: what a crash leaves behind. */
  readonly isCutLastLine: boolean
}

export type TraceLine = TraceRecord | BrokenTraceLine

const DIRECTIONS: readonly string[] = ['send', 'receive', 'admission', 'error'] satisfies TraceDirection[]

/** Keys whose values must be written as JSON integers (check C7); `native_unit_ms` belongs to the grant (N16, T1). */
export const INTEGER_KEYS = ['seq', 'content_index', 'output_index', 'native_unit_ms'] as const

// A key inside a JSON string would have its quotes escaped, so `"seq":` can only be a key.
const NON_INTEGER_LITERAL = new RegExp(`"(${INTEGER_KEYS.join('|')})"\\s*:\\s*-?\\d+(?:\\.|[eE])`, 'g')

const NONE: readonly string[] = []

/**
 * Reads one line of a trace, without its line feed.
 * @param isCutLastLine whether the line is the last of its file and has no line feed
 */
export function parseTraceLine(text: string, line: number, isCutLastLine = false): TraceLine {
  const broken = (problem: string): BrokenTraceLine => ({ ok: false, line, problem, isCutLastLine })
  const audioLine = parseAudioLine(text)
  let value = audioLine?.value
  if (audioLine === undefined) {
    try {
      value = JSON.parse(text)
    } catch {
      return broken(text.trim() === '' ? 'is empty' : 'is not valid JSON')
    }
  }
  if (!isObject(value)) return broken('is not a JSON object')
  const keys = Object.keys(value)
  if (keys.length !== 3 || !('direction' in value) || !('time_s' in value) || !('event' in value)) {
    return broken(`has the keys ${keys.join(', ') || 'none'}; allowed are exactly direction, time_s, event`)
  }
  const { direction, time_s: timeS, event } = value
  if (typeof direction !== 'string' || !DIRECTIONS.includes(direction)) {
    return broken(`has the direction ${JSON.stringify(direction)}; allowed are ${DIRECTIONS.join(', ')}`)
  }
  if (typeof timeS !== 'number' || !Number.isFinite(timeS) || timeS < 0) {
    return broken(`has the time_s ${JSON.stringify(timeS)}; it must be a finite number of seconds, not negative`)
  }
  if (!Number.isSafeInteger(usFromSeconds(timeS))) return broken(`has the time_s ${timeS}, beyond any clock`)
  if (!isObject(event)) return broken('has an event that is not a JSON object')
  return {
    ok: true,
    line,
    direction: direction as TraceDirection,
    timeS,
    atUs: usFromSeconds(timeS),
    event,
    nonIntegerLiterals: nonIntegerLiteralsOf(audioLine?.rest ?? text),
  }
}

/** Reads a whole trace. A text without lines gives an empty list. */
export function parseTrace(text: string): TraceLine[] {
  if (text === '') return []
  const lines = text.split('\n')
  const endsWithLineFeed = lines.at(-1) === ''
  if (endsWithLineFeed) lines.pop()
  return lines.map((lineText, index) =>
    parseTraceLine(lineText, index + 1, !endsWithLineFeed && index === lines.length - 1),
  )
}

function nonIntegerLiteralsOf(text: string): readonly string[] {
  // Hardly any line has one.
  if (text.search(NON_INTEGER_LITERAL) < 0) return NONE
  const keys: string[] = []
  for (const match of text.matchAll(NON_INTEGER_LITERAL)) if (match[1] !== undefined) keys.push(match[1])
  return keys
}
