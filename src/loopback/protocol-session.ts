/**
 * One session of the session protocol on the server's side, whatever model is behind it: the handshake, receipts, units,
 * the end of the input, errors, deadlines and the close. What the model does with its input is its own (`SessionModel`).
 *
 *   state    | first update granted | end, drained | session.close  | fatal error   | transport gone
 *   opening  | open                 | -            | closing        | closing       | ended
 *   open     | (later updates)      | open         | closing        | closing       | ended
 *   closing  | -                    | -            | -              | -             | ended
 *   ended    | -                    | -            | -              | -             | -
 *
 * A dash means that the input is ignored, or cannot happen. `closing` is the teardown before `session.closed`.
 *
 * Source: docs/protocols.md, sections 2 and 3
 */
import type { Cancel } from '../base/clock.js'
import { type AppendEvent, type ClientEvent, readClientEvent } from './client-event.js'
import type { Deployment } from './deployment.js'
import { EventSender } from './event-sender.js'
import { InputBuffer } from './input-buffer.js'
import { decodePcm16 } from './pcm16.js'
import { closeCodeOf, type Refusal, refuse } from './refusal.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { SessionDeadlines } from './session-deadlines.js'
import { describeSession, identifySession } from './session-document.js'
import type { SessionHost, SessionModel } from './session-model.js'
import { readSessionUpdate, type SessionConfig } from './session-update.js'
import { type SessionEnding, tearDown } from './teardown.js'

export class ProtocolSession implements LoopbackSession {
  readonly #parts: LoopbackSessionParts
  readonly #deployment: Deployment
  readonly #events: EventSender
  readonly #input: InputBuffer
  readonly #deadlines: SessionDeadlines
  readonly #model: SessionModel
  #phase: 'opening' | 'open' | 'closing' | 'ended' = 'opening'
  #config: SessionConfig | undefined
  /** Id of the `sglang.input_audio.end` that ended the input. */
  #endedBy: string | undefined
  #isDrained = false
  #unitsDone = 0
  #cancelTeardown: Cancel = () => {}

  constructor(parts: LoopbackSessionParts, deployment: Deployment, createModel: (host: SessionHost) => SessionModel) {
    const { options, clock } = parts
    this.#parts = parts
    this.#deployment = deployment
    this.#events = new EventSender((text) => parts.transport.send(text))
    this.#input = new InputBuffer({
      sampleRateHz: deployment.inputRateHz,
      unitSamples: deployment.unitSamples,
      maxQueuedBytes: options.maxInputBytes,
    })
    this.#deadlines = new SessionDeadlines({
      clock,
      sessionUpdateTimeoutS: options.sessionUpdateTimeoutS,
      idleTimeoutS: options.idleTimeoutS,
      onMissed: (code) => this.#fail(code, 'the client sent nothing in time'),
    })
    const hasInputEnded = () => this.#endedBy !== undefined
    this.#model = createModel({
      parts,
      deployment,
      events: this.#events,
      input: this.#input,
      get hasInputEnded() {
        return hasInputEnded()
      },
      unitDone: () => this.#unitDone(),
      drainIfDone: () => this.#drainIfDone(),
      fail: (code, message) => this.#fail(code, message),
    })
  }

  /** The server speaks first. */
  open(): void {
    this.#events.send('session.created', {
      session: { ...identifySession(this.#described), sglang: { granted: null } },
    })
  }

  receive(text: string): void {
    if (!this.#takesInput()) return
    this.#deadlines.eventReceived()
    const read = readClientEvent(text)
    if (!read.ok) this.#events.refuse(read.refusal, read.eventId)
    else this.#refuseIf(this.#handle(read.event), read.event.event_id)
  }

  receiveBinary(): void {
    if (!this.#takesInput()) return
    this.#deadlines.eventReceived()
    this.#events.refuse(refuse('invalid_request', 'binary frames are not part of this protocol'), null)
  }

  disconnected(): void {
    this.#cancelTeardown()
    this.#end()
  }

  shutDown(): void {
    if (this.#takesInput()) this.#tearDown({ reason: 'disconnect', clientEventId: null, closeCode: 1000 })
  }

  get #described() {
    return { id: this.#parts.id, deployment: this.#deployment }
  }

  /** Ends the session with a fatal error. */
  #fail(code: string, message: string): void {
    if (!this.#takesInput()) return
    this.#events.fatal(code, message)
    this.#model.endResponse({ status: 'failed', reason: code })
    this.#tearDown({ reason: code, clientEventId: null, closeCode: closeCodeOf(code) })
  }

  #handle(event: ClientEvent): Refusal | undefined {
    switch (event.type) {
      case 'session.update':
        return this.#update(event.event_id, event.session)
      case 'session.close':
        return this.#close(event.event_id)
      case 'response.create':
        return refuse(
          'not_applicable',
          'response.create does not apply: the model decides itself when it speaks',
          'type',
        )
      case 'response.cancel':
        return this.#model.cancelResponse()
      case 'conversation.item.truncate':
        return this.#model.truncate({ itemId: event.item_id, audioEndMs: event.audio_end_ms })
      case 'input_audio_buffer.commit':
        return this.#model.commit(() => this.#problemOfInput())
      case 'input_audio_buffer.append':
        return this.#problemOfInput() ?? this.#append(event)
      case 'sglang.input_image.append':
        return this.#problemOfInput() ?? this.#appendImage(event.event_id, event.image, event.sglang.t_ms)
      case 'input_audio_buffer.clear':
        return this.#problemOfInput() ?? this.#clear(event.event_id)
      case 'sglang.input_audio.end':
        return this.#problemOfInput() ?? this.#endInput(event.event_id)
      default:
        return event satisfies never
    }
  }

  #update(eventId: string, session: Readonly<Record<string, unknown>>): Refusal | undefined {
    const { accelerator, id } = this.#parts
    if (this.#config === undefined) this.#deadlines.updateReceived()
    const result = readSessionUpdate(this.#deployment, session, this.#config)
    if (!result.ok) return result.refusal
    const { config } = result
    if (this.#config === undefined) {
      if (!this.#parts.admit()) {
        return refuse('admission_rejected', 'the model has no memory for another session; try again later')
      }
      accelerator.openSession(id)
      this.#phase = 'open'
    }
    this.#config = config
    const problem = this.#model.configure(config)
    if (problem !== undefined) {
      this.#fail('internal', problem)
      return undefined
    }
    this.#events.send('session.updated', {
      client_event_id: eventId,
      session: describeSession(this.#described, config),
    })
    return undefined
  }

  #append({ audio, sglang, event_id: eventId }: AppendEvent): Refusal | undefined {
    const pcm = decodePcm16(audio)
    if (pcm === undefined) return refuse('invalid_request', 'audio must be PCM16 in base64, and not empty', 'audio')
    const refusal = this.#input.append(pcm, { seq: sglang.seq, tStartMs: sglang.t_start_ms })
    if (refusal !== undefined) return refusal
    this.#events.send('sglang.input_audio.accepted', {
      seq: sglang.seq,
      accepted_end_ms: this.#input.acceptedMs,
      client_event_id: eventId,
    })
    this.#model.hear(pcm)
    for (const unit of this.#input.cutUnits()) this.#model.takeUnit(unit)
    return undefined
  }

  #appendImage(eventId: string, image: string, tMs: number): Refusal | undefined {
    const unit = this.#model.takeImage(image, tMs)
    if (typeof unit !== 'number') return unit
    this.#events.send('sglang.input_image.accepted', { unit_id: `unit_${unit}`, client_event_id: eventId })
    return undefined
  }

  #clear(eventId: string): undefined {
    const discardedMs = this.#input.clear()
    this.#events.send('input_audio_buffer.cleared', {
      client_event_id: eventId,
      sglang: { discarded_ms: discardedMs },
    })
  }

  #endInput(eventId: string): undefined {
    this.#endedBy = eventId
    this.#events.send('sglang.input_audio.ended', {
      accepted_end_ms: this.#input.acceptedMs,
      tail_policy: this.#deployment.tailPolicy,
      client_event_id: eventId,
    })
    const tail = this.#input.cutTail()
    if (tail !== undefined) this.#model.takeUnit(tail)
    this.#model.inputEnded()
    this.#drainIfDone()
  }

  #close(eventId: string): undefined {
    this.#model.endResponse({ status: 'cancelled', reason: 'client_closed' })
    this.#tearDown({ reason: 'client_closed', clientEventId: eventId, closeCode: 1000 })
  }

  #problemOfInput(): Refusal | undefined {
    if (this.#config === undefined) return refuse('invalid_state', 'the session is not open: send session.update first')
    if (this.#endedBy !== undefined) return refuse('invalid_state', 'the input has ended')
    return undefined
  }

  #unitDone(): void {
    const { contextUnits } = this.#parts.options
    this.#unitsDone += 1
    if (contextUnits !== null && this.#unitsDone >= contextUnits) {
      this.#fail('context_exhausted', `the history of ${contextUnits} units is full`)
    }
    this.#drainIfDone()
  }

  #drainIfDone(): void {
    if (this.#phase !== 'open' || this.#endedBy === undefined || this.#isDrained || !this.#model.isIdle) return
    this.#isDrained = true
    this.#model.beforeDrained()
    this.#events.send('sglang.input_audio.drained', {
      accepted_end_ms: this.#input.acceptedMs,
      consumed_ms: this.#input.consumedMs,
      discarded_ms: this.#input.discardedMs,
      padding_ms: this.#deployment.tailPolicy === 'pad' ? this.#input.paddingMs : 0,
      client_event_id: this.#endedBy,
    })
  }

  #tearDown(ending: SessionEnding): void {
    this.#phase = 'closing'
    this.#deadlines.stop()
    this.#model.stop()
    this.#cancelTeardown = tearDown(this.#parts, this.#events, ending, () => this.#end())
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#deadlines.stop()
    this.#model.stop()
    this.#parts.accelerator.closeSession(this.#parts.id)
    this.#parts.onEnd()
  }

  #takesInput(): boolean {
    return this.#phase === 'opening' || this.#phase === 'open'
  }

  #refuseIf(refusal: Refusal | undefined, eventId: string): void {
    if (refusal !== undefined) this.#events.refuse(refusal, eventId)
  }
}
