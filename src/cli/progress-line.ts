/** One line of progress of a level, as much of it as fits: the most telling figures first. Pure. */

export interface LevelState {
  /** `level 8`, `level 8 r2`, `warm-up`. */
  readonly name: string
  readonly open: number
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly elapsedS: number
  readonly missedUnits: number
  /** Milliseconds; null while nothing was measured. */
  readonly lagMs: { readonly p50: number; readonly p99: number } | null
  readonly lateP99Ms: number | null
  readonly stallMs: number
}

const BAR_LENGTH = 16
/** Below this a bar takes the room of the figures. */
const BAR_FROM_WIDTH = 90

/**
 * @param width columns of the terminal; the line is at most one shorter, so that it never wraps
 * @returns without a line feed or escape codes
 */
export function progressLine(state: LevelState, width: number): string {
  const { name, open, done, failed, total } = state
  const room = Math.max(1, width - 1)
  const head = `${name} ${width >= BAR_FROM_WIDTH ? `${bar(done, total)} ` : ''}${done}/${total}`
  const parts = [
    failed > 0 ? `${failed} failed` : undefined,
    `${open} open`,
    state.lagMs === null ? undefined : `lag p50/p99 ${state.lagMs.p50.toFixed(0)}/${state.lagMs.p99.toFixed(0)} ms`,
    state.missedUnits > 0 ? `${state.missedUnits} missed` : undefined,
    `${leftText(state)} left`,
    state.lateP99Ms === null ? undefined : `late p99 ${state.lateP99Ms.toFixed(1)} ms`,
    `stall ${state.stallMs.toFixed(1)} ms`,
  ]
  let line = head
  for (const part of parts) {
    if (part === undefined) continue
    if (line.length + 2 + part.length > room) break
    line += `, ${part}`
  }
  return line.slice(0, room)
}

/** By the pace of the sessions that have ended; unknown before the first. */
function leftText({ done, total, elapsedS }: LevelState): string {
  if (done === 0) return '?'
  const leftS = Math.round((elapsedS / done) * (total - done))
  return leftS < 100 ? `${leftS} s` : `${Math.round(leftS / 60)} min`
}

function bar(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.round((BAR_LENGTH * done) / total)
  return '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled)
}
