/** The client's side of a conversation in the OpenAI dialect: what the user said, and items made, read, cut and deleted. */
import type { EventSender } from './event-sender.js'
import { type Problem, refusal } from './openai-error.js'
import type { ItemDocument, OpenAiItems } from './openai-items.js'

export interface OpenAiConversationParts {
  readonly events: Pick<EventSender, 'send'>
  readonly items: OpenAiItems
  readonly newItemId: () => string
}

export interface Truncation {
  readonly item_id: string
  readonly content_index: number
  readonly audio_end_ms: number
}

export class OpenAiConversation {
  readonly #parts: OpenAiConversationParts

  constructor(parts: OpenAiConversationParts) {
    this.#parts = parts
  }

  /** What the user said becomes an item. @param transcript undefined where none was asked for */
  commitTurn(itemId: string, transcript: string | undefined): void {
    const { events, items } = this.#parts
    events.send('input_audio_buffer.committed', { item_id: itemId, previous_item_id: items.lastId() })
    const content = [{ type: 'input_audio', transcript: null }]
    this.#add({ id: itemId, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content })
    if (transcript === undefined) return
    const completed = 'conversation.item.input_audio_transcription.completed'
    events.send(completed, { item_id: itemId, content_index: 0, transcript })
  }

  /** @param afterId item to put it behind, or "root" for the beginning; undefined for the end */
  create(item: Readonly<Record<string, unknown>>, afterId: string | undefined): Problem | undefined {
    const { items, newItemId } = this.#parts
    const id = typeof item.id === 'string' ? item.id : newItemId()
    if (items.has(id)) return refusal('item_create_duplicate_item_id', `there is an item ${id} already`, 'item.id')
    if (afterId !== undefined && afterId !== 'root' && !items.has(afterId)) {
      return unknownItem(afterId, 'previous_item_id')
    }
    this.#add({ status: 'completed', ...item, id, object: 'realtime.item', type: String(item.type) }, afterId)
    return undefined
  }

  truncate({ item_id, content_index, audio_end_ms }: Truncation): Problem | undefined {
    const { events, items } = this.#parts
    const problem = items.truncate(item_id, content_index, audio_end_ms)
    if (problem === undefined) events.send('conversation.item.truncated', { item_id, content_index, audio_end_ms })
    return problem
  }

  retrieve(itemId: string): Problem | undefined {
    const { events, items } = this.#parts
    const item = items.document(itemId)
    if (item === undefined) return unknownItem(itemId)
    events.send('conversation.item.retrieved', { item })
    return undefined
  }

  remove(itemId: string): Problem | undefined {
    const { events, items } = this.#parts
    if (!items.remove(itemId)) return unknownItem(itemId)
    events.send('conversation.item.deleted', { item_id: itemId })
    return undefined
  }

  #add(item: ItemDocument, afterId?: string): void {
    const { events, items } = this.#parts
    const place = { previous_item_id: items.add(item, afterId), item }
    events.send('conversation.item.added', place)
    events.send('conversation.item.done', place)
  }
}

function unknownItem(itemId: string, param = 'item_id'): Problem {
  return refusal('invalid_value', `there is no item ${itemId}`, param)
}
