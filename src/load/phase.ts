/** Where in one packet interval the packets of a session go out. Pure. */
import type { DurationUs, InstantUs } from '../base/clock.js'
import type { Phases } from '../profile/sweep-file.js'

export interface PhaseGrid {
  readonly phases: Phases
  /** Start of the level, the same for all its senders. */
  readonly epochUs: InstantUs
  readonly packetUs: DurationUs
  /** Sessions of the level that are open at once. */
  readonly concurrency: number
}

/** Offset of a slot's packets within the interval: all slots evenly over it, or all at its beginning. */
export function phaseUs({ phases, packetUs, concurrency }: Omit<PhaseGrid, 'epochUs'>, slot: number): DurationUs {
  return phases === 'aligned' ? 0 : Math.floor(((slot % concurrency) * packetUs) / concurrency)
}

/** The first instant of the slot's phase that is not before `earliestUs`. */
export function startOnGrid(grid: PhaseGrid, slot: number, earliestUs: InstantUs): InstantUs {
  const firstUs = grid.epochUs + phaseUs(grid, slot)
  return firstUs + Math.ceil((earliestUs - firstUs) / grid.packetUs) * grid.packetUs
}
