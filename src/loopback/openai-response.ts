/**
 * The events of one response in the OpenAI dialect, in order:
 *
 *   response.created · rate_limits.updated · output_item.added · conversation.item.added · content_part.added ·
 *   (text delta, audio delta)* · audio done · text done · content_part.done · output_item.done ·
 *   conversation.item.done · response.done
 *
 * The item comes with the first chunk: a response that ends before it has no output. A response in text has no audio
 * events. Source: docs/protocols.md, 5.4, 5.6.
 */
import type { EventSender } from './event-sender.js'
import type { OpenAiModality } from './openai-config.js'
import type { ItemDocument, OpenAiItems } from './openai-items.js'
import { encodePcm16 } from './pcm16.js'

export type OpenAiEnding =
  | { readonly status: 'completed' }
  | { readonly status: 'cancelled'; readonly reason: 'turn_detected' | 'client_cancelled' }
  | { readonly status: 'failed'; readonly code: string }

export interface OpenAiResponseParts {
  readonly id: string
  readonly modality: OpenAiModality
  readonly sampleRateHz: number
  readonly events: Pick<EventSender, 'send'>
  readonly items: OpenAiItems
  readonly newItemId: () => string
  /** Input audio so far, for the token counts. */
  readonly inputMs: number
}

/** Audio tokens as OpenAI counts them: one for 100 ms of the user's speech, one for 50 ms of the model's. */
const INPUT_TOKEN_MS = 100
const OUTPUT_TOKEN_MS = 50
/** No limit is enforced. */
const RATE_LIMITS = [{ name: 'tokens', limit: 40_000, remaining: 40_000, reset_seconds: 0 }]

export class OpenAiResponse {
  readonly #parts: OpenAiResponseParts
  #itemId: string | undefined
  #text = ''
  #samples = 0

  constructor(parts: OpenAiResponseParts) {
    this.#parts = parts
    const { id, events } = parts
    events.send('response.created', {
      response: {
        id,
        object: 'realtime.response',
        status: 'in_progress',
        status_details: null,
        output: [],
        usage: null,
      },
    })
    events.send('rate_limits.updated', { rate_limits: RATE_LIMITS })
  }

  get id(): string {
    return this.#parts.id
  }

  /** The next piece of the reply; either may be empty. */
  write(text: string, pcm: Int16Array): void {
    const { events, items, modality, sampleRateHz } = this.#parts
    this.#itemId ??= this.#addItem()
    const ids = this.#ids()
    if (text !== '') {
      this.#text += text
      events.send(`response.${this.#textKind()}.delta`, { ...ids, delta: text })
    }
    if (modality === 'text') return
    this.#samples += pcm.length
    items.setAudioMs(this.#itemId, (this.#samples * 1000) / sampleRateHz)
    if (pcm.length > 0) events.send('response.output_audio.delta', { ...ids, delta: encodePcm16(pcm) })
  }

  end(ending: OpenAiEnding): void {
    const { id, events } = this.#parts
    const output = this.#itemId === undefined ? [] : [this.#endItem(this.#itemId, ending)]
    events.send('response.done', {
      response: {
        id,
        object: 'realtime.response',
        status: ending.status,
        status_details: detailsOf(ending),
        output,
        usage: this.#usage(),
      },
    })
  }

  #addItem(): string {
    const { id, events, items, newItemId } = this.#parts
    const itemId = newItemId()
    const item = this.#document(itemId, 'in_progress', [])
    events.send('response.output_item.added', { response_id: id, output_index: 0, item })
    events.send('conversation.item.added', { previous_item_id: items.add(item), item })
    events.send('response.content_part.added', { ...this.#ids(itemId), part: this.#part() })
    return itemId
  }

  #endItem(itemId: string, ending: OpenAiEnding): ItemDocument {
    const { id, events, items, modality } = this.#parts
    const ids = this.#ids()
    if (modality === 'audio') events.send('response.output_audio.done', ids)
    events.send(`response.${this.#textKind()}.done`, { ...ids, [this.#textField()]: this.#text })
    events.send('response.content_part.done', { ...ids, part: this.#part() })
    const content = [{ type: `output_${modality}`, [this.#textField()]: this.#text }]
    const item = this.#document(itemId, ending.status === 'completed' ? 'completed' : 'incomplete', content)
    items.update(item)
    events.send('response.output_item.done', { response_id: id, output_index: 0, item })
    events.send('conversation.item.done', { previous_item_id: items.previousOf(itemId), item })
    return item
  }

  #document(id: string, status: string, content: readonly unknown[]): ItemDocument {
    return { id, object: 'realtime.item', type: 'message', status, role: 'assistant', content }
  }

  #ids(itemId = this.#itemId): Record<string, unknown> {
    return { response_id: this.#parts.id, item_id: itemId, output_index: 0, content_index: 0 }
  }

  #part(): Record<string, unknown> {
    return { type: this.#parts.modality, [this.#textField()]: this.#text }
  }

  #textKind(): 'output_audio_transcript' | 'output_text' {
    return this.#parts.modality === 'audio' ? 'output_audio_transcript' : 'output_text'
  }

  #textField(): 'transcript' | 'text' {
    return this.#parts.modality === 'audio' ? 'transcript' : 'text'
  }

  #usage(): Record<string, number> {
    const { inputMs, sampleRateHz } = this.#parts
    const inputTokens = Math.ceil(inputMs / INPUT_TOKEN_MS)
    const outputTokens = Math.ceil((this.#samples * 1000) / sampleRateHz / OUTPUT_TOKEN_MS)
    return { total_tokens: inputTokens + outputTokens, input_tokens: inputTokens, output_tokens: outputTokens }
  }
}

function detailsOf(ending: OpenAiEnding): Record<string, unknown> | null {
  switch (ending.status) {
    case 'completed':
      return null
    case 'cancelled':
      return { type: 'cancelled', reason: ending.reason }
    case 'failed':
      return { type: 'failed', error: { type: 'server_error', code: ending.code } }
    default:
      return ending satisfies never
  }
}
