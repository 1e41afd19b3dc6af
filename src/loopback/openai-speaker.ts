/**
 * Speaks a session's replies in the OpenAI dialect, one response at a time: each chunk is a job of the accelerator and
 * leaves as soon as it is done, which is faster than it plays.
 */
import { textSaid } from './conversation.js'
import type { EventSender } from './event-sender.js'
import { replyDelayMs } from './load-behaviour.js'
import type { OpenAiModality } from './openai-config.js'
import { type Problem, refusal } from './openai-error.js'
import type { OpenAiItems } from './openai-items.js'
import { type OpenAiEnding, OpenAiResponse } from './openai-response.js'
import { type LoopbackSessionParts, replyAt } from './session.js'
import { SpokenReply } from './spoken-reply.js'

export interface OpenAiSpeakerParts {
  readonly session: LoopbackSessionParts
  readonly events: Pick<EventSender, 'send'>
  readonly items: OpenAiItems
  readonly newResponseId: (number: number) => string
  readonly newItemId: () => string
  /** A response has ended, however it did; a next one may be spoken from inside. */
  readonly onDone: () => void
}

interface Speaking {
  readonly response: OpenAiResponse
  /** Undefined where there is nothing to say. */
  spoken: SpokenReply | undefined
}

export class OpenAiSpeaker {
  readonly #parts: OpenAiSpeakerParts
  #speaking: Speaking | undefined
  #responses = 0
  #hasSpoken = false

  constructor(parts: OpenAiSpeakerParts) {
    this.#parts = parts
  }

  get isOpen(): boolean {
    return this.#speaking !== undefined
  }

  /** Some audio was sent. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** Begins the next response; none may be open. One without a reply to give is empty and done at once. */
  speak({ modality, inputMs }: { readonly modality: OpenAiModality; readonly inputMs: number }): void {
    const { session, events, items, newItemId, newResponseId } = this.#parts
    const { clock, accelerator, id: sessionId, profile, options } = session
    const number = this.#responses++
    const sampleRateHz = profile.output.sample_rate_hz
    const id = newResponseId(number)
    const response = new OpenAiResponse({ id, modality, sampleRateHz, events, items, newItemId, inputMs })
    const speaking: Speaking = { response, spoken: undefined }
    this.#speaking = speaking
    const reply = replyAt(session, number)
    if (reply === undefined) {
      this.#end({ status: 'completed' })
      return
    }
    let saidSamples = 0
    speaking.spoken = new SpokenReply({
      ...{ clock, accelerator, sessionId, reply, sampleRateHz },
      chunkMs: options.replyChunkMs,
      maxLeadMs: undefined,
      delayMs: replyDelayMs(session),
      onChunk: (pcm, isLast) => {
        const text = reply.text.slice(textSaid(reply, saidSamples), textSaid(reply, saidSamples + pcm.length))
        saidSamples += pcm.length
        if (modality === 'audio' && pcm.length > 0) this.#hasSpoken = true
        response.write(text, pcm)
        if (isLast) this.#end({ status: 'completed' })
      },
      onFailed: (code) => this.#end({ status: 'failed', code }),
    })
    speaking.spoken.start()
  }

  /** Ends the open response, if there is one, with what has been sent of it. */
  cancel(reason: 'turn_detected' | 'client_cancelled'): void {
    this.stop()
    if (this.isOpen) this.#end({ status: 'cancelled', reason })
  }

  /** @param responseId the response meant; undefined for whichever is open */
  cancelByClient(responseId: string | undefined): Problem | undefined {
    const openId = this.#speaking?.response.id
    if (openId === undefined || (responseId !== undefined && responseId !== openId)) {
      return refusal('response_cancel_not_active', 'there is no such active response', 'response_id')
    }
    this.cancel('client_cancelled')
    return undefined
  }

  /** Says nothing any more, and tells nobody. */
  stop(): void {
    this.#speaking?.spoken?.cancel()
  }

  #end(ending: OpenAiEnding): void {
    const { response } = this.#speaking ?? {}
    this.#speaking = undefined
    response?.end(ending)
    this.#parts.onDone()
  }
}
