/** From the files of one session to its facts, and to what they add to the hash of the level's inputs. */
import { readSession, type SessionEntry } from '../capture/run-reader.io.js'
import { type SessionFacts, sessionFacts } from '../metrics/session-facts.js'
import type { Profile } from '../profile/profile.js'

/** The same for all sessions of a level. */
export interface AnalysisSettings {
  readonly profile: Profile
  readonly areReceiptsRequired: boolean
  readonly admissionRetryLimit: number
  readonly reserveUs: number
}

export interface SessionAnalysis {
  readonly facts: SessionFacts
  /** Texts that go into the hash of the level's inputs, in this order. */
  readonly hashed: readonly string[]
}

/** Never throws on what the files hold: what is wrong with them is in the facts. */
export async function analyseSession(entry: SessionEntry, settings: AnalysisSettings): Promise<SessionAnalysis> {
  const { profile, areReceiptsRequired, admissionRetryLimit, reserveUs } = settings
  const hashed: string[] = []
  const recording = await readSession(entry, {
    inputRateHz: profile.input.sample_rate_hz,
    areReceiptsRequired,
    digest: { update: (text) => hashed.push(text) },
  })
  return { facts: sessionFacts({ recording, profile, admissionRetryLimit, reserveUs }), hashed }
}
