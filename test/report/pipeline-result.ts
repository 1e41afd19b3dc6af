/** A small judged result for tests of what a pipeline is told. */
import type { LevelRow } from '../../src/metrics/level-row.js'
import { gateSchema } from '../../src/profile/sweep-file.js'
import { judgeGate } from '../../src/sweep/gate.js'
import type { ServingLevel, ServingResult } from '../../src/sweep/serving-result.js'
import { invalidRow, missingRow, rowWith } from '../helpers/measured-levels.js'

function levelOf(row: LevelRow): ServingLevel {
  return {
    run: `concurrency-${row.concurrency}`,
    repeat: 1,
    ...row,
    start_policy: 'pool',
    phases: 'spread',
    senders: 1,
    headroom: null,
    recording_complete: true,
    work_drops: [],
    client_stall_ms: null,
    load_generator: null,
    failed_sessions: [],
    inputs_sha256: '0',
    quality: null,
    server_metrics: null,
  }
}

/** Level 2 meets its targets, 4 misses, 8 is invalid. */
export const LEVELS = [rowWith({ concurrency: 2 }), missingRow(4), invalidRow(8)].map(levelOf)

export function pipelineResult(
  checks: readonly string[] | undefined,
  levels: readonly ServingLevel[] = LEVELS,
): Pick<ServingResult, 'profiles' | 'levels' | 'gate' | 'warnings'> {
  return {
    profiles: [
      {
        profile: 'minicpmo-native',
        targets: { unit_miss_rate_max: 0.01, rtf_p90_below: 1 },
        capacity: { status: 'exact', sessions: 2, first_missing_level: 4, invalid_levels: [8], meets_above: [] },
        repeats: [],
        quality: null,
        verdict: ['Capacity: 2 sessions at once; level 4 misses.', 'Not shown.', 'A third line.'],
      },
    ],
    levels,
    gate: checks === undefined ? null : judgeGate(levels, gateSchema.parse({ checks })),
    warnings: [],
  }
}

export const MIXED_CHECKS = [
  'unit_miss_rate@2 < 1%',
  'unit_miss_rate@2,4 < 1%',
  'confident(unit_miss_rate@2 < 1%)',
  'denied@8 == 0',
]
