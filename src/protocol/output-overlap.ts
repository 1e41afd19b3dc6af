/** Whether a continuous session was exercised at all: its output must have come while its input went out. */
import type { SessionLog } from './session-log.js'

/** Whether a packet started strictly between the first and the last receipt of audio: input and output overlapped. */
export function didInputOverlapOutput(log: SessionLog): boolean {
  const receipts = log.wire.filter(({ direction, pcm }) => direction === 'receive' && pcm !== undefined)
  const first = receipts[0]
  const last = receipts.at(-1)
  if (first === undefined || last === undefined) return false
  return log.packets.some(({ record }) => record.timeS > first.timeS && record.timeS < last.timeS)
}
