/**
 * The output side of a session in the vLLM duplex dialect: replies as events, their epoch, and the playback account.
 *
 *   response.created · conversation.item.added, .created · output_item.added · content_part.added · response.speak ·
 *   (audio delta, transcript delta)* · audio done · transcript done · content_part.done · output_item.done ·
 *   conversation.item.done · response.done · rate_limits.updated
 *
 * The playback account is that of the latest reply: what it counts exactly is not established.
 * Source: docs/protocols.md, 6.4.
 */
import { type ItemDocument, OpenAiItems } from './openai-items.js'
import { encodePcm16 } from './pcm16.js'
import type { VllmJournal } from './vllm-journal.js'

export type VllmCancelReason = 'barge_in' | 'client_cancelled' | 'new_response' | 'output_audio_buffer_clear'

export type VllmEnding =
  | { readonly status: 'completed'; readonly reason: 'stop' }
  | { readonly status: 'cancelled'; readonly reason: VllmCancelReason }
  | { readonly status: 'failed'; readonly reason: string }

export interface VllmReplyWriterParts {
  readonly journal: VllmJournal
  /** As on the wire. */
  readonly sessionId: string
  readonly sampleRateHz: number
  readonly newResponseId: (number: number) => string
  /** All that was sent counts as heard when a reply is done. */
  readonly commitsOnDone: () => boolean
}

interface OpenReply {
  readonly id: string
  readonly itemId: string
  samples: number
  text: string
}

export class VllmReplyWriter {
  readonly #parts: VllmReplyWriterParts
  readonly #items = new OpenAiItems()
  #open: OpenReply | undefined
  #responses = 0
  #epoch = 0
  #playback = { generated_ms: 0, sent_ms: 0, played_ms: 0, committed_ms: 0 }

  constructor(parts: VllmReplyWriterParts) {
    this.#parts = parts
  }

  /** Id of the open reply. */
  get openId(): string | undefined {
    return this.#open?.id
  }

  /** Grows with every cancelled reply. */
  get epoch(): number {
    return this.#epoch
  }

  get items(): OpenAiItems {
    return this.#items
  }

  get playback(): Readonly<Record<string, number>> {
    return { ...this.#playback }
  }

  start(): void {
    const { journal, newResponseId } = this.#parts
    const id = newResponseId(this.#responses++)
    const reply: OpenReply = { id, itemId: `item_${id}`, samples: 0, text: '' }
    this.#open = reply
    this.#playback = { generated_ms: 0, sent_ms: 0, played_ms: 0, committed_ms: 0 }
    const created = { status: 'in_progress', status_details: null, output: [], modalities: ['audio', 'text'] }
    journal.record('response.created', {
      response_id: id,
      response: { id, object: 'realtime.response', ...created, metadata: {} },
    })
    const item = documentOf(reply, 'in_progress')
    const place = { previous_item_id: this.#items.add(item), item }
    journal.record('conversation.item.added', place)
    journal.record('conversation.item.created', place)
    journal.record('response.output_item.added', { response_id: id, output_index: 0, item })
    journal.record('response.content_part.added', { ...idsOf(reply), part: { type: 'audio', transcript: '' } })
    journal.record('response.speak', { ...idsOf(reply), metadata: this.#metadata() })
  }

  /** The audio and the words of one unit; nothing where there is no audio. */
  write({ audio, text, ends }: { readonly audio: Int16Array; readonly text: string; readonly ends: boolean }): void {
    const reply = this.#open
    if (reply === undefined || audio.length === 0) return
    const { journal, sampleRateHz } = this.#parts
    reply.samples += audio.length
    reply.text += text
    const audioMs = (reply.samples * 1000) / sampleRateHz
    this.#items.setAudioMs(reply.itemId, audioMs)
    this.#playback = { ...this.#playback, generated_ms: audioMs, sent_ms: audioMs }
    const metadata = { ...this.#metadata(), model_speak: true, end_of_turn: ends, audio_duration_ms: audioMs }
    journal.record('response.output_audio.delta', {
      ...idsOf(reply),
      delta: encodePcm16(audio),
      format: 'pcm16',
      sample_rate_hz: sampleRateHz,
      metadata: { ...metadata, playback: this.playback },
    })
    journal.record('response.output_audio_transcript.delta', { ...idsOf(reply), delta: text })
  }

  /** Ends the open reply, if there is one. A cancelled one begins a new epoch. */
  end(ending: VllmEnding): void {
    const reply = this.#open
    if (reply === undefined) return
    const { journal, commitsOnDone } = this.#parts
    this.#open = undefined
    if (ending.status === 'cancelled') this.#epoch += 1
    if (commitsOnDone()) this.#playback.committed_ms = this.#playback.sent_ms
    const item = documentOf(reply, ending.status === 'completed' ? 'completed' : 'incomplete')
    this.#items.update(item)
    journal.record('response.output_audio.done', idsOf(reply))
    journal.record('response.output_audio_transcript.done', { ...idsOf(reply), transcript: reply.text })
    journal.record('response.content_part.done', {
      ...idsOf(reply),
      part: { type: 'audio', transcript: reply.text },
    })
    journal.record('response.output_item.done', { response_id: reply.id, output_index: 0, item })
    journal.record('conversation.item.done', { previous_item_id: this.#items.previousOf(item.id), item })
    const details = { status: ending.status, status_details: { type: ending.status, reason: ending.reason } }
    journal.record('response.done', {
      response_id: reply.id,
      response: { id: reply.id, object: 'realtime.response', ...details, output: [item], metadata: {} },
    })
    journal.record('rate_limits.updated', { rate_limits: [] })
  }

  /** The client says what it has played. */
  acknowledge({ playedMs, committedMs }: { readonly playedMs: number; readonly committedMs: number }): void {
    this.#playback = { ...this.#playback, played_ms: playedMs, committed_ms: committedMs }
  }

  #metadata(): Record<string, unknown> {
    return { session_id: this.#parts.sessionId, epoch: this.#epoch }
  }
}

function idsOf({ id, itemId }: OpenReply): Record<string, unknown> {
  return { response_id: id, item_id: itemId, output_index: 0, content_index: 0 }
}

/** Empty while it is in progress. */
function documentOf({ itemId, text }: OpenReply, status: 'in_progress' | 'completed' | 'incomplete'): ItemDocument {
  const content = status === 'in_progress' ? [] : [{ type: 'audio', transcript: text }]
  return { id: itemId, object: 'realtime.item', type: 'message', role: 'assistant', status, content }
}
