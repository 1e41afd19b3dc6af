/**
 * The client's side of an OpenAI Realtime session. There is no end-of-input command and no farewell: the session is over
 * when every started response is done and the server has been quiet for a while; then the client closes.
 *
 * | state \ input    | created  | updated  | speech_started     | input_sent              | quiet               | error               |
 * |------------------|----------|----------|--------------------|-------------------------|---------------------|---------------------|
 * | awaiting created | update → | -        | -                  | -                       | -                   | of the update, or expiry: → parting |
 * | awaiting updated | -        | stream → | -                  | -                       | -                   | as above            |
 * | streaming        | -        | -        | cut, truncate      | [commit, create,] wait → | -                  | as above            |
 * | settling         | -        | -        | cut, truncate      | -                       | all done: → parting | as above            |
 * | parting          | -        | -        | -                  | -                       | -                   | -                   |
 *
 * In every state but `parting` a gone socket ends the session as disconnected, and `leave` closes it. Any event while
 * settling begins the quiet time again. Other errors are recoverable by the protocol's own account: the session goes on and
 * its verdict names them.
 */
import type { DurationUs, InstantUs } from '../../base/clock.js'
import { isObject, type WireEvent } from '../../capture/trace-record.js'
import { ClientScript, type Effects, PARTING } from '../client-script.js'
import { pcm16ByteLength } from '../pcm.js'
import { COMPLETED, type EndCause, type ScriptEffect, wordOf } from '../script.js'
import { commit, createResponse, sessionUpdate, truncate } from './client-events.js'
import { canonicalEventType } from './event-names.js'
import { Playout } from './playout.js'

type State = 'awaiting session.created' | 'awaiting session.updated' | 'streaming' | 'awaiting the last replies'

const QUIET = 'quiet'
const UPDATE_ID = 'c_update'
/** What a connection reports that ended without a closing handshake (RFC 6455, section 7.1.5). */
const ABNORMAL_CLOSE = 1006

export interface OpenAiScriptOptions {
  readonly session: Readonly<Record<string, unknown>>
  readonly outputRateHz: number
  /** Time without an event after which nothing more is expected. */
  readonly quietUs: DurationUs
}

export class OpenAiRealtimeScript extends ClientScript<State> {
  readonly #options: OpenAiScriptOptions
  readonly #playout = new Playout()
  readonly #openResponses = new Set<string>()
  /** Responses whose playing was cut: what still arrives of them is dropped. */
  readonly #cutResponses = new Set<string>()
  #truncations = 0
  #lastError: EndCause | undefined

  constructor(options: OpenAiScriptOptions) {
    super('awaiting session.created')
    this.#options = options
  }

  protected override onInputSent(): Effects {
    if (this.state !== 'streaming') return []
    this.state = 'awaiting the last replies'
    return [...this.#manualTurn(), this.#quiet()]
  }

  protected override onEvent(event: WireEvent, atUs: InstantUs): Effects {
    const effects = this.#react(event, atUs)
    return this.state === 'awaiting the last replies' ? [...effects, this.#quiet()] : effects
  }

  #react(event: WireEvent, atUs: InstantUs): Effects {
    switch (typeof event.type === 'string' ? canonicalEventType(event.type) : '') {
      case 'session.created':
        if (this.state !== 'awaiting session.created') return []
        this.state = 'awaiting session.updated'
        return [{ kind: 'send', event: sessionUpdate(this.#options.session, UPDATE_ID) }]
      case 'session.updated':
        if (this.state !== 'awaiting session.updated') return []
        return this.admit('streaming')
      case 'response.created':
        if (isObject(event.response) && typeof event.response.id === 'string')
          this.#openResponses.add(event.response.id)
        return []
      case 'response.done':
        if (isObject(event.response)) this.#openResponses.delete(wordOf(event.response.id, ''))
        return []
      case 'response.output_audio.delta':
        this.#onAudio(event, atUs)
        return []
      case 'input_audio_buffer.speech_started':
        return this.#onSpeechStarted(atUs)
      case 'error':
        return this.#onError(event)
      default:
        return []
    }
  }

  #onAudio(event: WireEvent, atUs: InstantUs): void {
    const length = pcm16ByteLength(event.delta)
    if (!length.ok || typeof event.item_id !== 'string' || this.#cutResponses.has(wordOf(event.response_id, ''))) return
    this.#playout.add({
      itemId: event.item_id,
      contentIndex: typeof event.content_index === 'number' ? event.content_index : 0,
      atUs,
      durationUs: Math.round((length.byteLength / 2) * (1e6 / this.#options.outputRateHz)),
    })
  }

  /** Over a WebSocket the client does the cutting, and says how much was heard. */
  #onSpeechStarted(atUs: InstantUs): Effects {
    if (!this.#isInterruptible || (this.state !== 'streaming' && this.state !== 'awaiting the last replies')) return []
    for (const id of this.#openResponses) this.#cutResponses.add(id)
    const heard = this.#playout.cut(atUs)
    if (heard === undefined) return []
    this.#truncations += 1
    const { itemId, contentIndex, playedMs } = heard
    return [
      {
        kind: 'send',
        event: truncate({ number: this.#truncations, itemId, contentIndex, audioEndMs: playedMs }),
      },
    ]
  }

  #onError(event: WireEvent): Effects {
    const error = isObject(event.error) ? event.error : {}
    this.#lastError = this.causeOfError(event)
    const isOfUpdate = error.event_id === UPDATE_ID || !this.isAdmitted
    return isOfUpdate || error.code === 'session_expired' ? this.part(this.#lastError) : []
  }

  protected override onWaited(): Effects {
    if (this.state !== 'awaiting the last replies') return []
    // A reply that is still open can be long in coming; the session's own deadline bounds it.
    return this.#openResponses.size > 0 ? [this.#quiet()] : this.part(COMPLETED)
  }

  /** Without turn detection the client says when the turn is over and asks for the reply. */
  #manualTurn(): Effects {
    if (this.#turnDetection !== null) return []
    return [
      { kind: 'send', event: commit() },
      { kind: 'send', event: createResponse() },
    ]
  }

  #quiet(): ScriptEffect {
    return { kind: 'wait', name: QUIET, durationUs: this.#options.quietUs }
  }

  get #turnDetection(): unknown {
    const { audio, turn_detection: beta } = this.#options.session
    const input = isObject(audio) ? audio.input : undefined
    const detection = isObject(input) ? input.turn_detection : undefined
    return detection === undefined ? beta : detection
  }

  get #isInterruptible(): boolean {
    const detection = this.#turnDetection
    return !(isObject(detection) && detection.interrupt_response === false)
  }

  protected override leave(cause: EndCause): Effects {
    return this.part(cause)
  }

  protected override causeOfClose(code: number, reason: string): EndCause {
    const cause = super.causeOfClose(code, reason)
    const after = this.#lastError === undefined ? '' : ` after ${this.#lastError.message}`
    if (this.state !== PARTING) {
      return { ...cause, kind: this.#lastError?.kind ?? cause.kind, message: cause.message + after }
    }
    // Nothing else shows that the server was alive to the end: there is no farewell event.
    if (this.cause === COMPLETED && code === ABNORMAL_CLOSE) {
      return { kind: 'disconnected', message: `the server did not answer the close${after}`, isClientError: true }
    }
    return cause
  }
}
