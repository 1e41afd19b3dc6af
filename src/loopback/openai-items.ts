/** The items of one conversation, in order, and how much audio each reply among them has. Pure. */
import { type Problem, refusal } from './openai-error.js'

/** An item as it stands on the wire. */
export interface ItemDocument {
  readonly id: string
  readonly object: 'realtime.item'
  readonly type: string
  readonly [field: string]: unknown
}

interface Entry {
  document: ItemDocument
  /** Audio of a reply that has been sent, or what a truncation has left of it; undefined where there is none. */
  audioMs: number | undefined
}

export class OpenAiItems {
  readonly #order: string[] = []
  readonly #entries = new Map<string, Entry>()

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  document(id: string): ItemDocument | undefined {
    return this.#entries.get(id)?.document
  }

  /** @param afterId item to put it behind; undefined for the end @returns the id of the item before it */
  add(document: ItemDocument, afterId?: string): string | null {
    const at = afterId === undefined ? this.#order.length : this.#order.indexOf(afterId) + 1
    this.#order.splice(at, 0, document.id)
    this.#entries.set(document.id, { document, audioMs: undefined })
    return this.previousOf(document.id)
  }

  previousOf(id: string): string | null {
    return this.#order[this.#order.indexOf(id) - 1] ?? null
  }

  lastId(): string | null {
    return this.#order.at(-1) ?? null
  }

  update(document: ItemDocument): void {
    const entry = this.#entries.get(document.id)
    if (entry !== undefined) entry.document = document
  }

  remove(id: string): boolean {
    const at = this.#order.indexOf(id)
    if (at >= 0) this.#order.splice(at, 1)
    return this.#entries.delete(id)
  }

  setAudioMs(id: string, audioMs: number): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.audioMs = audioMs
  }

  /** Cuts a reply's audio. @returns why it cannot be cut there; an item keeps what earlier cuts left of it */
  truncate(id: string, contentIndex: number, audioEndMs: number): Problem | undefined {
    const entry = this.#entries.get(id)
    if (entry === undefined) return refusal('invalid_value', `there is no item ${id}`, 'item_id')
    const { audioMs } = entry
    if (audioMs === undefined) return refusal('invalid_value', `item ${id} is no reply with audio`, 'item_id')
    if (contentIndex !== 0) return refusal('invalid_value', `item ${id} has no part ${contentIndex}`, 'content_index')
    if (audioEndMs > audioMs) {
      const message = `the audio of item ${id} is ${audioMs} ms long, shorter than ${audioEndMs} ms`
      return refusal('invalid_value', message, 'audio_end_ms')
    }
    entry.audioMs = audioEndMs
    return undefined
  }
}
