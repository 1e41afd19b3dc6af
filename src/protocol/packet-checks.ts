/** Numbering and timing of the packets sent: checks N3 and N4, and their part of L6. */
import type { CheckId } from './check-catalog.js'
import { violation } from './findings.js'
import { msOfSamples } from './media-time.js'
import type { SessionLog } from './session-log.js'
import type { Violation } from './verdict.js'
import { show, valueAt } from './wire-values.js'

/** What a server allows between `t_start_ms` and its own count; the same at every sample rate. */
const START_TOLERANCE_MS = 1e-7

export function* packetNumberChecks(
  log: SessionLog,
  checks: { readonly seq: CheckId; readonly startTime: CheckId },
): Generator<Violation> {
  let expected = 0
  for (const { record, startSamples } of log.packets) {
    const seq = valueAt(record.event, 'sglang', 'seq')
    if (seq !== expected)
      yield violation(checks.seq, `sglang.seq is ${show(seq)}; the next packet is ${expected}`, record)
    // Counting on from what was sent keeps one gap one finding.
    expected = (typeof seq === 'number' && Number.isSafeInteger(seq) ? seq : expected) + 1

    const startMs = valueAt(record.event, 'sglang', 't_start_ms')
    if (startMs === undefined) continue
    const requiredMs = msOfSamples(startSamples, log.profile.input.sample_rate_hz)
    if (typeof startMs !== 'number' || !(Math.abs(startMs - requiredMs) <= START_TOLERANCE_MS)) {
      const message = `sglang.t_start_ms is ${show(startMs)}; the audio sent before lasts ${requiredMs} ms`
      yield violation(checks.startTime, message, record)
    }
  }
}
