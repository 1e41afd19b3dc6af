/**
 * Reads what a client of the vLLM duplex dialect sent: any text in, an event of a known shape or a problem out. Versions of
 * this dialect differ more than those of others, so unknown fields are let pass. Pure; never throws.
 * Source: docs/protocols.md, 6.3.
 */
import { z } from 'zod'
import { readJsonObject } from './openai-client-event.js'
import { type Problem, problemOfSchema, refusal } from './openai-error.js'

const loose = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), event_id: z.string().min(1).optional(), ...shape })
const bare = <Type extends string>(type: Type) => loose(type, {})

const ms = z.number().min(0)
const name = z.string().min(1)

const eventSchema = z.discriminatedUnion('type', [
  loose('session.update', { session: z.record(z.string(), z.unknown()) }),
  loose('input_audio_buffer.append', {
    audio: z.string(),
    format: z.string().optional(),
    sample_rate_hz: z.number().optional(),
    duration_ms: z.number().optional(),
    audio_end_ms: z.number().optional(),
  }),
  loose('input_audio_buffer.commit', { response_create: z.boolean().optional() }),
  bare('input_audio_buffer.clear'),
  bare('output_audio_buffer.clear'),
  bare('response.create'),
  loose('response.cancel', { response_id: name.optional() }),
  loose('conversation.item.truncate', { item_id: name, content_index: z.number().int().min(0), audio_end_ms: ms }),
  loose('playback.ack', {
    played_ms: ms,
    response_id: name.optional(),
    item_id: name.optional(),
    committed_ms: ms.optional(),
  }),
  bare('session.heartbeat'),
  loose('session.event_ack', { server_event_seq: z.number().int().min(0) }),
  bare('session.resume'),
  bare('session.close'),
])

export type VllmClientEvent = z.infer<typeof eventSchema>
/** Events about the session as a whole, as against what goes on in it once it is open. */
export type VllmSessionEvent = Extract<
  VllmClientEvent,
  { type: 'session.update' | 'session.resume' | 'session.heartbeat' | 'session.close' }
>
export type VllmExchangeEvent = Exclude<VllmClientEvent, VllmSessionEvent>
export type VllmAppend = Extract<VllmClientEvent, { type: 'input_audio_buffer.append' }>
export type VllmPlaybackAck = Extract<VllmClientEvent, { type: 'playback.ack' }>

const KNOWN_TYPES: ReadonlySet<string> = new Set(eventSchema.options.map((option) => option.shape.type.value))

export type VllmReadResult =
  | { readonly ok: true; readonly eventId: string | null; readonly event: VllmClientEvent }
  | { readonly ok: false; readonly eventId: string | null; readonly problem: Problem }

export function readVllmEvent(text: string): VllmReadResult {
  const read = readJsonObject(text)
  if (!read.ok) return { ok: false, eventId: null, problem: read.problem }
  const { value } = read
  const eventId = typeof value.event_id === 'string' && value.event_id !== '' ? value.event_id : null
  if (typeof value.type !== 'string' || !KNOWN_TYPES.has(value.type)) {
    const problem = refusal('unknown_event', `unknown event type ${JSON.stringify(value.type) ?? 'none'}`, 'type')
    return { ok: false, eventId, problem }
  }
  const parsed = eventSchema.safeParse(value)
  return parsed.success
    ? { ok: true, eventId, event: parsed.data }
    : { ok: false, eventId, problem: problemOfSchema(parsed.error, '') }
}
