/**
 * Full-Duplex-Bench v1.0: its subsets, what each of them tests, and the annotation that stands beside each sample. Shapes
 * and times only; what the times mean for a score is the scorer's business.
 * Source: docs/inputs.md, "Full-Duplex-Bench v1.0".
 */
import { z } from 'zod'
import { microsecondsOf } from '../base/microseconds.js'

export type FdbTask = 'pause_handling' | 'smooth_turn_taking' | 'user_interruption' | 'backchannel'
export type AnnotationFile = 'pause.json' | 'turn_taking.json' | 'interrupt.json'

interface SubsetFacts {
  readonly task: FdbTask
  /** Samples of the published dataset. */
  readonly declared: number
  /** What stands beside `input.wav`; null where the scorer needs nothing. */
  readonly annotationFile: AnnotationFile | null
}

/** In the order in which they are run and reported. */
export const FDB_V10_SUBSETS = [
  'synthetic_pause_handling',
  'candor_pause_handling',
  'candor_turn_taking',
  'synthetic_user_interruption',
  'icc_backchannel',
] as const
export type FdbV10Subset = (typeof FDB_V10_SUBSETS)[number]

export const FDB_V10: Readonly<Record<FdbV10Subset, SubsetFacts>> = {
  synthetic_pause_handling: { task: 'pause_handling', declared: 137, annotationFile: 'pause.json' },
  candor_pause_handling: { task: 'pause_handling', declared: 216, annotationFile: 'pause.json' },
  candor_turn_taking: { task: 'smooth_turn_taking', declared: 119, annotationFile: 'turn_taking.json' },
  synthetic_user_interruption: { task: 'user_interruption', declared: 200, annotationFile: 'interrupt.json' },
  icc_backchannel: { task: 'backchannel', declared: 55, annotationFile: null },
}

export function isFdbV10Subset(name: string): name is FdbV10Subset {
  return (FDB_V10_SUBSETS as readonly string[]).includes(name)
}

/** A span in seconds as written in the file, float noise included. */
export type SpanS = readonly [startS: number, endS: number]

export type Annotation =
  | { readonly kind: 'pauses'; readonly pauses: readonly SpanS[] }
  /** `endS` is the end of the user's turn, E: the first number of the file's one time stamp. */
  | { readonly kind: 'turn_end'; readonly endS: number }
  /** The user's interruption from `startS` (S) to `endS` (R). */
  | { readonly kind: 'interruption'; readonly startS: number; readonly endS: number }

const span = z.tuple([z.number(), z.number()])
const entry = z.looseObject({ timestamp: span })
const SCHEMAS = {
  'pause.json': z.array(entry).min(1),
  'turn_taking.json': z.array(entry).length(1),
  'interrupt.json': z.array(entry).length(1),
} as const satisfies Record<AnnotationFile, z.ZodType>

/** Reads an annotation's text; the problem as a phrase when it is none: "is not valid JSON". */
export function parseAnnotation(
  file: AnnotationFile,
  text: string,
): { readonly ok: true; readonly annotation: Annotation } | { readonly ok: false; readonly problem: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'is not valid JSON' }
  }
  const parsed = SCHEMAS[file].safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
    const shape =
      file === 'pause.json'
        ? 'a list of pauses, each with timestamp [start, end]'
        : 'a list of one entry with timestamp [start, end]'
    return { ok: false, problem: `is not ${shape}${where}` }
  }
  const spans = parsed.data.map(({ timestamp }) => timestamp)
  const [first] = spans
  if (first === undefined) return { ok: false, problem: 'holds no time stamp' }
  if (file === 'pause.json') return { ok: true, annotation: { kind: 'pauses', pauses: spans } }
  if (file === 'turn_taking.json') return { ok: true, annotation: { kind: 'turn_end', endS: first[0] } }
  return { ok: true, annotation: { kind: 'interruption', startS: first[0], endS: first[1] } }
}

/**
 * Why an annotation does not fit an input of `durationS`, as a sentence without the sample's name; undefined when it fits.
 * Times are compared as whole microseconds, all bounds are inclusive, and pauses may touch but not overlap.
 * Source: docs/metrics.md, "Unified turn-taking metrics", load checks.
 */
export function annotationProblem(annotation: Annotation, durationS: number): string | undefined {
  const endUs = microsecondsOf(durationS)
  const isOutside = (us: number) => us < 0 || us > endUs
  const within = `outside [0, ${durationS}]`
  switch (annotation.kind) {
    case 'turn_end': {
      const us = microsecondsOf(annotation.endS)
      return isOutside(us) ? `the end of the user's turn, ${annotation.endS} s, lies ${within}` : undefined
    }
    case 'interruption': {
      const { startS, endS } = annotation
      if (isOutside(microsecondsOf(startS))) return `the interruption's start, ${startS} s, lies ${within}`
      if (isOutside(microsecondsOf(endS))) return `the interruption's end, ${endS} s, lies ${within}`
      const isReversed = microsecondsOf(startS) > microsecondsOf(endS)
      return isReversed ? `the interruption starts at ${startS} s, after its end at ${endS} s` : undefined
    }
    case 'pauses': {
      let before: SpanS | undefined
      for (const [index, pause] of annotation.pauses.entries()) {
        const [startS, endS] = pause
        const [startUs, pauseEndUs] = [microsecondsOf(startS), microsecondsOf(endS)]
        const name = `pause ${index + 1}, [${startS}, ${endS}],`
        if (isOutside(startUs) || isOutside(pauseEndUs)) return `${name} lies ${within}`
        if (startUs > pauseEndUs) return `${name} ends before it starts`
        if (before !== undefined && startUs < microsecondsOf(before[0])) return `${name} is out of order`
        if (before !== undefined && startUs < microsecondsOf(before[1])) return `${name} overlaps the pause before it`
        before = pause
      }
      return annotation.pauses.length === 0 ? 'there is no pause' : undefined
    }
    default:
      return annotation satisfies never
  }
}
