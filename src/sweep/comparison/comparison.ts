/**
 * Did the release get worse? Levels of two sweeps side by side, every figure with its verdict, and one verdict over all. Pure:
 * recordings in, `floorload.comparison/1` out; the same recordings give the same bytes.
 */
import type { LevelRow } from '../../metrics/level-row.js'
import { workDrops } from '../../metrics/repeats.js'
import { decidingMargins, qualitySettingsSchema } from '../../profile/quality-settings.js'
import { holmAdjusted } from '../../stats/holm.js'
import { METRIC_DEFINITIONS } from '../serving-result.js'
import { comparedCapacity } from './capacity-comparison.js'
import { levelComparability, mismatchText, sweepWarnings } from './comparability.js'
import type { ComparedRun, ComparedSide } from './compared-run.js'
import {
  COMPARISON_SCHEMA_NAME,
  type ComparedLevel,
  type ComparedSideSummary,
  type Comparison,
  type ComparisonVerdict,
} from './comparison-result.js'
import { summaryLines } from './comparison-text.js'
import { levelDifferences, PERMUTATIONS, RESAMPLES } from './level-differences.js'
import { qualityDifferences } from './quality-differences.js'
import type { Thresholds } from './thresholds.js'
import {
  FAMILY_ERROR_RATE,
  metricVerdict,
  type PendingDifference,
  type PendingQuality,
  qualityVerdict,
} from './verdicts.js'

/** Of everything that is drawn; the same for every comparison, so that none can be drawn until it fits. */
const SEED = 0

interface PendingLevel extends Omit<ComparedLevel, 'verdict' | 'metrics' | 'quality'> {
  readonly isComparable: boolean
  readonly metrics: readonly PendingDifference[]
  readonly quality: readonly PendingQuality[]
}

/** @param options.old, options.new recorded levels, each side at least one */
export function compareSides(options: {
  readonly old: ComparedSide
  readonly new: ComparedSide
  readonly thresholds: Thresholds
  readonly toolVersion: string
}): Comparison {
  const { old, new: fresh, thresholds } = options
  const keys = [...new Set([...old.runs, ...fresh.runs].map(keyOf))].sort()
  const groups = keys.map((key) => ({
    old: old.runs.filter((run) => keyOf(run) === key),
    new: fresh.runs.filter((run) => keyOf(run) === key),
  }))
  const matched = groups.filter((group) => group.old.length > 0 && group.new.length > 0)
  const { levels, comparisons, tested } = judged(matched.map((group) => pendingLevel(group, thresholds)))
  const profiles = [...new Set(levels.map(({ profile }) => profile))]
  const capacity = profiles.map((profile) =>
    comparedCapacity({
      profile,
      old: old.runs.filter((run) => run.analysed.profile.name === profile),
      new: fresh.runs.filter((run) => run.analysed.profile.name === profile),
      levels: levels.filter((level) => level.profile === profile),
    }),
  )
  const result: Omit<Comparison, 'summary'> = {
    schema: COMPARISON_SCHEMA_NAME,
    tool: { name: 'floorload', version: options.toolVersion },
    definitions: METRIC_DEFINITIONS,
    verdict: overall(levels.map(({ verdict }) => verdict)),
    old: sideSummary(old),
    new: sideSummary(fresh),
    method: {
      comparisons,
      tested,
      family_error_rate: FAMILY_ERROR_RATE,
      adjustment: 'holm',
      resamples: RESAMPLES,
      permutations: PERMUTATIONS,
      seed: SEED,
    },
    thresholds: thresholds.serving,
    capacity,
    levels,
    unmatched: groups.flatMap((group) => {
      const only = group.old.length === 0 ? group.new[0] : group.new.length === 0 ? group.old[0] : undefined
      if (only === undefined) return []
      const { profile, row } = only.analysed
      const side = group.old.length === 0 ? ('new' as const) : ('old' as const)
      return [{ profile: profile.name, concurrency: row.concurrency, side }]
    }),
    warnings: sweepWarnings(old, fresh),
  }
  const { schema, tool, definitions, verdict, ...rest } = result
  return { schema, tool, definitions, verdict, summary: summaryLines(result), ...rest }
}

function pendingLevel(
  sides: { readonly old: readonly ComparedRun[]; readonly new: readonly ComparedRun[] },
  thresholds: Thresholds,
): PendingLevel {
  const [first] = sides.old
  const profile = first?.analysed.profile.name ?? ''
  const concurrency = first?.analysed.row.concurrency ?? 0
  const { mismatches, invalid, reserve, warnings } = levelComparability(sides)
  const isComparable = mismatches.length === 0 && invalid.length === 0
  const seed = `${SEED}/${profile}/${concurrency}`
  const metrics = isComparable ? levelDifferences({ ...sides, thresholds, seed }) : []
  const quality = isComparable
    ? qualityDifferences({ ...sides, margins: marginsOf(sides, thresholds), seed: SEED })
    : { metrics: [], warnings: [] }
  return {
    profile,
    concurrency,
    old_runs: sides.old.map(({ analysed }) => analysed.run.name),
    new_runs: sides.new.map(({ analysed }) => analysed.run.name),
    isComparable,
    mismatches,
    invalid,
    warnings: [
      ...warnings,
      ...(isComparable && reserve !== undefined ? [`underruns do not compare, ${mismatchText(reserve)}`] : []),
      ...workWarnings(sides),
      ...quality.warnings,
      ...(isComparable && sides.old.length === 1 && sides.new.length === 1
        ? ['one run on each side: what differs from run to run cannot be seen']
        : []),
    ],
    metrics: reserve === undefined ? metrics : metrics.map(withoutUnderruns),
    quality: quality.metrics,
  }
}

/**
 * Verdicts, once it is known how many comparisons there are. Those that could not have differed whatever side was called
 * which are no chances for a false alarm, so they are not counted among them (Tarone 1990).
 */
function judged(pending: readonly PendingLevel[]): {
  readonly levels: ComparedLevel[]
  readonly comparisons: number
  readonly tested: number
} {
  const made = pending.flatMap(({ metrics, quality }) => [...metrics, ...quality]).filter(({ p }) => p !== null)
  const tested = made.filter((comparison) => !('canDiffer' in comparison) || comparison.canDiffer)
  const adjusted = holmAdjusted(tested.map(({ p }) => p ?? 1))
  const adjustedOf = new Map<PendingDifference | PendingQuality, number>(made.map((comparison) => [comparison, 1]))
  tested.forEach((comparison, index) => {
    adjustedOf.set(comparison, adjusted[index] ?? 1)
  })
  const levels = pending.map(({ isComparable, ...level }): ComparedLevel => {
    const metrics = level.metrics.map((metric) => metricVerdict(metric, adjustedOf.get(metric)))
    const quality = level.quality.map((metric) => qualityVerdict(metric, adjustedOf.get(metric)))
    const verdicts = [...metrics, ...quality].map(({ verdict }) => verdict)
    const { profile, concurrency, old_runs, new_runs, ...rest } = level
    const verdict = isComparable ? overall(verdicts) : 'not comparable'
    return { profile, concurrency, old_runs, new_runs, verdict, ...rest, metrics, quality }
  })
  return { levels, comparisons: made.length, tested: tested.length }
}

/** One thing that is worse makes the whole worse, whatever else is better. */
function overall(verdicts: readonly ComparisonVerdict[]): ComparisonVerdict {
  const order: readonly ComparisonVerdict[] = ['worse', 'better', 'no difference shown']
  return order.find((verdict) => verdicts.includes(verdict)) ?? 'not comparable'
}

function withoutUnderruns(metric: PendingDifference): PendingDifference {
  if (metric.metric !== 'underrun_rate') return metric
  return { ...metric, difference: null, interval95: null, threshold: null, p: null }
}

/** The margins that both sweeps were scored with, else the usual ones; what was given on the command line lies over them. */
function marginsOf(
  sides: { readonly old: readonly ComparedRun[]; readonly new: readonly ComparedRun[] },
  { quality }: Thresholds,
): Readonly<Record<string, number>> {
  const settings = [...sides.old, ...sides.new].map(
    ({ analysed }) => qualitySettingsSchema.safeParse(analysed.run.quality).data,
  )
  const [first] = settings
  const isShared = settings.every((other) => JSON.stringify(other?.margins) === JSON.stringify(first?.margins))
  const known = isShared && first !== undefined ? first : qualitySettingsSchema.parse({})
  return { ...decidingMargins(known), ...quality }
}

/** A server must not look as good by doing less. */
function workWarnings(sides: { readonly old: readonly ComparedRun[]; readonly new: readonly ComparedRun[] }): string[] {
  const mean = (runs: readonly ComparedRun[], of: (row: LevelRow) => number | null) => {
    const values = runs.flatMap(({ analysed }) => of(analysed.row) ?? [])
    return values.length < runs.length ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const work = (runs: readonly ComparedRun[]) => ({
    units_completed_per_session: mean(runs, (row) => row.units_completed_per_session),
    input_accepted_s_per_session: mean(runs, (row) => row.input_accepted_s_per_session),
    reply_s_per_session: mean(runs, (row) => row.reply_s_per_session) ?? 0,
  })
  const row = sides.old[0]?.analysed.row
  if (row === undefined) return []
  return workDrops({ ...row, ...work(sides.new) }, { ...row, ...work(sides.old) }).map(
    (measure) => `NEW did less: ${WORK[measure]} fell by more than 10%`,
  )
}

const WORK = {
  units_completed: 'units completed in a session',
  input_accepted: 'input accepted in a session',
  reply: 'reply audio of a session',
} as const

function sideSummary({ name, runs }: ComparedSide): ComparedSideSummary {
  const all = (of: (run: ComparedRun) => unknown) => [
    ...new Set(runs.map(of).filter((value): value is string => typeof value === 'string')),
  ]
  const source = ({ analysed }: ComparedRun) =>
    analysed.run.manifest.source as { tool?: unknown; version?: unknown } | undefined
  return {
    name,
    profiles: all(({ analysed }) => analysed.profile.name),
    models: all(({ analysed }) => analysed.profile.model),
    recorded_by: all((run) => {
      const { tool, version } = source(run) ?? {}
      return typeof tool === 'string' ? `${tool} ${typeof version === 'string' ? version : ''}`.trim() : undefined
    }),
    runs: runs.map(({ analysed }) => analysed.run.name),
  }
}

/** Sorts by profile, then by concurrency. */
function keyOf({ analysed: { profile, row } }: ComparedRun): string {
  return `${profile.name}\n${String(row.concurrency).padStart(9, '0')}`
}
