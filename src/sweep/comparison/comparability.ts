/**
 * Were the two sides measured alike? What differs is named with both values: it makes a level incomparable, or one figure, or
 * is a warning. Definitions never differ, since both sides are computed anew from their traces. Pure.
 */
import { isObject } from '../../base/json.js'
import type { ComparedRun, ComparedSide } from './compared-run.js'
import type { Mismatch } from './comparison-result.js'

interface Aspect {
  readonly what: string
  /** Undefined where the recording does not say. */
  readonly of: (run: ComparedRun) => unknown
}

/** A level that was offered or judged differently is another experiment. */
const DECISIVE: readonly Aspect[] = [
  {
    what: 'profile',
    of: ({ analysed: { profile } }) => {
      const { protocol, unit_ms, input, output, replies, end_wait_ms } = profile
      return { protocol, unit_ms, input, output, replies, end_wait_ms }
    },
  },
  { what: 'session settings', of: ({ analysed }) => analysed.profile.session },
  { what: 'start policy', of: ({ analysed }) => analysed.run.policy },
  { what: 'packet phases', of: ({ analysed }) => analysed.run.phases },
  { what: 'sessions in a run', of: ({ analysed }) => analysed.sessions.length },
  { what: 'packet schedule', of: ({ analysed }) => packetSchedule(analysed.run.manifest.config) },
]

/** What may tilt a comparison without spoiling it. */
const NOTEWORTHY: readonly Aspect[] = [
  { what: 'senders', of: ({ analysed }) => analysed.run.senders },
  { what: 'load client', of: ({ analysed }) => analysed.run.manifest.config?.transport?.client },
  { what: 'session deadline in seconds', of: ({ analysed }) => analysed.run.manifest.config?.timeout_s },
  { what: 'admission retries', of: ({ analysed }) => analysed.run.admissionRetryLimit },
  { what: 'dataset items that could not be used', of: ({ analysed }) => analysed.run.invalidItems },
]

export interface LevelComparability {
  /** Anything here makes the whole level incomparable. */
  readonly mismatches: readonly Mismatch[]
  /** Why a side was not measured at all. */
  readonly invalid: readonly string[]
  /** Playback reserves differ: underruns do not compare. */
  readonly reserve: Mismatch | undefined
  readonly warnings: readonly string[]
}

/** @param sides runs of one level, at least one on each side */
export function levelComparability(sides: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
}): LevelComparability {
  const mismatchOf = ({ what, of }: Aspect) => mismatch(what, sides.old.map(of), sides.new.map(of))
  const found = DECISIVE.map(mismatchOf)
  const isEnough = (aspect: Mismatch | undefined): aspect is Mismatch => aspect !== undefined
  return {
    mismatches: [...found, inputMismatch(sides)].filter(isEnough),
    invalid: [...invalidRuns('OLD', sides.old), ...invalidRuns('NEW', sides.new)],
    reserve: mismatchOf({ what: 'playback reserve in seconds', of: ({ analysed }) => analysed.row.reserve_s }),
    warnings: [
      ...NOTEWORTHY.map(mismatchOf).filter(isEnough).map(mismatchText),
      ...drawnStarts(sides),
      ...sameRecordings(sides),
    ],
  }
}

/** Targets decide the capacity and no other figure. */
export function targetMismatch(old: readonly ComparedRun[], fresh: readonly ComparedRun[]): Mismatch | undefined {
  const of = ({ analysed }: ComparedRun) => analysed.targets
  return mismatch('targets', old.map(of), fresh.map(of))
}

/** Of the sweeps as a whole: what stands in `sweep.json` and in no run. */
export function sweepWarnings(old: ComparedSide, fresh: ComparedSide): string[] {
  if (old.sweep === undefined || fresh.sweep === undefined) return []
  const [a, b] = [old.sweep, fresh.sweep]
  const found = [
    mismatch('order of the levels', [a.order], [b.order]),
    mismatch('warm-up sessions', [a.warmUpSessions], [b.warmUpSessions]),
    mismatch('machine of the load client', [a.host], [b.host]),
  ]
  return found.flatMap((aspect) => (aspect === undefined ? [] : [mismatchText(aspect)]))
}

/** `start policy: pool in OLD, aligned in NEW` */
export function mismatchText({ what, old, new: fresh }: Mismatch): string {
  return `${what}: ${old} in OLD, ${fresh} in NEW`
}

function mismatch(what: string, old: readonly unknown[], fresh: readonly unknown[]): Mismatch | undefined {
  const values = new Set([...old, ...fresh].map(canonical))
  if (values.size < 2) return undefined
  const [first, second] = [old[0], fresh.find((value) => canonical(value) !== canonical(old[0])) ?? fresh[0]]
  // Of two objects only what differs is shown.
  if (isObject(first) && isObject(second)) {
    const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
    const differing = keys.filter((key) => canonical(first[key]) !== canonical(second[key]))
    const part = (value: Record<string, unknown>) =>
      differing
        .map((key) => `${key} ${value[key] === undefined ? 'absent' : shortened(canonical(value[key]))}`)
        .join(', ')
    if (differing.length > 0) return { what, old: part(first), new: part(second) }
  }
  const shown = (list: readonly unknown[]) =>
    [...new Set(list.map((value) => (value === undefined ? 'not recorded' : plain(value))))].join(' and ')
  return { what, old: shown(old), new: shown(fresh) }
}

/** JSON whose keys stand in one order. */
function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
  return text ?? 'undefined'
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : shortened(canonical(value))
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function packetSchedule(config: ComparedRun['analysed']['run']['manifest']['config']): unknown {
  return config === undefined ? undefined : { packet_ms: config.packet_ms, late_packets: config.late_packets }
}

/** Every run has to send the same set of inputs, whatever its sessions are called. */
function inputMismatch(sides: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
}): Mismatch | undefined {
  const runs = [...sides.old, ...sides.new]
  const [first, ...others] = runs.map(({ inputs }) => [...inputs].map(([name, hash]) => hash ?? name).sort())
  if (first === undefined) return undefined
  const own = countsOf(first)
  const missing = others.map((other) => {
    const left = new Map(own)
    for (const input of other) left.set(input, (left.get(input) ?? 0) - 1)
    return [...left.values()].reduce((sum, count) => sum + Math.abs(count), 0)
  })
  const worst = Math.max(0, ...missing)
  if (worst === 0) return undefined
  const totals = (list: readonly ComparedRun[]) => {
    const all = new Set(list.flatMap(({ inputs }) => [...inputs].map(([name, hash]) => hash ?? name)))
    return { all, sessions: list[0]?.inputs.size ?? 0 }
  }
  const [old, fresh] = [totals(sides.old), totals(sides.new)]
  const shared = [...old.all].filter((input) => fresh.all.has(input)).length
  const text = ({ all, sessions }: typeof old) =>
    `${all.size} distinct in ${sessions} sessions, ${shared} of them shared`
  return { what: 'inputs', old: text(old), new: text(fresh) }
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function invalidRuns(side: 'OLD' | 'NEW', runs: readonly ComparedRun[]): string[] {
  return runs.flatMap(({ analysed: { row, run } }) => {
    if (row.valid) return []
    const reason =
      row.sessions_attempted === 0
        ? 'no session was attempted'
        : row.pacing_violations > 0
          ? `the load generator fell behind in ${row.pacing_violations} of ${row.sessions_attempted} sessions`
          : 'the recording was not finished'
    return [`${run.name} of ${side} is invalid: ${reason}`]
  })
}

/** Starts that were drawn differ with their seed; under the other policies a seed moves nothing. */
function drawnStarts(sides: { readonly old: readonly ComparedRun[]; readonly new: readonly ComparedRun[] }): string[] {
  const isDrawn = [...sides.old, ...sides.new].some(({ analysed }) => analysed.run.policy === 'poisson')
  const seedOf = ({ analysed }: ComparedRun) => analysed.run.seed
  const found = mismatch('seed of the drawn starts', sides.old.map(seedOf), sides.new.map(seedOf))
  return isDrawn && found !== undefined ? [mismatchText(found)] : []
}

function sameRecordings(sides: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
}): string[] {
  const old = new Map(sides.old.map(({ analysed }) => [analysed.inputsSha256, analysed.run.name]))
  return sides.new.flatMap(({ analysed: { inputsSha256, run } }) =>
    old.has(inputsSha256) ? [`${run.name} of NEW is the same recording as ${old.get(inputsSha256)} of OLD`] : [],
  )
}
