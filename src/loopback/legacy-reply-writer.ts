/**
 * Replies in the words of the legacy half-duplex protocol: text and audio interleaved, the text in part 0 of the item and
 * the audio in part 1.
 *
 *   response.created · (text delta · audio delta)… · audio done · text done · response.done
 *   cut by the user: output_audio_buffer.cleared · conversation.item.truncated · response.done cancelled/turn_detected
 *
 * Source: docs/protocols.md, 4.1, 4.2
 */
import { type Reply, textSaid } from './conversation.js'
import type { EventSender } from './event-sender.js'
import { encodePcm16 } from './pcm16.js'
import type { ReplyOutput } from './reply-turns.js'
import type { ResponseEnd } from './response-writer.js'

const TEXT_INDEX = 0
const AUDIO_INDEX = 1

interface OpenReply {
  readonly id: string
  readonly itemId: string
  readonly hasAudio: boolean
  text: string
  isAudioSent: boolean
}

export class LegacyReplyWriter implements ReplyOutput {
  readonly #events: EventSender
  #open: OpenReply | undefined
  #replies = 0
  #hasAudio = false

  constructor(events: EventSender) {
    this.#events = events
  }

  /** Takes effect with the next reply. */
  set modalities(modalities: readonly string[]) {
    this.#hasAudio = modalities.includes('audio')
  }

  begin(): void {
    const number = this.#replies++
    const names = { id: `resp_${number}`, itemId: `item_r${number}` }
    this.#open = { ...names, hasAudio: this.#hasAudio, text: '', isAudioSent: false }
    this.#events.send('response.created', {
      response: { id: names.id, object: 'realtime.response', status: 'in_progress', output: [] },
    })
  }

  audio(pcm: Int16Array, reply: Reply, endSamples: number): void {
    const open = this.#open
    if (open === undefined) return
    const text = reply.text.slice(open.text.length, textSaid(reply, endSamples))
    if (text !== '') {
      open.text += text
      this.#events.send('response.text.delta', { ...part(open, TEXT_INDEX), delta: text })
    }
    if (!open.hasAudio) return
    open.isAudioSent = true
    this.#events.send('response.audio.delta', { ...part(open, AUDIO_INDEX), delta: encodePcm16(pcm) })
  }

  said(): void {
    const open = this.#open
    if (open === undefined) return
    if (open.isAudioSent) this.#events.send('response.audio.done', part(open, AUDIO_INDEX))
    this.#events.send('response.text.done', { ...part(open, TEXT_INDEX), text: open.text })
  }

  completed(): void {
    this.end({ status: 'completed', reason: 'stop' })
  }

  interrupted(playedMs: number): void {
    const open = this.#open
    if (open === undefined) return
    if (open.isAudioSent) {
      this.#events.send('output_audio_buffer.cleared', { response_id: open.id, item_id: open.itemId })
      this.#events.send('conversation.item.truncated', {
        item_id: open.itemId,
        content_index: AUDIO_INDEX,
        audio_end_ms: Math.floor(playedMs),
      })
    }
    this.end({ status: 'cancelled', reason: 'turn_detected' })
  }

  /** This model hears no words to miss, and answers every turn. */
  emptyTurn(): void {}

  /** Ends the reply in progress, if there is one. */
  end({ status, reason }: ResponseEnd): void {
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    const content = [
      { type: 'text', text: open.text },
      ...(open.hasAudio ? [{ type: 'audio', transcript: open.text }] : []),
    ]
    this.#events.send('response.done', {
      response: {
        id: open.id,
        object: 'realtime.response',
        status,
        status_details: { reason },
        output: [{ id: open.itemId, object: 'realtime.item', type: 'message', role: 'assistant', content }],
        usage: {},
      },
    })
  }
}

function part({ id, itemId }: OpenReply, contentIndex: number): Record<string, unknown> {
  return { response_id: id, item_id: itemId, output_index: 0, content_index: contentIndex }
}
