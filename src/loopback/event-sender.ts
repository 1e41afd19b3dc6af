/** Numbers and serialises a session's server events, each exactly once. */
import { ERROR_MESSAGE_CHARS_MAX, type Refusal } from './refusal.js'

export class EventSender {
  readonly #sendText: (text: string) => void
  #sent = 0

  constructor(sendText: (text: string) => void) {
    this.#sendText = sendText
  }

  send(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#sendText(JSON.stringify({ type, event_id: `evt_${this.#sent++}`, ...fields }))
  }

  refuse(refusal: Refusal, clientEventId: string | null): void {
    this.#error(false, { ...refusal, eventId: clientEventId })
  }

  fatal(code: string, message: string): void {
    this.#error(true, { code, message, param: null, eventId: null })
  }

  #error(fatal: boolean, error: { code: string; message: string; param: string | null; eventId: string | null }): void {
    const { code, message, param, eventId } = error
    this.send('error', {
      sglang: { fatal },
      error: {
        type: fatal ? 'server_error' : 'invalid_request_error',
        code,
        message: message.slice(0, ERROR_MESSAGE_CHARS_MAX),
        event_id: eventId,
        param,
      },
    })
  }
}
