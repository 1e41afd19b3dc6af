/**
 * One session of the OpenAI Realtime dialect (GA names) on the server's side. The server speaks first; nothing is
 * acknowledged; a reply is sent as fast as it is worked out; closing is silent.
 *
 *   response | user begins to speak          | user's turn ends       | response.create | response.cancel | reply is through
 *   none     | -                             | respond                | respond         | error           | -
 *   open     | cancelled/turn_detected, if   | respond after this one | error           | cancelled/      | completed; respond,
 *            | interrupt_response            |                        |                 | client_cancelled| if a turn waits
 *
 * A turn is answered only with `create_response`. Errors are answers, not ends: only the session's age, a server without
 * memory, and one whose listener is broken end it. Their close codes are not established; 1000 is used for all of them.
 * Left out: the wall clock (`expires_at`), `idle_timeout_ms`, function calls. Where transcription is asked for, it tells
 * how long the user spoke, and nothing after a manual turn, to which nobody listens.
 *
 * Source: docs/protocols.md, section 5.
 */
import type { Cancel } from '../base/clock.js'
import { US_PER_MS } from '../base/clock.js'
import { messageOf } from '../base/errors.js'
import { EventSender } from './event-sender.js'
import { turnHasteMs } from './load-behaviour.js'
import { type OpenAiClientEvent, readOpenAiEvent } from './openai-client-event.js'
import {
  defaultOpenAiConfig,
  mergeOpenAiConfig,
  type OpenAiConfig,
  type OpenAiServerDefaults,
} from './openai-config.js'
import { OpenAiConversation } from './openai-conversation.js'
import { type Problem, refusal, sendError } from './openai-error.js'
import { OpenAiInput } from './openai-input.js'
import { OpenAiItems } from './openai-items.js'
import { OpenAiSpeaker } from './openai-speaker.js'
import { decodePcm16 } from './pcm16.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { transcriptOf } from './transcript.js'

export interface OpenAiSessionOptions {
  /** Age at which the server ends the session. */
  readonly sessionMaxMs: number
}

export const OPENAI_SESSION_MAX_MS = 60 * 60 * 1000
const DEFAULT_MODEL = 'gpt-realtime'

export function createOpenAiSession(
  parts: LoopbackSessionParts,
  options: OpenAiSessionOptions = { sessionMaxMs: OPENAI_SESSION_MAX_MS },
): LoopbackSession {
  return new OpenAiSession(parts, options)
}

class OpenAiSession implements LoopbackSession {
  readonly #parts: LoopbackSessionParts
  readonly #sessionMaxMs: number
  readonly #defaults: OpenAiServerDefaults
  readonly #isModelFixed: boolean
  readonly #events: EventSender
  readonly #conversation: OpenAiConversation
  readonly #input: OpenAiInput
  readonly #speaker: OpenAiSpeaker
  #config: OpenAiConfig
  #isOver = false
  #itemsMade = 0
  /** Item of the turn in progress. */
  #turnItemId: string | undefined
  /** A turn has ended while a response was open, and is still to be answered. */
  #turnWaits = false
  #cancelExpiry: Cancel = () => {}

  constructor(parts: LoopbackSessionParts, { sessionMaxMs }: OpenAiSessionOptions) {
    const { id, profile, options, query, listeners, transport } = parts
    this.#parts = parts
    this.#sessionMaxMs = sessionMaxMs
    this.#defaults = {
      inputRateHz: profile.input.sample_rate_hz,
      outputRateHz: profile.output.sample_rate_hz,
      silenceMs: options.turnSilenceMs,
      prefixPaddingMs: options.turnPrefixPaddingMs,
    }
    const model = new URLSearchParams(query).get('model') ?? profile.model
    this.#isModelFixed = model !== undefined
    this.#config = defaultOpenAiConfig(model ?? DEFAULT_MODEL, this.#defaults)
    this.#events = new EventSender((text) => {
      if (!this.#isOver) transport.send(text)
    })
    this.#input = new OpenAiInput({
      sampleRateHz: profile.input.sample_rate_hz,
      listeners,
      hasteMs: () => turnHasteMs(parts),
      onTurnStarted: (audioStartMs) => this.#turnStarted(audioStartMs),
      onTurnEnded: (audioEndMs, speechMs) => this.#turnEnded(audioEndMs, speechMs),
      onCommitted: () => this.#commit(this.#newItemId(), 0),
      onCommitRefused: (problem, eventId) => sendError(this.#events, problem, eventId),
      onListenerFailed: (problem) => this.#fail('internal_error', `the listener failed: ${messageOf(problem)}`),
    })
    this.#input.detect(this.#config.audio.input.turn_detection)
    const shared = { events: this.#events, items: new OpenAiItems(), newItemId: () => this.#newItemId() }
    this.#conversation = new OpenAiConversation(shared)
    this.#speaker = new OpenAiSpeaker({
      ...shared,
      session: parts,
      newResponseId: (number) => `resp_${id}_${number}`,
      onDone: () => this.#answerWaitingTurn(),
    })
  }

  open(): void {
    const { id, accelerator, clock } = this.#parts
    if (!this.#parts.admit()) {
      const message = 'the server has no memory for another session'
      this.#endWith({ type: 'rate_limit_error', code: 'rate_limit_exceeded', message, param: null })
      return
    }
    accelerator.openSession(id)
    this.#cancelExpiry = clock.at(clock.nowUs() + Math.round(this.#sessionMaxMs * US_PER_MS), () => {
      const minutes = this.#sessionMaxMs / 60_000
      this.#endWith(refusal('session_expired', `the session has reached its maximum duration of ${minutes} minutes`))
    })
    this.#events.send('session.created', { session: this.#document() })
  }

  receive(text: string): void {
    if (this.#isOver) return
    const read = readOpenAiEvent(text)
    const problem = read.ok ? this.#handle(read.event, read.eventId) : read.problem
    if (problem !== undefined) sendError(this.#events, problem, read.eventId)
  }

  receiveBinary(): void {
    sendError(this.#events, refusal('invalid_value', 'binary frames are not part of this protocol'), null)
  }

  disconnected(): void {
    this.#end()
  }

  shutDown(): void {
    this.#closeSocket('server shutdown')
  }

  #handle(event: OpenAiClientEvent, eventId: string | null): Problem | undefined {
    switch (event.type) {
      case 'input_audio_buffer.append':
        return this.#append(event.audio)
      case 'session.update':
        return this.#update(event.session)
      case 'input_audio_buffer.commit':
        this.#input.commit(eventId)
        return undefined
      case 'input_audio_buffer.clear':
        this.#input.clear()
        this.#events.send('input_audio_buffer.cleared', {})
        return undefined
      case 'response.create':
        return this.#createResponse(event.response?.output_modalities)
      case 'response.cancel':
        return this.#speaker.cancelByClient(event.response_id)
      case 'conversation.item.create':
        return this.#conversation.create(event.item, event.previous_item_id ?? undefined)
      case 'conversation.item.truncate':
        return this.#conversation.truncate(event)
      case 'conversation.item.retrieve':
        return this.#conversation.retrieve(event.item_id)
      case 'conversation.item.delete':
        return this.#conversation.remove(event.item_id)
      default:
        return event satisfies never
    }
  }

  #append(audio: string): Problem | undefined {
    const pcm = decodePcm16(audio)
    if (pcm === undefined) return refusal('invalid_value', 'audio must be PCM16 in base64, and not empty', 'audio')
    this.#input.append(pcm)
    return undefined
  }

  #update(session: Readonly<Record<string, unknown>>): Problem | undefined {
    const merged = mergeOpenAiConfig(this.#config, session, {
      defaults: this.#defaults,
      isModelFixed: this.#isModelFixed,
      hasSpoken: this.#speaker.hasSpoken,
    })
    if (!merged.ok) return merged.problem
    this.#config = merged.config
    this.#events.send('session.updated', { session: this.#document() })
    this.#input.detect(this.#config.audio.input.turn_detection)
    return undefined
  }

  #createResponse(modalities: readonly ['audio' | 'text'] | undefined): Problem | undefined {
    if (this.#speaker.isOpen) {
      return refusal('conversation_already_has_active_response', 'there is an active response; wait until it is done')
    }
    this.#respond(modalities)
    return undefined
  }

  #turnStarted(audioStartMs: number): void {
    if (this.#isOver) return
    this.#turnItemId = this.#newItemId()
    this.#events.send('input_audio_buffer.speech_started', { audio_start_ms: audioStartMs, item_id: this.#turnItemId })
    if (this.#config.audio.input.turn_detection?.interrupt_response !== true) return
    this.#turnWaits = false
    this.#speaker.cancel('turn_detected')
  }

  #turnEnded(audioEndMs: number, speechMs: number): void {
    if (this.#isOver) return
    const itemId = this.#turnItemId ?? this.#newItemId()
    this.#turnItemId = undefined
    this.#events.send('input_audio_buffer.speech_stopped', { audio_end_ms: audioEndMs, item_id: itemId })
    this.#commit(itemId, speechMs)
    if (this.#config.audio.input.turn_detection?.create_response !== true) return
    this.#turnWaits = true
    this.#answerWaitingTurn()
  }

  #commit(itemId: string, speechMs: number): void {
    const isTranscribed = this.#config.audio.input.transcription !== null
    this.#conversation.commitTurn(itemId, isTranscribed ? transcriptOf(speechMs) : undefined)
  }

  #answerWaitingTurn(): void {
    if (!this.#turnWaits || this.#speaker.isOpen) return
    this.#turnWaits = false
    this.#respond()
  }

  #respond(modalities = this.#config.output_modalities): void {
    this.#speaker.speak({ modality: modalities[0], inputMs: this.#input.appendedMs })
  }

  #newItemId(): string {
    return `item_${this.#parts.id}_${this.#itemsMade++}`
  }

  #document(): Record<string, unknown> {
    return { id: this.#parts.id, object: 'realtime.session', ...this.#config }
  }

  #fail(code: string, message: string): void {
    this.#endWith({ type: 'server_error', code, message, param: null })
  }

  #endWith(problem: Problem): void {
    if (this.#isOver) return
    sendError(this.#events, problem, null)
    this.#closeSocket(problem.code)
  }

  #closeSocket(reason: string): void {
    if (this.#isOver) return
    this.#parts.transport.close(1000, reason)
    this.#end()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelExpiry()
    this.#speaker.stop()
    this.#parts.accelerator.closeSession(this.#parts.id)
    this.#parts.onEnd()
  }
}
