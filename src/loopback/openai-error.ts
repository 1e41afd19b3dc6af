/**
 * Error events of the OpenAI dialect and of those that follow it. They carry no fatal flag: an error ends the session only
 * where the socket ends after it. Pure.
 */
import type { z } from 'zod'
import type { EventSender } from './event-sender.js'

export type ProblemType = 'invalid_request_error' | 'server_error' | 'rate_limit_error'

/** Why something was refused, or what went wrong. */
export interface Problem {
  readonly type: ProblemType
  readonly code: string
  readonly message: string
  /** Path of the field blamed. */
  readonly param: string | null
  /** Whether trying again later may help; absent where the dialect does not say. */
  readonly retryable?: boolean
}

/** A request that is refused; the session goes on. */
export function refusal(code: string, message: string, param: string | null = null): Problem {
  return { type: 'invalid_request_error', code, message, param }
}

/** @param clientEventId id of the event blamed, where it has one */
export function sendError(events: Pick<EventSender, 'send'>, problem: Problem, clientEventId: string | null): void {
  events.send('error', { error: { ...problem, event_id: clientEventId } })
}

/** The first problem that a schema found. @param prefix path of the value that was checked */
export function problemOfSchema(error: z.ZodError, prefix: string): Problem {
  const [issue] = error.issues
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...(prefix === '' ? [] : [prefix]), ...(issue?.path ?? []).map(String), ...unknownKey].join('.')
  const code = unknownKey.length > 0 ? 'unknown_parameter' : 'invalid_value'
  return refusal(code, `${path}: ${issue?.message ?? 'not valid'}`, path === '' ? null : path)
}
