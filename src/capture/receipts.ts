/** Send receipts of one session: when each packet was due, when its send began, and when the transport had taken it. */
import { z } from 'zod'
import type { InstantUs } from '../base/clock.js'
import { US_PER_S, usFromSeconds } from '../base/clock.js'

export interface PacketReceipt {
  readonly seq: number
  readonly eventId: string | undefined
  /** When the schedule asked for it; absent in older recordings that also lack a session start. */
  readonly dueAtUs: InstantUs | undefined
  readonly sendStartAtUs: InstantUs
  /** Absent when the transport never reported that it had taken all bytes. */
  readonly sendDoneAtUs: InstantUs | undefined
}

export interface SendReceipts {
  /** Planned start of the session, where the recorder wrote it. */
  readonly startAtUs: InstantUs | undefined
  /** In order of sending. */
  readonly packets: readonly PacketReceipt[]
}

/** Beyond this, microseconds are no longer exact, and no monotonic clock gets there. */
const seconds = z
  .number()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER / US_PER_S)
const receiptsSchema = z.object({
  session_start_s: seconds.nullish(),
  appends: z.array(
    z.object({
      event_id: z.string().nullish(),
      seq: z.number().int().min(0),
      scheduled_s: seconds.nullish(),
      start_s: seconds,
      completed_s: seconds.nullish(),
    }),
  ),
})

/** Reads `input-send-receipts.json` (docs/formats.md, "Send receipts"); the reason as text when it cannot be read. */
export function parseReceipts(text: string): SendReceipts | { readonly problem: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problem: 'is not valid JSON' }
  }
  const parsed = receiptsSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { problem: `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'is malformed'}` }
  }
  const us = (value: number | null | undefined) => (value == null ? undefined : usFromSeconds(value))
  return {
    startAtUs: us(parsed.data.session_start_s),
    packets: parsed.data.appends.map((append) => ({
      seq: append.seq,
      eventId: append.event_id ?? undefined,
      dueAtUs: us(append.scheduled_s),
      sendStartAtUs: usFromSeconds(append.start_s),
      sendDoneAtUs: us(append.completed_s),
    })),
  }
}
