/**
 * Reads what a client sent: any text in, a client event of a known shape or a refusal out. Unknown fields are refused, so
 * that a client with a misspelt field hears of it. Pure; never throws.
 */

import { z } from 'zod'
import { isObject } from '../base/json.js'
import { type Refusal, refuse } from './refusal.js'

export const EVENT_ID_CHARS_MAX = 256

const eventId = z.string().min(1).max(EVENT_ID_CHARS_MAX)
const bare = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type), event_id: eventId })

const imageAppendSchema = bare('sglang.input_image.append').extend({
  image: z.string(),
  sglang: z.strictObject({ t_ms: z.number().min(0) }),
})
const truncateSchema = bare('conversation.item.truncate').extend({
  item_id: z.string().min(1),
  content_index: z.number().int().min(0),
  audio_end_ms: z.number().min(0),
})
const sessionUpdateSchema = bare('session.update').extend({ session: z.record(z.string(), z.unknown()) })

export interface AppendEvent {
  readonly type: 'input_audio_buffer.append'
  readonly event_id: string
  readonly audio: string
  readonly sglang: { readonly seq: number; readonly t_start_ms?: number }
}

const BARE_TYPES = [
  'input_audio_buffer.clear',
  'sglang.input_audio.end',
  'session.close',
  'input_audio_buffer.commit',
] as const

export type ClientEvent =
  | AppendEvent
  | z.infer<typeof sessionUpdateSchema>
  | z.infer<typeof imageAppendSchema>
  | z.infer<typeof truncateSchema>
  | { readonly type: (typeof BARE_TYPES)[number]; readonly event_id: string }
  // These carry fields that do not matter here: whatever they are, the answer is the same.
  | { readonly type: 'response.create' | 'response.cancel'; readonly event_id: string }

export type ReadResult =
  | { readonly ok: true; readonly event: ClientEvent }
  | { readonly ok: false; readonly eventId: string | null; readonly refusal: Refusal }

const SCHEMAS: Readonly<Record<string, z.ZodType<ClientEvent>>> = {
  'session.update': sessionUpdateSchema,
  'sglang.input_image.append': imageAppendSchema,
  'conversation.item.truncate': truncateSchema,
  'response.create': z.looseObject({ type: z.literal('response.create'), event_id: eventId }),
  'response.cancel': bare('response.cancel').extend({ response_id: z.string().optional() }),
  ...Object.fromEntries(BARE_TYPES.map((type) => [type, bare(type)])),
}

export function readClientEvent(text: string): ReadResult {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, eventId: null, refusal: refuse('invalid_request', 'the frame is not valid JSON') }
  }
  if (!isObject(value)) {
    return { ok: false, eventId: null, refusal: refuse('invalid_request', 'the frame is not a JSON object') }
  }
  const id = value.event_id
  const isId = typeof id === 'string' && id.length >= 1 && id.length <= EVENT_ID_CHARS_MAX
  const bad = (refusal: Refusal): ReadResult => ({ ok: false, eventId: isId ? id : null, refusal })
  if (!isId) return bad(refuse('invalid_request', 'event_id must be a string of 1 to 256 characters', 'event_id'))
  const { type } = value
  if (typeof type !== 'string') return bad(refuse('invalid_request', 'type must be a string', 'type'))
  // Nearly all events are appends: they are checked by hand, which costs a fraction of a schema.
  if (type === 'input_audio_buffer.append') {
    const refusal = problemOfAppend(value)
    return refusal === undefined ? { ok: true, event: value as unknown as AppendEvent } : bad(refusal)
  }
  const schema = Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type] : undefined
  if (schema === undefined) return bad(refuse('not_supported', `unknown event type ${type}`, 'type'))
  const parsed = schema.safeParse(value)
  return parsed.success ? { ok: true, event: parsed.data } : bad(refusalOf(parsed.error))
}

/** The first problem that a schema found, as a refusal. */
export function refusalOf(error: z.ZodError, prefix = ''): Refusal {
  const issue = error.issues[0]
  const path = [...(prefix === '' ? [] : [prefix]), ...(issue?.path ?? []).map(String)].join('.')
  return refuse('invalid_request', issue?.message ?? 'not a valid event', path === '' ? null : path)
}

function problemOfAppend(value: Record<string, unknown>): Refusal | undefined {
  for (const key in value) {
    if (key !== 'type' && key !== 'event_id' && key !== 'audio' && key !== 'sglang') {
      return refuse('invalid_request', `unknown field ${key}`, key)
    }
  }
  if (typeof value.audio !== 'string') return refuse('invalid_request', 'audio must be a string', 'audio')
  const { sglang } = value
  if (!isObject(sglang)) return refuse('invalid_request', 'sglang must be an object', 'sglang')
  for (const key in sglang) {
    if (key !== 'seq' && key !== 't_start_ms') return refuse('invalid_request', `unknown field ${key}`, `sglang.${key}`)
  }
  if (!Number.isInteger(sglang.seq) || (sglang.seq as number) < 0) {
    return refuse('invalid_request', 'sglang.seq must be a whole number', 'sglang.seq')
  }
  if (sglang.t_start_ms !== undefined && typeof sglang.t_start_ms !== 'number') {
    return refuse('invalid_request', 'sglang.t_start_ms must be a number', 'sglang.t_start_ms')
  }
  return undefined
}
