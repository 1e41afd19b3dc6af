/** Finds the highest number of sessions that holds: up by doubling, then halving the gap, then a second look. */

export interface LadderOptions {
  readonly first: number
  /** Nothing above it is tried. */
  readonly most: number
  /** The gap between what holds and what does not is closed to this share. */
  readonly tolerance: number
  /** How often the end result has to be tried; more than half of the tries have to hold. */
  readonly tries: number
  /** One try. */
  readonly holds: (sessions: number) => Promise<boolean>
}

export interface LadderEnd {
  /** 0 where not even one session held. */
  readonly sessions: number
  /** Whether it ended at `most` and not at what does not hold. */
  readonly isAtMost: boolean
}

/** A single failure can be the machine's bad moment: before anything counts as not holding it has failed twice. */
const FAILURES_TO_BELIEVE = 2

export async function climb(options: LadderOptions): Promise<LadderEnd> {
  const { first, most, tolerance, holds } = options
  const seen = new Map<number, { held: number; failed: number }>()
  const tryOnce = async (sessions: number) => {
    const count = seen.get(sessions) ?? { held: 0, failed: 0 }
    seen.set(sessions, count)
    const isHeld = await holds(sessions)
    if (isHeld) count.held += 1
    else count.failed += 1
    return count
  }
  const believe = async (sessions: number): Promise<boolean> => {
    for (;;) {
      const { held, failed } = await tryOnce(sessions)
      if (held > failed) return true
      if (failed >= FAILURES_TO_BELIEVE) return false
    }
  }

  let low = 0
  let high: number | undefined
  let at = Math.min(first, most)
  for (;;) {
    if (await believe(at)) low = at
    else high = at
    if (high === undefined) {
      if (low === most) break
      at = Math.min(most, 2 * low)
    } else {
      // Below the first rung the search goes down as it went up.
      const next = low === 0 ? Math.floor(high / 2) : Math.round((low + high) / 2)
      if (next < 1 || next === low || next === high || (low > 0 && high - low <= tolerance * high)) break
      at = next
    }
  }
  return { sessions: await confirmed(low, options, { seen, tryOnce }), isAtMost: high === undefined }
}

/** Steps down from a result that held once and does not hold more often than not. */
async function confirmed(
  found: number,
  { tries, tolerance }: LadderOptions,
  {
    seen,
    tryOnce,
  }: {
    readonly seen: ReadonlyMap<number, { held: number; failed: number }>
    readonly tryOnce: (sessions: number) => Promise<{ held: number; failed: number }>
  },
): Promise<number> {
  let at = found
  while (at > 0) {
    let { held, failed } = seen.get(at) ?? { held: 0, failed: 0 }
    while (held <= tries / 2 && failed < tries / 2) ({ held, failed } = await tryOnce(at))
    if (held > tries / 2) return at
    at = Math.floor(at * (1 - tolerance))
  }
  return 0
}
