/** One line of progress of a level, as much of it as fits: the most telling figures first. Pure. */

export interface LevelState {
  /** `level 8`, `level 8 r2`, `warm-up`. */
  readonly name: string
  readonly open: number
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly elapsedS: number
  /** Seconds that the level takes if all goes well; null where nobody knows. */
  readonly expectedS: number | null
  readonly missedUnits: number
  /** Milliseconds; null while nothing was measured. */
  readonly lagMs: { readonly p50: number; readonly p99: number } | null
  readonly lateP99Ms: number | null
  readonly stallMs: number
}

interface Part {
  /** From the longest wording to the shortest. */
  readonly words: readonly [long: string, short: string, tight: string]
  /** Those with the highest number are left out first. */
  readonly rank: number
  /** An SGR code. */
  readonly colour?: number
}

const RED = 31
const YELLOW = 33
const BAR_LENGTH = 16
/** Below this a bar takes the room of the figures. */
const BAR_FROM_WIDTH = 100
const SEPARATOR = ', '

/**
 * @param width columns of the terminal; the line is at most one shorter, so that it never wraps
 * @param colour whether failures and misses are painted
 * @returns without a line feed; without colour free of escape codes
 */
export function progressLine(state: LevelState, width: number, colour = false): string {
  const room = Math.max(1, width - 1)
  const head = `${state.name} ${width >= BAR_FROM_WIDTH ? `${bar(state)} ` : ''}${state.done}/${state.total}`
  if (head.length > room) return head.slice(0, room)
  const parts = partsOf(state)
  for (const wording of [0, 1, 2] as const) {
    if (length(head, parts, wording) <= room) return written(head, parts, { wording, colour })
  }
  // In the shortest wording, and by rank what has room.
  const kept: Part[] = []
  for (const part of [...parts].sort((a, b) => a.rank - b.rank)) {
    if (length(head, [...kept, part], 2) <= room) kept.push(part)
  }
  return written(
    head,
    parts.filter((part) => kept.includes(part)),
    { wording: 2, colour },
  )
}

function partsOf(state: LevelState): Part[] {
  const { failed, open, lagMs: lag, missedUnits: missed, lateP99Ms: late, stallMs: stall } = state
  const left = leftText(state)
  const parts: (Part | undefined)[] = [
    failed === 0 ? undefined : { words: same(`${failed} failed`), rank: 0, colour: RED },
    { words: same(`${open} open`), rank: 2 },
    lag === null
      ? undefined
      : {
          words: [
            `lag p50/p99 ${lag.p50.toFixed(0)}/${lag.p99.toFixed(0)} ms`,
            `lag ${lag.p50.toFixed(0)}/${lag.p99.toFixed(0)} ms`,
            `lag ${lag.p50.toFixed(0)}/${lag.p99.toFixed(0)}`,
          ],
          rank: 3,
        },
    missed === 0
      ? undefined
      : { words: [`${missed} missed`, `${missed} missed`, `${missed} miss`], rank: 1, colour: YELLOW },
    { words: [`${left} left`, `${left} left`, left.replace(' ', '')], rank: 4 },
    late === null
      ? undefined
      : { words: [`late p99 ${late.toFixed(1)} ms`, `late ${late.toFixed(1)}`, `late ${late.toFixed(0)}`], rank: 5 },
    { words: [`stall ${stall.toFixed(1)} ms`, `stall ${stall.toFixed(1)}`, `stall ${stall.toFixed(0)}`], rank: 6 },
  ]
  return parts.filter((part) => part !== undefined)
}

function same(word: string): Part['words'] {
  return [word, word, word]
}

function length(head: string, parts: readonly Part[], wording: 0 | 1 | 2): number {
  return parts.reduce((sum, { words }) => sum + SEPARATOR.length + words[wording].length, head.length)
}

function written(
  head: string,
  parts: readonly Part[],
  { wording, colour: isColoured }: { readonly wording: 0 | 1 | 2; readonly colour: boolean },
): string {
  const texts = parts.map(({ words, colour }) =>
    isColoured && colour !== undefined ? `\u001b[${colour}m${words[wording]}\u001b[39m` : words[wording],
  )
  return [head, ...texts].join(SEPARATOR)
}

/** By the level's plan; when that is over, by the pace of the sessions that have ended, and unknown before the first. */
function leftText({ done, total, elapsedS, expectedS }: LevelState): string {
  const plannedS = expectedS === null ? 0 : expectedS - elapsedS
  if (plannedS <= 0 && done === 0) return '?'
  const leftS = Math.round(plannedS > 0 ? plannedS : (elapsedS / done) * Math.max(0, total - done))
  return leftS < 100 ? `${leftS} s` : `${Math.round(leftS / 60)} min`
}

function bar({ done, total }: LevelState): string {
  const filled = total === 0 ? 0 : Math.min(BAR_LENGTH, Math.round((BAR_LENGTH * done) / total))
  return '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled)
}
