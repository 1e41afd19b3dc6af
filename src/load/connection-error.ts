/** What became of a connection, in words for a person. */
import { messageOf } from '../base/errors.js'

export const TIMED_OUT = 'Opening handshake has timed out'
export const GIVEN_UP = 'WebSocket was closed before the connection was established'

export function connectionErrorText(error: Error): string {
  // A refused connection to a name with several addresses arrives as an AggregateError without a message.
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined
  const code = (error as NodeJS.ErrnoException).code
  const text = messageOf(inner ?? error)
  return code !== undefined && !text.includes(code) ? `${code}: ${text}` : text
}
