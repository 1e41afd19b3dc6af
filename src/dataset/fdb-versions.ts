/**
 * The two versions of Full-Duplex-Bench as published: subsets, sizes, the files of a sample and what they become.
 *
 *   v1.0   ROOT/SUBSET/ID/input.wav         → variant `input`
 *   v1.5   ROOT/SUBSET/ID/input.wav         the user's speech with the overlap event   → variant `overlap`
 *          ROOT/SUBSET/ID/clean_input.wav   the same without it                        → variant `clean`
 *
 * Source: docs/inputs.md, "Full-Duplex-Bench".
 */
import { annotationProblem, FDB_V10, FDB_V10_SUBSETS, parseAnnotation } from './annotation.js'
import { OVERLAP_FILE, overlapProblem, parseOverlapEvent } from './overlap-event.js'

export const FDB_KINDS = ['fdb-v1.0', 'fdb-v1.5'] as const
export type FdbKind = (typeof FDB_KINDS)[number]

/** Where a user gets it: the authors' repository, whose README links the archives. */
export const FDB_SOURCE = {
  repository: 'https://github.com/DanielLin94144/Full-Duplex-Bench',
  where: 'whose README says where the archives are',
  license: 'CC BY-NC 4.0',
} as const

export interface FdbSubset {
  readonly name: string
  /** What the user's speech tests. */
  readonly tests: string
  /** Samples of the published dataset. */
  readonly declared: number
  /** What has to stand beside the audio; null where nothing is needed. */
  readonly annotationFile: string | null
}

export interface FdbVersion {
  readonly kind: FdbKind
  readonly title: string
  /** What a run of it is called in the run's manifest. */
  readonly runKind: string
  /** In the order in which they are run and reported. */
  readonly subsets: readonly FdbSubset[]
  /** A sample's recordings in the order in which they are sent; the annotation belongs to the first. */
  readonly recordings: readonly { readonly variant: string; readonly file: string }[]
  /**
   * Why an annotation's text does not do for an input of `durationS`, as a phrase; undefined when it does. Without a
   * duration only the shape is checked.
   */
  readonly problemOf: (file: string, text: string, durationS: number | undefined) => string | undefined
}

export const FDB_VERSIONS: Readonly<Record<FdbKind, FdbVersion>> = {
  'fdb-v1.0': {
    kind: 'fdb-v1.0',
    title: 'Full-Duplex-Bench v1.0',
    runKind: 'full-duplex-bench-v1.0',
    subsets: FDB_V10_SUBSETS.map((name) => {
      const { task, declared, annotationFile } = FDB_V10[name]
      return { name, declared, annotationFile, tests: task.replaceAll('_', ' ') }
    }),
    recordings: [{ variant: 'input', file: 'input.wav' }],
    problemOf: v10Problem,
  },
  'fdb-v1.5': {
    kind: 'fdb-v1.5',
    title: 'Full-Duplex-Bench v1.5',
    runKind: 'full-duplex-bench-v1.5-paired',
    subsets: [
      { name: 'user_interruption', tests: 'the user cuts in', declared: 200, annotationFile: OVERLAP_FILE },
      // The archive holds 98 of them.
      { name: 'user_backchannel', tests: 'the user acknowledges', declared: 99, annotationFile: OVERLAP_FILE },
      { name: 'talking_to_other', tests: 'the user speaks to others', declared: 100, annotationFile: OVERLAP_FILE },
      { name: 'background_speech', tests: 'others speak', declared: 100, annotationFile: OVERLAP_FILE },
    ],
    recordings: [
      { variant: 'overlap', file: 'input.wav' },
      { variant: 'clean', file: 'clean_input.wav' },
    ],
    problemOf: v15Problem,
  },
}

/**
 * Which versions a folder holds, judged by the names in it; no subset is in both.
 * @param names entries of the folder
 */
export function fdbKindsAmong(names: Iterable<string>): FdbKind[] {
  const present = new Set(names)
  return FDB_KINDS.filter((kind) => FDB_VERSIONS[kind].subsets.some(({ name }) => present.has(name)))
}

function v10Problem(file: string, text: string, durationS: number | undefined): string | undefined {
  if (file !== 'pause.json' && file !== 'turn_taking.json' && file !== 'interrupt.json') return undefined
  const parsed = parseAnnotation(file, text)
  if (!parsed.ok) return parsed.problem
  return durationS === undefined ? undefined : unfitting(annotationProblem(parsed.annotation, durationS))
}

function v15Problem(_file: string, text: string, durationS: number | undefined): string | undefined {
  const parsed = parseOverlapEvent(text)
  if (!parsed.ok) return parsed.problem
  return durationS === undefined ? undefined : unfitting(overlapProblem(parsed.event, durationS))
}

function unfitting(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `does not fit the audio: ${problem}`
}
