/** Why a session has no window. The code is counted and compared; the detail tells a person where to look. */

/** In the order of docs/metrics.md, "Observation window", in which they are listed. */
export const REASON_CODES = [
  /** A file is missing, or the input is empty or odd. */
  'file_missing',
  'input_invalid',
  'input_hash_differs',
  /** A line of the trace is no record. */
  'trace_unreadable',
  'clock_goes_back',
  'packet_count',
  /** An append without `seq` or `t_start_ms`, or with another than its place. */
  'packet_fields',
  /** The audio sent is not the recorded input. */
  'input_differs',
  'event_id',
  'pacing',
  'receipts_missing',
  'receipts_differ',
  'send_not_completed',
  'send_completed_late',
  'append_after_window',
  'error_in_window',
  'closed_in_window',
  'audio_before_input',
  'output_rate',
  'audio_undecodable',
  /** Nothing shows that the receiver was alive to the end. */
  'nothing_after_window',
  'protocol_verdict',
  'source_changed',
  'annotation_changed',
  /** The books know the item, and no session of it was recorded. */
  'not_recorded',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

export interface Reason {
  readonly code: ReasonCode
  readonly detail: string
}

/** Every code once, in the order above, with its first detail and how many more there are. */
export function distinctReasons(reasons: readonly Reason[]): Reason[] {
  return REASON_CODES.flatMap((code) => {
    const own = reasons.filter((reason) => reason.code === code)
    const [first] = own
    if (first === undefined) return []
    return [{ code, detail: own.length === 1 ? first.detail : `${first.detail} (and ${own.length - 1} more)` }]
  })
}
