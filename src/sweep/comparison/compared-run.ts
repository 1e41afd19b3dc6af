/** What a comparison needs of one recorded level. */
import type { SessionFacts } from '../../metrics/session-facts.js'
import type { AnalysedRun } from '../analyse-run.io.js'
import type { ScoredCapture } from '../quality-result.js'

export interface ComparedRun {
  readonly analysed: AnalysedRun
  /** SHA-256 of each session's input by the session's name; null where it is not known. */
  readonly inputs: ReadonlyMap<string, string | null>
  /** The scores that the sweep left beside the level; undefined where it was not scored. */
  readonly scored: ScoredCapture | undefined
}

export interface ComparedSide {
  /** Name of the folder, without the way to it. */
  readonly name: string
  readonly runs: readonly ComparedRun[]
  /** Of `sweep.json`, where the folder is a sweep: what changes the load and stands in no run. */
  readonly sweep: SweepConditions | undefined
}

export interface SweepConditions {
  readonly order: string
  readonly warmUpSessions: number
  readonly levels: readonly number[]
  readonly host: string
}

/** A session of one side, with what it shares with the other's. */
export interface ComparedSession {
  readonly facts: SessionFacts
  /** 0 is old, 1 is new. */
  readonly side: 0 | 1
  /** Number of its run inside its side. */
  readonly run: number
  /** The same for the same session of every run on both sides: the same input, and the same place among its repeats. */
  readonly stratum: number
  /** Number in the order in which its run began its sessions. */
  readonly place: number
}

/** The sessions of a level on both sides. Where an input is not known, the session's name stands for it. */
export function pairedSessions(sides: {
  readonly old: readonly ComparedRun[]
  readonly new: readonly ComparedRun[]
}): ComparedSession[] {
  const strata = new Map<string, number>()
  const stratumOf = (key: string) => {
    const known = strata.get(key) ?? strata.size
    strata.set(key, known)
    return known
  }
  return [sides.old, sides.new].flatMap((runs, side) =>
    runs.flatMap(({ analysed, inputs }, run) => {
      const seen = new Map<string, number>()
      const sessions = [...analysed.sessions].sort((a, b) => (a.name < b.name ? -1 : 1))
      const places = new Map(analysed.run.sessions.map(({ name }, place) => [name, place]))
      return sessions.map((facts, index): ComparedSession => {
        const input = inputs.get(facts.name) ?? facts.name
        const earlier = seen.get(input) ?? 0
        seen.set(input, earlier + 1)
        return {
          facts,
          side: side === 0 ? 0 : 1,
          run,
          stratum: stratumOf(`${input} ${earlier}`),
          place: places.get(facts.name) ?? index,
        }
      })
    }),
  )
}
