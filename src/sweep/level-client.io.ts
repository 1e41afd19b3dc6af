/** Runs one level on the host's clock. */
import { SystemClock } from '../base/system-clock.io.js'
import { type LevelRunEnd, type LevelRunOptions, runLevel } from '../load/level-run.io.js'

/** @throws UserError what the senders could not do; Error when all of them died */
export function runLevelProcess(options: Omit<LevelRunOptions, 'clock'>): Promise<LevelRunEnd> {
  return runLevel({ ...options, clock: new SystemClock() })
}
