/**
 * One session of the native protocol on the server's side, without a transport: text in, text out, time from the clock.
 *
 *   state    | first update granted | end, drained | session.close  | fatal error   | transport gone
 *   opening  | open                 | -            | closing        | closing       | ended
 *   open     | (later updates)      | open         | closing        | closing       | ended
 *   closing  | -                    | -            | -              | -             | ended
 *   ended    | -                    | -            | -              | -             | -
 *
 * A dash means that the input is ignored, or cannot happen. `closing` is the teardown before `session.closed`.
 *
 * The empty unit at the end of an input needs no computing and skips the accelerator.
 *
 * Source: docs/protocols.md
 */
import type { Cancel } from '../base/clock.js'
import { messageOf } from '../base/errors.js'
import { type AppendEvent, type ClientEvent, readClientEvent } from './client-event.js'
import { EventSender } from './event-sender.js'
import type { Heard } from './hearing.js'
import { type CutUnit, InputBuffer } from './input-buffer.js'
import type { NativeConversation } from './native-conversation.js'
import { ImageIntake } from './native-images.js'
import type { NativeSessionParts } from './native-session-parts.js'
import { decodePcm16 } from './pcm16.js'
import { closeCodeOf, type Refusal, refuse } from './refusal.js'
import { ResponseWriter, type UnitOutput } from './response-writer.js'
import { SessionDeadlines } from './session-deadlines.js'
import { describeSession, identifySession } from './session-document.js'
import { readSessionUpdate, type SessionConfig } from './session-update.js'
import { type SessionEnding, tearDown } from './teardown.js'
import { UnitPipeline } from './unit-pipeline.js'

type Open = { readonly config: SessionConfig; readonly conversation: NativeConversation }

export class NativeSession {
  readonly #parts: NativeSessionParts
  readonly #events: EventSender
  readonly #writer: ResponseWriter
  readonly #input: InputBuffer
  readonly #images: ImageIntake
  readonly #deadlines: SessionDeadlines
  readonly #units: UnitPipeline
  #phase: 'opening' | 'open' | 'closing' | 'ended' = 'opening'
  #open: Open | undefined
  /** Id of the `sglang.input_audio.end` that ended the input. */
  #endedBy: string | undefined
  #isDrained = false
  #unitsDone = 0
  #cancelTeardown: Cancel = () => {}

  constructor(parts: NativeSessionParts) {
    const { deployment, options, clock, accelerator, listener } = parts
    this.#parts = parts
    this.#events = new EventSender((text) => parts.transport.send(text))
    this.#writer = new ResponseWriter(deployment, this.#events)
    this.#images = new ImageIntake(deployment)
    this.#input = new InputBuffer({
      sampleRateHz: deployment.inputRateHz,
      unitSamples: deployment.unitSamples,
      maxQueuedBytes: options.maxInputBytes,
    })
    this.#deadlines = new SessionDeadlines({
      clock,
      sessionUpdateTimeoutS: options.sessionUpdateTimeoutS,
      idleTimeoutS: options.idleTimeoutS,
      onMissed: (code) => this.fail(code, 'the client sent nothing in time'),
    })
    this.#units = new UnitPipeline({
      sessionId: parts.id,
      accelerator,
      listener,
      onReady: (unit, heard) => this.#publish(unit, heard),
      onAcceleratorFailed: (code) => this.fail(code, 'the accelerator is out of memory'),
      onListenerFailed: (problem) => this.fail('internal', `the listener failed: ${messageOf(problem)}`),
    })
  }

  /** The socket is open: the server speaks first. */
  open(): void {
    this.#events.send('session.created', {
      session: { ...identifySession(this.#parts), sglang: { granted: null } },
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

  /** The transport is gone. Nothing can be sent any more. */
  disconnected(): void {
    this.#cancelTeardown()
    this.#end()
  }

  /** The server goes down: an orderly end that the client did not ask for. */
  shutDown(): void {
    if (this.#takesInput()) this.#tearDown({ reason: 'disconnect', clientEventId: null, closeCode: 1000 })
  }

  /** Ends the session with a fatal error. */
  fail(code: string, message: string): void {
    if (!this.#takesInput()) return
    this.#events.fatal(code, message)
    this.#writer.end({ status: 'failed', reason: code })
    this.#tearDown({ reason: code, clientEventId: null, closeCode: closeCodeOf(code) })
  }

  #handle(event: ClientEvent): Refusal | undefined {
    switch (event.type) {
      case 'session.update':
        return this.#update(event.event_id, event.session)
      case 'session.close':
        return this.#close(event.event_id)
      case 'input_audio_buffer.commit':
      case 'response.create':
        return refuse(
          'not_applicable',
          `${event.type} does not apply to a model that decides itself when it speaks`,
          'type',
        )
      case 'response.cancel':
        return this.#cancelResponse()
      case 'conversation.item.truncate':
        return this.#truncate(event.item_id)
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
    const { deployment, admit, accelerator, converse, id } = this.#parts
    if (this.#open === undefined) this.#deadlines.updateReceived()
    const result = readSessionUpdate(deployment, session, this.#open?.config)
    if (!result.ok) return result.refusal
    const { config } = result
    if (this.#open === undefined) {
      if (!admit()) return refuse('admission_rejected', 'the model has no memory for another session; try again later')
      accelerator.openSession(id)
      this.#phase = 'open'
    }
    this.#open = { config, conversation: this.#open?.conversation ?? converse(config) }
    this.#writer.outputModalities = config.outputModalities
    this.#events.send('session.updated', { client_event_id: eventId, session: describeSession(this.#parts, config) })
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
    for (const unit of this.#input.cutUnits()) this.#units.submit(unit)
    return undefined
  }

  #appendImage(eventId: string, image: string, tMs: number): Refusal | undefined {
    const unit = this.#images.accept({ image, tMs, unitsCut: this.#input.unitsCut })
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
      tail_policy: 'pad',
      client_event_id: eventId,
    })
    const tail = this.#input.cutTail()
    if (tail !== undefined) this.#units.submit(tail)
    this.#drainIfDone()
  }

  #cancelResponse(): Refusal | undefined {
    if (!this.#parts.deployment.canCancel) return refuse('not_supported', 'response.cancel was not granted', 'type')
    // Without a reply in progress, and a second time, it has no effect and is no error.
    if (this.#writer.isOpen) this.#open?.conversation.interrupt()
    return undefined
  }

  #truncate(itemId: string): Refusal | undefined {
    if (!this.#parts.deployment.canTruncate) return refuse('not_supported', 'truncate was not granted', 'type')
    if (!this.#writer.hasItem(itemId)) return refuse('item_not_found', `there is no item ${itemId}`, 'item_id')
    // The model keeps no history, so there is nothing to cut; the protocol has no receipt for it.
    return undefined
  }

  #close(eventId: string): undefined {
    this.#writer.end({ status: 'cancelled', reason: 'client_closed' })
    this.#tearDown({ reason: 'client_closed', clientEventId: eventId, closeCode: 1000 })
  }

  #problemOfInput(): Refusal | undefined {
    if (this.#open === undefined) return refuse('invalid_state', 'the session is not open: send session.update first')
    if (this.#endedBy !== undefined) return refuse('invalid_state', 'the input has ended')
    return undefined
  }

  #publish(cut: CutUnit, heard: Heard): void {
    const { options } = this.#parts
    this.#input.consumed(cut)
    const isLast = this.#endedBy !== undefined && this.#units.isEmpty && !this.#hasEndUnit()
    const output = this.#open?.conversation.hear(heard, isLast)
    if (output !== undefined) this.#writeUnit(cut.index, this.#input.msOf(cut.pcm.length), output)
    this.#unitsDone += 1
    if (options.contextUnits !== null && this.#unitsDone >= options.contextUnits) {
      this.fail('context_exhausted', `the history of ${options.contextUnits} units is full`)
    }
    this.#drainIfDone()
  }

  #writeUnit(index: number, durationMs: number, output: Omit<UnitOutput, 'unitId' | 'mediaTime'>): void {
    const mediaTime = { t_start_ms: index * this.#parts.deployment.unitMs, duration_ms: durationMs }
    this.#writer.writeUnit({ ...output, unitId: `unit_${index}`, mediaTime })
  }

  /** A continuous model ends its response in an empty unit where the input is a whole number of units. */
  #hasEndUnit(): boolean {
    return this.#parts.deployment.continuous && this.#input.unitsCut > 0 && this.#input.paddingMs === 0
  }

  #drainIfDone(): void {
    const { conversation } = this.#open ?? {}
    if (this.#phase !== 'open' || this.#endedBy === undefined || this.#isDrained || !this.#units.isEmpty) return
    this.#isDrained = true
    // A response is still open when its reply was not through as the input ended, all of whose units were done by then.
    if (conversation !== undefined && (this.#hasEndUnit() || this.#writer.isOpen)) {
      this.#writeUnit(this.#input.unitsCut, 0, conversation.end())
    }
    this.#events.send('sglang.input_audio.drained', {
      accepted_end_ms: this.#input.acceptedMs,
      consumed_ms: this.#input.consumedMs,
      discarded_ms: this.#input.discardedMs,
      padding_ms: this.#input.paddingMs,
      client_event_id: this.#endedBy,
    })
  }

  #tearDown(ending: SessionEnding): void {
    this.#phase = 'closing'
    this.#deadlines.stop()
    this.#units.clear()
    this.#cancelTeardown = tearDown(this.#parts, this.#events, ending, () => this.#end())
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#deadlines.stop()
    this.#units.clear()
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
