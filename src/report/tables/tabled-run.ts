/** A recorded level as the tables take it: a name that no other bears, its own clock, its sessions in a fixed order. */
import { type DurationUs, type InstantUs, secondsFromUs } from '../../base/clock.js'
import type { SessionEntry } from '../../capture/run-reader.io.js'
import type { SenderRecord } from '../../capture/self-monitoring.js'
import { tidy } from '../../metrics/distribution.js'
import type { SessionFacts } from '../../metrics/session-facts.js'
import type { Profile } from '../../profile/profile.js'
import type { Column } from './table.js'

/** What the tables need of an analysed run. */
export interface RunFacts {
  /** Name of its folder, and of the folder around it. */
  readonly name: string
  readonly parentName: string
  readonly profile: Profile
  readonly concurrency: number
  readonly repeat: number
  readonly reserveUs: number
  readonly sessions: readonly SessionFacts[]
  /** What each session sent, by the session's name; empty where the run keeps no books. */
  readonly samples: ReadonlyMap<string, NonNullable<SessionEntry['sample']>>
  /** Wake-ups of a sender that came late, and how late a recorded one is at least; undefined where not recorded. */
  readonly stalls: { readonly delaysUs: readonly DurationUs[]; readonly thresholdMs: number } | undefined
  /** What each sending process wrote down of itself, second by second; empty where none did. */
  readonly senders: readonly Pick<SenderRecord, 'sender' | 'series'>[]
}

export interface TabledRun extends RunFacts {
  /** Unique among the runs of the tables. */
  readonly label: string
  /** Time 0 of the level: the first session that opened; undefined where none did. */
  readonly originUs: InstantUs | undefined
}

/** One session with the run it belongs to. */
export interface TabledSession {
  readonly run: TabledRun
  readonly facts: SessionFacts
}

/**
 * Sorted by profile, level, repeat and name, so that the order of reading changes nothing.
 * @returns the runs; or, as text, the name that two of them share even with that of the folder around them
 */
export function tabledRuns(runs: readonly RunFacts[]): TabledRun[] | string {
  const isShared = (name: string) => runs.filter((other) => other.name === name).length > 1
  const tabled = runs.map((run) => ({
    ...run,
    label: isShared(run.name) ? `${run.parentName}-${run.name}` : run.name,
    originUs: firstOpenUs(run.sessions),
    sessions: [...run.sessions].sort((a, b) => compareText(a.name, b.name)),
  }))
  const labels = tabled.map(({ label }) => label)
  return (
    labels.find((label, index) => labels.indexOf(label) !== index) ??
    tabled.sort(
      (a, b) =>
        compareText(a.profile.name, b.profile.name) ||
        a.concurrency - b.concurrency ||
        a.repeat - b.repeat ||
        compareText(a.label, b.label),
    )
  )
}

export function sessionsOf(runs: readonly TabledRun[]): TabledSession[] {
  return runs.flatMap((run) => run.sessions.map((facts) => ({ run, facts })))
}

/** The columns that name a session; every table begins with them, for joins. */
export const SESSION_KEY: readonly Column<TabledSession>[] = [
  { name: 'profile', type: 'text', isRequired: true, of: ({ run }) => run.profile.name },
  { name: 'run', type: 'text', isRequired: true, of: ({ run }) => run.label },
  { name: 'concurrency', type: 'integer', isRequired: true, of: ({ run }) => run.concurrency },
  { name: 'repeat', type: 'integer', isRequired: true, of: ({ run }) => run.repeat },
  { name: 'session', type: 'text', isRequired: true, of: ({ facts }) => facts.name },
]

/** An instant in seconds on the level's clock; undefined stays undefined. */
export function levelSeconds({ originUs }: TabledRun, atUs: InstantUs | undefined): number | undefined {
  return originUs === undefined || atUs === undefined ? undefined : secondsOf(atUs - originUs)
}

export function secondsOf(us: number): number
export function secondsOf(us: number | undefined): number | undefined
export function secondsOf(us: number | undefined): number | undefined {
  return us === undefined ? undefined : tidy(secondsFromUs(us))
}

function firstOpenUs(sessions: readonly SessionFacts[]): InstantUs | undefined {
  const opened = sessions.flatMap(({ openAtUs }) => openAtUs ?? [])
  return opened.length === 0 ? undefined : opened.reduce((least, us) => Math.min(least, us))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
