/**
 * From a recorded run to its level row: reads its sessions, keeps the facts and lets the traces go. Needs
 * no server, and gives the same row for the same files every time.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import { profileOfRun } from '../capture/run-profile.io.js'
import { type RecordedRun, readRun, readSession } from '../capture/run-reader.io.js'
import { type LevelRow, levelRow } from '../metrics/level-row.js'
import type { SessionFacts } from '../metrics/session-facts.js'
import { type SessionTimeline, sessionTimeline } from '../metrics/session-timeline.js'
import { levelStalls } from '../metrics/stalls.js'
import { worstSession } from '../metrics/worst-session.js'
import type { Profile, Targets } from '../profile/profile.js'
import { DEFAULT_ADMISSION_RETRIES } from '../protocol/verdict.js'
import { analyseSessions } from './analyse-sessions.io.js'
import { type LevelEvidence, levelEvidence } from './server-metrics/level-evidence.js'
import { parseServerScrapes, SERVER_METRICS_FILE } from './server-metrics/scrape-record.js'

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
  /** The session to look at first; undefined where the run has none. */
  readonly worst: SessionTimeline | undefined
  /** What the server said of itself during the level; null where it was not asked. */
  readonly evidence: LevelEvidence | null
  /** Over the self-monitoring, and names and contents of all session files in the order of the names. */
  readonly inputsSha256: string
}

const DEFAULT_RESERVE_MS = 80

/**
 * @throws UserError RUN_UNREADABLE when the folder is no run or its concurrency is nowhere stated; PROFILE_UNKNOWN
 */
export async function analyseRun(directory: string, overrides: EvaluationOverrides = {}): Promise<AnalysedRun> {
  const run = await readRun(directory)
  const profile = await profileOfRun(run, overrides.profile)
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
  const analyses = await analyseSessions(
    [...run.sessions].sort((a, b) => (a.name < b.name ? -1 : 1)),
    {
      profile,
      areReceiptsRequired: run.areReceiptsRequired,
      admissionRetryLimit: run.admissionRetryLimit ?? DEFAULT_ADMISSION_RETRIES,
      reserveUs,
    },
  )
  for (const text of analyses.flatMap(({ hashed }) => hashed)) digest.update(text)
  const sessions = analyses.map(({ facts }) => facts)
  const row = levelRow({
    profile,
    targets,
    concurrency,
    sessions,
    reserveUs,
    stalls: levelStalls(run.monitoring),
    isComplete: run.isComplete,
  })
  const worst = await worstTimeline({ run, profile, sessions, reserveUs })
  const evidence = await evidenceOf(run, sessions)
  return { run, profile, targets, row, sessions, worst, evidence, inputsSha256: digest.digest('hex') }
}

/** Reads the trace of that one session again: to keep those of all would take the memory of the whole run. */
async function worstTimeline(options: {
  readonly run: RecordedRun
  readonly profile: Profile
  readonly sessions: readonly SessionFacts[]
  readonly reserveUs: number
}): Promise<SessionTimeline | undefined> {
  const { run, profile, sessions, reserveUs } = options
  const facts = worstSession(sessions, profile)
  const entry = run.sessions.find(({ name }) => name === facts?.name)
  if (facts === undefined || entry === undefined) return undefined
  const recording = await readSession(entry, { inputRateHz: profile.input.sample_rate_hz })
  return sessionTimeline({ facts, recording, profile, reserveUs })
}

/** Between the first session that opened and the end of the last: what came before or after says nothing of the level. */
async function evidenceOf(run: RecordedRun, sessions: readonly SessionFacts[]): Promise<LevelEvidence | null> {
  const text = await readFile(join(run.directory, SERVER_METRICS_FILE), 'utf8').catch(() => undefined)
  const scrapes = text === undefined ? undefined : parseServerScrapes(text)
  const opened = sessions.flatMap(({ openAtUs }) => openAtUs ?? [])
  const closed = sessions.flatMap(({ closeAtUs, openAtUs }) => closeAtUs ?? openAtUs ?? [])
  if (scrapes === undefined || opened.length === 0) return null
  return levelEvidence({
    scrapes,
    fromUs: opened.reduce((least, us) => Math.min(least, us)),
    toUs: closed.reduce((most, us) => Math.max(most, us)),
  })
}
