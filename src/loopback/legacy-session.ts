/**
 * One session of the legacy half-duplex protocol on the server's side: the user's turns in, replies out, and no receipts
 * of any kind. It ends when the client closes the socket.
 *
 *   state    | first update granted | client closes | fatal error, server goes down
 *   opening  | open                 | ended         | ended
 *   open     | (later updates)      | ended         | ended
 *
 * Source: docs/protocols.md, section 4
 */
import { messageOf } from '../base/errors.js'
import { type AppendEvent, type ClientEvent, readClientEvent } from './client-event.js'
import { EventSender } from './event-sender.js'
import { InputBuffer } from './input-buffer.js'
import { describeLegacySession, LEGACY_DEFAULTS, type LegacyConfig, readLegacyUpdate } from './legacy-document.js'
import { LegacyReplyWriter } from './legacy-reply-writer.js'
import { turnHasteMs } from './load-behaviour.js'
import { decodePcm16 } from './pcm16.js'
import { closeCodeOf, isRefusal, type Refusal, refuse } from './refusal.js'
import { ReplyTurns } from './reply-turns.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { SessionDeadlines } from './session-deadlines.js'
import { OUT_OF_MEMORY_MESSAGE } from './session-model.js'
import { UserTurns } from './user-turns.js'

export function createLegacySession(parts: LoopbackSessionParts): LoopbackSession {
  return new LegacySession(parts)
}

class LegacySession implements LoopbackSession {
  readonly #parts: LoopbackSessionParts
  readonly #events: EventSender
  readonly #input: InputBuffer
  readonly #deadlines: SessionDeadlines
  readonly #writer: LegacyReplyWriter
  readonly #user: UserTurns
  readonly #replies: ReplyTurns
  #phase: 'opening' | 'open' | 'ended' = 'opening'
  #config: LegacyConfig = LEGACY_DEFAULTS

  constructor(parts: LoopbackSessionParts) {
    const { options, clock, profile, listeners } = parts
    const sampleRateHz = profile.input.sample_rate_hz
    this.#parts = parts
    this.#events = new EventSender((text) => parts.transport.send(text))
    // For the packet numbers alone: there are no units, and what is accepted is heard at once.
    this.#input = new InputBuffer({ sampleRateHz, unitSamples: 1, maxQueuedBytes: options.maxInputBytes })
    this.#deadlines = new SessionDeadlines({
      clock,
      sessionUpdateTimeoutS: options.sessionUpdateTimeoutS,
      idleTimeoutS: options.idleTimeoutS,
      onMissed: (code) => this.#fail(code, 'the client sent nothing in time'),
    })
    this.#writer = new LegacyReplyWriter(this.#events)
    this.#replies = new ReplyTurns({
      parts,
      maxLeadMs: undefined,
      output: this.#writer,
      onQuiet: () => {},
      onFailed: (code) => this.#fail(code, OUT_OF_MEMORY_MESSAGE),
    })
    this.#user = new UserTurns({
      sampleRateHz,
      listener: listeners(sampleRateHz),
      events: this.#events,
      hasteMs: () => turnHasteMs(parts),
      announcesCommit: true,
      onStarted: () => {
        if (this.#config.turnDetection?.interruptsResponse === true) this.#replies.interrupt()
      },
      onTurn: () => this.#replies.answer({ isEmpty: false }),
      onListenerFailed: (problem) => this.#fail('internal', `the listener failed: ${messageOf(problem)}`),
    })
  }

  open(): void {
    this.#events.send('session.created', { session: this.#describe() })
  }

  receive(text: string): void {
    if (this.#phase === 'ended') return
    this.#deadlines.eventReceived()
    const read = readClientEvent(text)
    const refusal = read.ok ? this.#handle(read.event) : read.refusal
    if (refusal !== undefined) this.#events.refuse(refusal, read.ok ? read.event.event_id : read.eventId)
  }

  receiveBinary(): void {
    if (this.#phase === 'ended') return
    this.#deadlines.eventReceived()
    this.#events.refuse(refuse('invalid_request', 'binary frames are not part of this protocol'), null)
  }

  disconnected(): void {
    this.#end()
  }

  shutDown(): void {
    if (this.#phase === 'ended') return
    this.#parts.transport.close(1000, 'disconnect')
    this.#end()
  }

  #handle(event: ClientEvent): Refusal | undefined {
    switch (event.type) {
      case 'session.update':
        return this.#update(event.session)
      case 'input_audio_buffer.append':
        return this.#problemOfInput() ?? this.#append(event)
      case 'input_audio_buffer.commit':
        return this.#problemOfInput() ?? this.#commit()
      default:
        return refuse('not_supported', `${event.type} is not part of this protocol`, 'type')
    }
  }

  #update(session: Readonly<Record<string, unknown>>): Refusal | undefined {
    const { options, accelerator, id } = this.#parts
    if (this.#phase === 'opening') this.#deadlines.updateReceived()
    const defaults = { silenceMs: options.turnSilenceMs, prefixPaddingMs: options.turnPrefixPaddingMs }
    const config = readLegacyUpdate(session, this.#config, defaults)
    if (isRefusal(config)) return config
    if (this.#phase === 'opening') {
      if (!this.#parts.admit()) return refuse('admission_rejected', 'the model has no memory for another session')
      accelerator.openSession(id)
      this.#phase = 'open'
    }
    this.#config = config
    this.#writer.modalities = config.modalities
    this.#user.configure(config.turnDetection ?? null)
    // The answer proves that everything before it has been dealt with.
    const described = this.#describe()
    this.#user.whenHeard(() => this.#events.send('session.updated', { session: described }))
    return undefined
  }

  #append({ audio, sglang }: AppendEvent): Refusal | undefined {
    const pcm = decodePcm16(audio)
    if (pcm === undefined) return refuse('invalid_request', 'audio must be PCM16 in base64, and not empty', 'audio')
    const refusal = this.#input.append(pcm, { seq: sglang.seq, tStartMs: sglang.t_start_ms })
    if (refusal !== undefined) return refusal
    const taken = this.#input.cutTail()
    if (taken !== undefined) this.#input.consumed(taken)
    this.#user.hear(pcm)
    return undefined
  }

  #commit(): Refusal | undefined {
    if (this.#user.isDetecting) return refuse('not_applicable', 'the server ends the turns of this session', 'type')
    this.#user.commit()
    return undefined
  }

  #problemOfInput(): Refusal | undefined {
    if (this.#phase === 'open') return undefined
    return refuse('invalid_state', 'the session is not open: send session.update first')
  }

  #describe(): Record<string, unknown> {
    return describeLegacySession(this.#parts.id, this.#parts.profile, this.#config)
  }

  /** Ends the session with a fatal error. */
  #fail(code: string, message: string): void {
    if (this.#phase === 'ended') return
    this.#events.fatal(code, message)
    this.#writer.end({ status: 'failed', reason: code })
    this.#parts.transport.close(closeCodeOf(code), code)
    this.#end()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#deadlines.stop()
    this.#user.stop()
    this.#replies.stop()
    this.#parts.accelerator.closeSession(this.#parts.id)
    this.#parts.onEnd()
  }
}
