/**
 * Stalls of the sending process's event loop, and which receipts they could have delayed. The monitor asks to be woken
 * at a fixed interval; a wake-up that came late shows that the loop was busy, and everything read from a socket between
 * that instant and the next wake-up may have waited as long (docs/metrics.md, section 2, "client stall").
 */
import type { DurationUs, InstantUs } from '../base/clock.js'

export interface Stall {
  /** When the monitor's wake-up was due. */
  readonly dueAtUs: InstantUs
  /** When it came. */
  readonly ranAtUs: InstantUs
  /** When the next one came: receipts up to here may have waited. */
  readonly endAtUs: InstantUs
}

/** Looks up the longest stall that covers an instant. */
export class StallIndex {
  readonly #stalls: readonly Stall[]

  /** @param stalls in order of `dueAtUs` */
  constructor(stalls: readonly Stall[]) {
    this.#stalls = stalls
  }

  /** By how much a receipt at this instant may have been stamped late; 0 where no stall covers it. */
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
