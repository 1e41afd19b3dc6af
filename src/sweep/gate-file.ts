/**
 * A `serving.json` that somebody hands to `gate`: checked in everything that gates and their reports read, so that a file of
 * another make is refused by name, and nothing is judged by a column that holds something else. Pure.
 */
import { z } from 'zod'
import { UserError } from '../base/errors.js'
import { describeProblems } from '../base/schema.js'
import { COLUMN_METRICS, DISTRIBUTION_METRICS } from '../profile/gate-metrics.js'
import { type Gate, gateSchema } from '../profile/sweep-file.js'
import { SERVING_SCHEMA_NAME, type ServingResult, servingFileSchema } from './serving-result.js'

const count = z.number().int().min(0)
const figure = z.number().nullable().optional()
const distribution = z.record(z.string(), z.number()).nullable().optional()
const metricValue = z.union([z.number(), z.literal('not_reached')]).nullable()
const interval = z.tuple([metricValue, metricValue]).nullable()

const qualityMetric = z.union(
  [
    z.looseObject({ value: metricValue, interval, p90: metricValue }),
    z.looseObject({ value: z.number().nullable(), interval, numerator: z.number(), denominator: z.number() }),
    z.looseObject({ value: z.number().nullable(), count, n: count }),
  ],
  { error: 'must be a share with count and n, a latency with p90, or a ratio with numerator and denominator' },
)

const levelSchema = servingFileSchema.shape.levels.element.extend({
  ...Object.fromEntries(Object.keys(COLUMN_METRICS).map((name) => [name, figure])),
  ...Object.fromEntries(
    Object.keys(DISTRIBUTION_METRICS).map((name) => [name === 'rtf' ? name : `${name}_s`, distribution]),
  ),
  client_stall_ms: distribution,
  unit_miss_bound95: z.looseObject({ low: z.number(), high: z.number() }).nullable().optional(),
  run: z.string(),
  repeat: z.number().int().min(1),
  concurrency: z.number().int().min(1),
  sessions_attempted: count,
  sessions_succeeded: count,
  sessions_failed: count,
  denied: count,
  pacing_violations: count,
  quality: z
    .looseObject({
      subsets: z.record(z.string(), z.looseObject({ metrics: z.record(z.string(), qualityMetric) })),
    })
    .nullable()
    .optional(),
})

const gateFileSchema = servingFileSchema.extend({
  levels: z.array(levelSchema),
  profiles: z.array(
    z.looseObject({
      profile: z.string(),
      targets: z.looseObject({ unit_miss_rate_max: z.number(), rtf_p90_below: z.number() }),
      verdict: z.array(z.string()),
      quality: z
        .looseObject({
          capacity: z.looseObject({
            status: z.enum(['exact', 'at_least', 'none', 'not_enough_samples', 'undecided']),
            sessions: z.number().nullable(),
            worse_level: z.number().nullable(),
          }),
        })
        .nullable()
        .optional(),
    }),
  ),
  warnings: z.array(z.string()).default([]),
})

/** What `gate` and its reports read of a result; the type is wider than what was checked. */
export type GateFile = Pick<ServingResult, 'profiles' | 'levels' | 'warnings'>

/**
 * @param file name, for messages
 * @param profile which one, in a result of several
 * @returns the part of that profile, and the gate that it was recorded under
 * @throws UserError RESULT_UNREADABLE, or USAGE for a profile that is not there
 */
export function gateFileOf(
  text: string,
  file: string,
  profile: string | undefined,
): { readonly result: GateFile; readonly recordedGate: Gate | undefined } {
  const fail = (message: string, fix: string) => new UserError({ code: 'RESULT_UNREADABLE', message, fix })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw fail(`${file} is not valid JSON`, 'give the serving.json of a sweep')
  }
  const parsed = gateFileSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw fail(
      `${file}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`,
      `it must be a result with the schema ${SERVING_SCHEMA_NAME}`,
    )
  }
  const { levels, profiles, warnings, gate } = parsed.data as unknown as ServingResult
  const names = [...new Set(levels.map((row) => row.profile))]
  if (profile === undefined && names.length > 1) {
    throw fail(`${file} holds several profiles (${names.join(', ')})`, 'choose one with --profile')
  }
  if (profile !== undefined && !names.includes(profile)) {
    throw new UserError({
      code: 'USAGE',
      message: `${file} holds no profile ${profile}; it holds ${names.join(', ') || 'none'}`,
      fix: 'correct --profile',
    })
  }
  const chosen = profile ?? names[0]
  return {
    result: {
      levels: levels.filter((row) => row.profile === chosen),
      profiles: profiles.filter((part) => part.profile === chosen),
      warnings,
    },
    recordedGate: gate === null ? undefined : recordedGateOf(gate.gate, file),
  }
}

function recordedGateOf(gate: unknown, file: string): Gate {
  const problems = describeProblems(gateSchema, gate)
  if (problems === undefined) return gateSchema.parse(gate)
  throw new UserError({
    code: 'RESULT_UNREADABLE',
    message: `${file}: the gate that it was recorded under cannot be read: ${problems}`,
    fix: 'use the version of floorload that wrote it',
  })
}
