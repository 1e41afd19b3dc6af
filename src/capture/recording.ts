/** What the metrics are computed from: one session as it stands on disk. Nothing else may enter a figure. */
import type { SendReceipts } from './receipts.js'
import type { TraceLine } from './trace-record.js'

export interface SessionRecording {
  /** Name of the session within its run, unique. */
  readonly name: string
  /** The wire trace; empty when the file is missing or empty. */
  readonly lines: readonly TraceLine[]
  readonly receipts: SendReceipts | undefined
  /** The input as raw mono PCM16 little endian; undefined when the file is missing or unusable. */
  readonly inputPcm: Uint8Array | undefined
  /** Length of the input as the run's own books state it; stands in for a missing `inputPcm`. */
  readonly declaredInputSamples: number | undefined
  /** What is wrong with the files themselves (missing, odd length, unreadable), each a reason why the session failed. */
  readonly fileProblems: readonly string[]
}
