/** A client event that is refused without ending the session: the non-fatal errors of docs/protocols.md */

export type RefusalCode =
  | 'invalid_request'
  | 'not_supported'
  | 'not_applicable'
  | 'invalid_state'
  | 'buffer_overflow'
  | 'admission_rejected'
  | 'item_not_found'

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  /** Path of the field blamed. */
  readonly param: string | null
}

export function refuse(code: RefusalCode, message: string, param: string | null = null): Refusal {
  return { code, message, param }
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'param' in value
}

/** Codes that end the session, with the WebSocket close code that follows each. Any other code is a server error. */
export function closeCodeOf(fatalCode: string): number {
  const isLimit =
    fatalCode === 'session_update_timeout' || fatalCode === 'idle_timeout' || fatalCode === 'context_exhausted'
  return isLimit ? 1008 : 1011
}

/** `error.message` is at most this long. */
export const ERROR_MESSAGE_CHARS_MAX = 512
