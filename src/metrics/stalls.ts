/**
 * Stalls of the sending processes' event loops, and which receipts they could have delayed. Each monitor asks to be woken
 * at a fixed interval; a wake-up that came late shows that the loop was busy, and everything that this process read from a
 * socket between that instant and the next wake-up may have waited as long (docs/metrics.md, section 2, "client stall").
 */
import type { DurationUs, InstantUs } from '../base/clock.js'
import { type SelfMonitoring, senderStalls } from '../capture/self-monitoring.js'

export interface Stall {
  /** When the monitor's wake-up was due. */
  readonly dueAtUs: InstantUs
  /** When it came. */
  readonly ranAtUs: InstantUs
  /** When the next one came: receipts up to here may have waited. */
  readonly endAtUs: InstantUs
}

export interface StallLookup {
  /** By how much a receipt of this session at this instant may have been stamped late; 0 where no stall covers it. */
  coveringUs(atUs: InstantUs, session: string): DurationUs
}

/** Looks up the longest stall of one process that covers an instant. */
export class StallIndex implements StallLookup {
  readonly #stalls: readonly Stall[]

  /** @param stalls in order of `dueAtUs` */
  constructor(stalls: readonly Stall[]) {
    this.#stalls = stalls
  }

  coveringUs(atUs: InstantUs): DurationUs {
    let low = 0
    let high = this.#stalls.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#stalls[middle]?.dueAtUs ?? 0) <= atUs) low = middle + 1
      else high = middle
    }
    let longestUs = 0
    // Stalls hardly overlap: the interval before the last one that began may still reach here, none earlier.
    for (const stall of this.#stalls.slice(Math.max(0, low - 2), low)) {
      if (atUs <= stall.endAtUs) longestUs = Math.max(longestUs, stall.ranAtUs - stall.dueAtUs)
    }
    return longestUs
  }
}

/** Stalls of a level: a session waits for its own sender, never for another's. */
export class LevelStalls implements StallLookup {
  readonly #ofSession = new Map<string, StallIndex>()
  #ofAll: StallIndex | undefined

  /** @param senders `sessions` null: of every session that no other one names */
  constructor(senders: readonly { readonly sessions: readonly string[] | null; readonly stalls: readonly Stall[] }[]) {
    for (const { sessions, stalls } of senders) {
      const index = new StallIndex(stalls)
      if (sessions === null) this.#ofAll = index
      else for (const session of sessions) this.#ofSession.set(session, index)
    }
  }

  coveringUs(atUs: InstantUs, session: string): DurationUs {
    return (this.#ofSession.get(session) ?? this.#ofAll)?.coveringUs(atUs) ?? 0
  }
}

/** @returns undefined where the recorder kept no record of its stalls, which is not the same as none */
export function levelStalls(monitoring: SelfMonitoring | undefined): LevelStalls | undefined {
  return monitoring === undefined ? undefined : new LevelStalls(senderStalls(monitoring))
}
