/**
 * What goes on in an open session of the vLLM duplex dialect: input audio in, units through the accelerator, replies out.
 * A unit that stays silent is told by a `response.listen` that stands alone.
 *
 *   reply | the user speaks in a unit                        | response.cancel | response.create        | output cleared
 *   none  | listen; answered when silent for long enough     | -               | next unit begins one   | cleared
 *   open  | cancelled/barge_in, or, with `listen_only`, goes | cancelled/      | cancelled/new_response | cleared, cancelled/
 *         | on; what was said is answered after it           | client_cancelled| and a next one         | output_audio_buffer_clear
 *
 * Source: docs/protocols.md, 6.3, 6.4.
 */
import { messageOf } from '../base/errors.js'
import type { Heard } from './hearing.js'
import type { CutUnit } from './input-buffer.js'
import { patienceMs } from './load-behaviour.js'
import { type Problem, refusal } from './openai-error.js'
import { decodePcm16 } from './pcm16.js'
import type { LoopbackSessionParts } from './session.js'
import { UnitPipeline } from './unit-pipeline.js'
import type { VllmAppend, VllmExchangeEvent, VllmPlaybackAck } from './vllm-client-event.js'
import type { VllmConfig, VllmRates } from './vllm-config.js'
import { VLLM_UNIT_MS, VllmInput } from './vllm-input.js'
import type { VllmJournal } from './vllm-journal.js'
import { VllmModel } from './vllm-model.js'
import { type VllmCancelReason, type VllmEnding, VllmReplyWriter } from './vllm-reply-writer.js'

export interface VllmExchangeParts {
  readonly session: LoopbackSessionParts
  /** The session's id as on the wire. */
  readonly wireId: string
  readonly rates: VllmRates
  readonly journal: VllmJournal
  /** Replaced as the client changes it. */
  config: VllmConfig
  /** The server is broken; the session cannot go on. */
  readonly onFailed: (code: string, message: string) => void
}

export class VllmExchange {
  readonly #parts: VllmExchangeParts
  readonly #writer: VllmReplyWriter
  readonly #input: VllmInput
  readonly #units: UnitPipeline
  readonly #model: VllmModel
  #unitsDone = 0

  constructor(parts: VllmExchangeParts) {
    const { session, wireId, rates, journal, config, onFailed } = parts
    const { id, options, accelerator, listeners, replies, replyOrder } = session
    this.#parts = parts
    this.#writer = new VllmReplyWriter({
      journal,
      sessionId: wireId,
      sampleRateHz: rates.outputRateHz,
      newResponseId: (number) => `resp_${id}_${number}`,
      commitsOnDone: () => parts.config.playback_commit_policy === 'commit_all_on_done',
    })
    this.#input = new VllmInput({ sampleRateHz: rates.inputRateHz, maxQueuedBytes: options.maxInputBytes })
    this.#units = new UnitPipeline({
      sessionId: id,
      accelerator,
      listener: listeners(rates.inputRateHz),
      onReady: (unit, heard) => this.#publish(unit, heard),
      onAcceleratorFailed: (code) => onFailed(code, 'the accelerator is out of memory'),
      onListenerFailed: (problem) => onFailed('internal_error', `the listener failed: ${messageOf(problem)}`),
    })
    this.#model = new VllmModel({
      replies,
      order: replyOrder,
      unitSamples: Math.round((VLLM_UNIT_MS * rates.outputRateHz) / 1000),
      forceListenUnits: config.extra_body.force_listen_count ?? options.forceListenCount,
    })
  }

  get isReplying(): boolean {
    return this.#writer.openId !== undefined
  }

  get epoch(): number {
    return this.#writer.epoch
  }

  get playback(): Readonly<Record<string, number>> {
    return this.#writer.playback
  }

  set config(config: VllmConfig) {
    this.#parts.config = config
  }

  /** @returns why the event was refused */
  handle(event: VllmExchangeEvent): Problem | undefined {
    const { journal } = this.#parts
    switch (event.type) {
      case 'input_audio_buffer.append':
        return this.#append(event)
      case 'input_audio_buffer.commit':
        this.#commit(event.response_create === true)
        return undefined
      case 'input_audio_buffer.clear':
        this.#input.clear()
        journal.record('input_audio_buffer.cleared', {})
        return undefined
      case 'output_audio_buffer.clear':
        journal.record('output_audio_buffer.cleared', { response_id: this.#writer.openId ?? null })
        this.cancelReply('output_audio_buffer_clear')
        return undefined
      case 'response.create':
        this.cancelReply('new_response')
        this.#model.ask()
        return undefined
      case 'response.cancel':
        if ((event.response_id ?? this.#writer.openId) === this.#writer.openId) this.cancelReply('client_cancelled')
        return undefined
      case 'conversation.item.truncate': {
        const { item_id, content_index, audio_end_ms } = event
        const problem = this.#writer.items.truncate(item_id, content_index, audio_end_ms)
        if (problem !== undefined) return problem
        journal.record('conversation.item.truncated', { item_id, content_index, audio_end_ms })
        return undefined
      }
      case 'playback.ack':
        this.#acknowledge(event)
        return undefined
      case 'session.event_ack':
        if (event.server_event_seq <= journal.lastSeq) return undefined
        return refusal('invalid_value', `the last event was ${journal.lastSeq}`, 'server_event_seq')
      default:
        return event satisfies never
    }
  }

  /** The open reply, if there is one, is given up for good. */
  cancelReply(reason: VllmCancelReason): void {
    if (!this.isReplying) return
    this.#model.interrupt()
    this.#writer.end({ status: 'cancelled', reason })
  }

  endReply(ending: VllmEnding): void {
    this.#writer.end(ending)
  }

  /** No unit is published any more. */
  stop(): void {
    this.#units.clear()
  }

  #append({ audio, sample_rate_hz, duration_ms, audio_end_ms, format = 'pcm16' }: VllmAppend): Problem | undefined {
    if (format !== 'pcm16' && format !== 'pcm_s16le') {
      return refusal('unsupported_audio_format', `format is ${format}; this model takes pcm16`, 'format')
    }
    const pcm = decodePcm16(audio)
    if (pcm === undefined) return refusal('invalid_audio', 'audio must be PCM16 in base64, and not empty', 'audio')
    const claims = { durationMs: duration_ms, audioEndMs: audio_end_ms, sampleRateHz: sample_rate_hz }
    const problem = this.#input.append(pcm, claims)
    if (problem !== undefined) return problem
    for (const unit of this.#input.cutUnits()) this.#units.submit(unit)
    return undefined
  }

  /** What is left over becomes a short unit. */
  #commit(asksForReply: boolean): void {
    const tail = this.#input.cutTail()
    if (asksForReply) this.#model.ask()
    if (tail !== undefined) this.#units.submit(tail)
  }

  #acknowledge({ played_ms, response_id, item_id, committed_ms = played_ms }: VllmPlaybackAck): void {
    this.#writer.acknowledge({ playedMs: played_ms, committedMs: committed_ms })
    this.#parts.journal.record('playback.acknowledged', { event: { response_id, item_id, played_ms, committed_ms } })
  }

  #publish(unit: CutUnit, heard: Heard): void {
    const { journal, wireId, config, session, onFailed } = this.#parts
    this.#input.consumed(unit)
    const policy = config.overlap_policy
    const manners = {
      answers: config.extra_body.auto_response !== false,
      yields: policy === 'barge_in_on_speech',
      patienceMs: patienceMs(session.options, session.othersOpen()),
    }
    const speech = this.#model.hear(heard, manners)
    if (speech.isOverlapped) {
      const action = speech.isGivenUp ? 'barge_in' : 'listen'
      journal.record('overlap.decision', { policy, action, reason: 'user_speech', epoch: this.epoch })
    }
    if (speech.starts) this.#writer.start()
    if (speech.isGivenUp) this.#writer.end({ status: 'cancelled', reason: 'barge_in' })
    else if (!this.isReplying) {
      journal.record('response.listen', {
        ...{ session_id: wireId, epoch: this.epoch },
        response: { status: 'listening' },
      })
    } else {
      this.#writer.write(speech)
      if (speech.ends) this.#writer.end({ status: 'completed', reason: 'stop' })
    }
    this.#unitsDone += 1
    const { contextUnits } = session.options
    if (contextUnits !== null && this.#unitsDone >= contextUnits) {
      onFailed('context_exhausted', `the history of ${contextUnits} units is full`)
    }
  }
}
