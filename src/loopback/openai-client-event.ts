/**
 * Reads what a client of the OpenAI dialect sent: any text in, an event of a known shape or a problem out. `event_id` is
 * optional. Unknown fields are refused, so that a client with a misspelt field hears of it. Pure; never throws.
 * Source: docs/protocols.md, 5.3.
 */
import { z } from 'zod'
import { type Problem, problemOfSchema, refusal } from './openai-error.js'

/** Characters of base64 that hold 15 MiB. */
const AUDIO_CHARS_MAX = (15 * 1024 * 1024 * 4) / 3

const eventId = z.string().min(1).optional()
const bare = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type), event_id: eventId })
const about = <Type extends string>(type: Type) => bare(type).extend({ item_id: z.string().min(1) })

const sessionUpdate = bare('session.update').extend({ session: z.record(z.string(), z.unknown()) })
const commit = bare('input_audio_buffer.commit')
const clear = bare('input_audio_buffer.clear')
const truncate = about('conversation.item.truncate').extend({
  content_index: z.number().int().min(0),
  audio_end_ms: z.number().min(0),
})
const itemCreate = bare('conversation.item.create').extend({
  previous_item_id: z.string().nullish(),
  item: z.looseObject({ id: z.string().min(1).optional(), type: z.string().min(1) }),
})
const itemRetrieve = about('conversation.item.retrieve')
const itemDelete = about('conversation.item.delete')
// The response's other wishes make no difference to recorded speech and are not looked at.
const responseCreate = bare('response.create').extend({
  response: z.looseObject({ output_modalities: z.tuple([z.enum(['audio', 'text'])]).optional() }).optional(),
})
const responseCancel = bare('response.cancel').extend({ response_id: z.string().min(1).optional() })

export type OpenAiClientEvent =
  | { readonly type: 'input_audio_buffer.append'; readonly audio: string }
  | z.infer<typeof sessionUpdate>
  | z.infer<typeof commit>
  | z.infer<typeof clear>
  | z.infer<typeof truncate>
  | z.infer<typeof itemCreate>
  | z.infer<typeof itemRetrieve>
  | z.infer<typeof itemDelete>
  | z.infer<typeof responseCreate>
  | z.infer<typeof responseCancel>

/** The event's id stands beside it: an error names the event it answers, also where the rest of it could not be read. */
export type OpenAiReadResult =
  | { readonly ok: true; readonly eventId: string | null; readonly event: OpenAiClientEvent }
  | { readonly ok: false; readonly eventId: string | null; readonly problem: Problem }

const SCHEMAS: Readonly<Record<string, z.ZodType<OpenAiClientEvent>>> = {
  'session.update': sessionUpdate,
  'input_audio_buffer.commit': commit,
  'input_audio_buffer.clear': clear,
  'conversation.item.create': itemCreate,
  'conversation.item.retrieve': itemRetrieve,
  'conversation.item.truncate': truncate,
  'conversation.item.delete': itemDelete,
  'response.create': responseCreate,
  'response.cancel': responseCancel,
}

export function readOpenAiEvent(text: string): OpenAiReadResult {
  const read = readJsonObject(text)
  if (!read.ok) return { ok: false, eventId: null, problem: read.problem }
  const { value } = read
  const id = value.event_id
  const eventId = typeof id === 'string' && id !== '' ? id : null
  const bad = (problem: Problem): OpenAiReadResult => ({ ok: false, eventId, problem })
  if (id !== undefined && eventId === null) {
    return bad(refusal('invalid_value', 'event_id must be a non-empty string where it is sent', 'event_id'))
  }
  const { type } = value
  if (typeof type !== 'string') return bad(refusal('invalid_value', 'type must be a string', 'type'))
  // Nearly all events are appends: they are checked by hand, which costs a fraction of a schema.
  if (type === 'input_audio_buffer.append') {
    const problem = problemOfAppend(value)
    return problem === undefined ? { ok: true, eventId, event: { type, audio: value.audio as string } } : bad(problem)
  }
  const schema = Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type] : undefined
  if (schema === undefined) return bad(refusal('invalid_value', `unknown event type ${type}`, 'type'))
  const parsed = schema.safeParse(value)
  return parsed.success ? { ok: true, eventId, event: parsed.data } : bad(problemOfSchema(parsed.error, ''))
}

/** A frame's text as a JSON object, or why it is none. */
export function readJsonObject(
  text: string,
): { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly problem: Problem } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: refusal('invalid_json', 'the frame is not valid JSON') }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problem: refusal('invalid_json', 'the frame is not a JSON object') }
  }
  return { ok: true, value: value as Record<string, unknown> }
}

function problemOfAppend(value: Readonly<Record<string, unknown>>): Problem | undefined {
  for (const key in value) {
    if (key !== 'type' && key !== 'event_id' && key !== 'audio') {
      return refusal('unknown_parameter', `unknown field ${key}`, key)
    }
  }
  if (typeof value.audio !== 'string') return refusal('invalid_value', 'audio must be a string', 'audio')
  if (value.audio.length > AUDIO_CHARS_MAX) return refusal('invalid_value', 'audio is longer than 15 MiB', 'audio')
  return undefined
}
