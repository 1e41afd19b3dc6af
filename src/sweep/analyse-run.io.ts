/**
 * From a recorded run to its level row: reads one session after the other, keeps the facts and lets the trace go. Needs
 * no server, and gives the same row for the same files every time.
 */
import { createHash } from 'node:crypto'
import { UserError } from '../base/errors.js'
import { describeProblems } from '../base/schema.js'
import { type RecordedRun, readRun, readSession, stallsOf } from '../capture/run-reader.io.js'
import { type LevelRow, levelRow } from '../metrics/level-row.js'
import { type SessionFacts, sessionFacts } from '../metrics/session-facts.js'
import { StallIndex } from '../metrics/stalls.js'
import { loadProfile } from '../profile/load-profile.io.js'
import { type Profile, profileSchema, type Targets } from '../profile/profile.js'
import { DEFAULT_ADMISSION_RETRIES } from '../protocol/verdict.js'

/** What the reader of a run asks for; what is absent is taken from the run's books, then from the profile. */
export interface EvaluationOverrides {
  readonly profile?: string | undefined
  readonly concurrency?: number | undefined
  readonly reserveMs?: number | undefined
  readonly unitMissRateMax?: number | undefined
  readonly rtfP90Below?: number | undefined
}

export interface AnalysedRun {
  readonly run: RecordedRun
  readonly profile: Profile
  readonly targets: Targets
  readonly row: LevelRow
  readonly sessions: readonly SessionFacts[]
  /** Over the self-monitoring, and names and contents of all session files in the order of the names. */
  readonly inputsSha256: string
}

const DEFAULT_RESERVE_MS = 80

/**
 * @throws UserError RUN_UNREADABLE when the folder is no run or its concurrency is nowhere stated; PROFILE_UNKNOWN
 */
export async function analyseRun(directory: string, overrides: EvaluationOverrides = {}): Promise<AnalysedRun> {
  const run = await readRun(directory)
  const profile = await profileOf(run, overrides.profile)
  const concurrency = overrides.concurrency ?? run.concurrency
  if (concurrency === undefined) {
    throw new UserError({
      code: 'RUN_UNREADABLE',
      message: `${directory} does not say how many sessions were requested at once`,
      fix: 'pass --concurrency N',
    })
  }
  const targets: Targets = {
    unit_miss_rate_max:
      overrides.unitMissRateMax ?? run.targets?.unit_miss_rate_max ?? profile.targets.unit_miss_rate_max,
    rtf_p90_below: overrides.rtfP90Below ?? run.targets?.rtf_p90_below ?? profile.targets.rtf_p90_below,
  }
  const reserveUs = Math.round(
    (overrides.reserveMs ?? (run.reserveS === undefined ? DEFAULT_RESERVE_MS : run.reserveS * 1000)) * 1000,
  )
  const digest = createHash('sha256').update(JSON.stringify(run.monitoring ?? null))
  const sessions: SessionFacts[] = []
  for (const entry of [...run.sessions].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const recording = await readSession(entry, {
      inputRateHz: profile.input.sample_rate_hz,
      areReceiptsRequired: run.areReceiptsRequired,
      digest,
    })
    sessions.push(
      sessionFacts({
        recording,
        profile,
        admissionRetryLimit: run.admissionRetryLimit ?? DEFAULT_ADMISSION_RETRIES,
        reserveUs,
      }),
    )
  }
  const stalls = stallsOf(run.monitoring)
  const row = levelRow({
    profile,
    targets,
    concurrency,
    sessions,
    reserveUs,
    stalls: stalls === undefined ? undefined : new StallIndex(stalls),
    isComplete: run.isComplete,
  })
  return { run, profile, targets, row, sessions, inputsSha256: digest.digest('hex') }
}

async function profileOf(run: RecordedRun, override: string | undefined): Promise<Profile> {
  if (override !== undefined) return loadProfile(override)
  if (run.profileDefinition === undefined) return loadProfile(run.profileName)
  const problems = describeProblems(profileSchema, run.profileDefinition)
  if (problems === undefined) return profileSchema.parse(run.profileDefinition)
  throw new UserError({
    code: 'RUN_UNREADABLE',
    message: `${run.directory}: profile_definition: ${problems}`,
    fix: 'judge it by another profile with --profile',
  })
}
