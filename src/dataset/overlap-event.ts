/**
 * Full-Duplex-Bench v1.5: `metadata.json`, the annotation of a sample, which says when the overlap event sounds in `input.wav`.
 * Source: docs/inputs.md, "Full-Duplex-Bench v1.5".
 */
import { z } from 'zod'
import { microsecondsOf } from '../base/microseconds.js'
import type { SpanS } from './annotation.js'

export const OVERLAP_FILE = 'metadata.json'

const schema = z.looseObject({ timestamps: z.tuple([z.number(), z.number()]) })

/** Reads the file's text; the problem as a phrase when it holds no event: "is not valid JSON". */
export function parseOverlapEvent(
  text: string,
): { readonly ok: true; readonly event: SpanS } | { readonly ok: false; readonly problem: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not valid JSON' }
  }
  const parsed = schema.safeParse(json)
  return parsed.success
    ? { ok: true, event: parsed.data.timestamps }
    : { ok: false, problem: 'is not an object with timestamps [start, end]' }
}

/**
 * Why an event does not fit an input of `durationS`, as a sentence without the sample's name; undefined when it fits:
 * 0 <= start < end <= duration, in whole microseconds.
 */
export function overlapProblem([startS, endS]: SpanS, durationS: number): string | undefined {
  const [startUs, endUs] = [microsecondsOf(startS), microsecondsOf(endS)]
  const name = `the overlap event, [${startS}, ${endS}],`
  if (startUs < 0 || endUs > microsecondsOf(durationS)) return `${name} lies outside [0, ${durationS}]`
  return startUs < endUs ? undefined : `${name} does not end after its start`
}
