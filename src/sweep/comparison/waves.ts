/**
 * Sessions that were open together met the same moments of the server: a backlog, a hiccup. As many sessions in a row as are open
 * at once make a wave, and waves, not sessions, are what a test may take as independent. Pure.
 */
import type { ComparedSession } from './compared-run.js'

/** More groups would be less independent, and smaller than a quantile needs. */
const GROUPS_MAX = 8

export interface Waves {
  /** Group of each session: a wave, or neighbouring ones. A session and its counterparts are in one group. */
  readonly groupOf: readonly number[]
  readonly groups: number
}

/**
 * @param sessions both sides, every run with the same strata
 * @param concurrency sessions in a wave
 */
export function wavesOf(sessions: readonly ComparedSession[], concurrency: number): Waves {
  const first = sessions.filter(({ side, run }) => side === 0 && run === 0)
  const rankOf = new Map(
    [...first].sort((a, b) => a.place - b.place).map(({ stratum }, rank) => [stratum, rank] as const),
  )
  const wavesPerRun = Math.max(1, Math.floor(first.length / concurrency))
  const runs = [0, 1].map(
    (side) => new Set(sessions.filter((session) => session.side === side).map(({ run }) => run)).size,
  )
  // Repeat 2 of one side is set against repeat 2 of the other; where the sides have different numbers of them, all are pooled.
  const arePaired = runs[0] === runs[1]
  const waves = wavesPerRun * (arePaired ? (runs[0] ?? 1) : 1)
  const groups = Math.min(GROUPS_MAX, waves)
  const groupOf = sessions.map(({ stratum, run }) => {
    const rank = rankOf.get(stratum) ?? 0
    // What is left over at the end joins the last wave.
    const wave = Math.min(wavesPerRun - 1, Math.floor(rank / concurrency)) + (arePaired ? run * wavesPerRun : 0)
    return Math.floor((wave * groups) / waves)
  })
  return { groupOf, groups }
}
