/**
 * One session of the vLLM duplex dialect on the server's side: a native model behind an endpoint at which the client
 * speaks first, and is refused on the open socket.
 *
 *   phase       | first update       | other events       | session.close  | nothing for        | transport gone
 *   configuring | open; without      | error              | closing        | 10 s: error, ended | ended
 *               | memory: ended      |                    |                |                    |
 *   open        | (later updates)    | `vllm-exchange.ts` | closing        | idle time: ended   | ended
 *   closing     | -                  | -                  | -              | -                  | ended
 *
 * There is no drain receipt: audio that is in no unit when the client closes is lost, unless it was committed.
 *
 * Choices where the sources are silent: sockets end with 1000, except with 1011 after a failure of the server (1008 after
 * an unsupported model is known); heartbeats and event acks have no answer; a cancel without a reply in progress has no
 * effect; a reply that is open at `session.close` is `cancelled`, `client_cancelled`; where the client names no overlap
 * policy it may barge in. Left out: resume, a default session before the client speaks, the float formats of other models.
 *
 * Source: docs/protocols.md, section 6.
 */
import { createHash } from 'node:crypto'
import type { Cancel } from '../base/clock.js'
import { US_PER_MS } from '../base/clock.js'
import { type Problem, refusal, sendError } from './openai-error.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { SessionDeadlines } from './session-deadlines.js'
import { readVllmEvent, type VllmClientEvent } from './vllm-client-event.js'
import {
  defaultVllmConfig,
  describeVllmSession,
  mergeVllmConfig,
  type VllmConfig,
  type VllmRates,
} from './vllm-config.js'
import { VllmExchange } from './vllm-exchange.js'
import { VLLM_UNIT_MS } from './vllm-input.js'
import { VllmJournal } from './vllm-journal.js'

/** A client that has not configured its session by then is let go. */
export const VLLM_CONFIG_TIMEOUT_S = 10
const DEFAULT_MODEL = 'openbmb/MiniCPM-o-4_5'

export function createVllmSession(parts: LoopbackSessionParts): LoopbackSession {
  return new VllmSession(parts)
}

class VllmSession implements LoopbackSession {
  readonly #parts: LoopbackSessionParts
  readonly #rates: VllmRates
  /** 32 hexadecimal digits, the same in every run. */
  readonly #wireId: string
  readonly #journal: VllmJournal
  readonly #deadlines: SessionDeadlines
  #phase: 'configuring' | 'open' | 'closing' | 'ended' = 'configuring'
  #config: VllmConfig
  #exchange: VllmExchange | undefined
  #cancelClosing: Cancel = () => {}

  constructor(parts: LoopbackSessionParts) {
    const { id, profile, options, clock, transport } = parts
    this.#parts = parts
    this.#rates = { inputRateHz: profile.input.sample_rate_hz, outputRateHz: profile.output.sample_rate_hz }
    this.#config = defaultVllmConfig(profile.model ?? DEFAULT_MODEL)
    const digest = createHash('sha256').update(`${options.seed}/${id}`).digest('hex')
    this.#wireId = `duplex-${digest.slice(0, 32)}`
    this.#journal = new VllmJournal((text) => {
      if (this.#phase !== 'ended') transport.send(text)
    })
    this.#deadlines = new SessionDeadlines({
      clock,
      sessionUpdateTimeoutS: VLLM_CONFIG_TIMEOUT_S,
      idleTimeoutS: options.idleTimeoutS,
      onMissed: (code) => this.#deadlineMissed(code),
    })
  }

  /** The client speaks first, unless it is refused at once. */
  open(): void {
    const search = new URLSearchParams(this.#parts.query)
    if (this.#parts.isOverCapacity) this.#refuseForWant('all sessions are taken')
    else if (['0', 'false', 'off'].includes(search.get('duplex') ?? '')) {
      this.#endWith(refusal('duplex_required', 'this deployment serves duplex sessions only'), 1000)
    } else this.#checkModel(search.get('model') ?? this.#config.model)
  }

  receive(text: string): void {
    if (!this.#takesInput()) return
    this.#deadlines.eventReceived()
    const read = readVllmEvent(text)
    const problem = read.ok ? this.#handle(read.event) : read.problem
    if (problem !== undefined) sendError(this.#journal, problem, read.eventId)
  }

  receiveBinary(): void {
    if (this.#takesInput()) sendError(this.#journal, refusal('invalid_value', 'binary frames are not taken'), null)
  }

  disconnected(): void {
    this.#end()
  }

  shutDown(): void {
    if (!this.#takesInput()) return
    this.#exchange?.endReply({ status: 'failed', reason: 'server_shutdown' })
    this.#close('server_shutdown')
  }

  #handle(event: VllmClientEvent): Problem | undefined {
    switch (event.type) {
      case 'session.update':
        return this.#update(event.session)
      case 'session.resume':
        return refusal('session_not_found', 'sessions cannot be resumed here')
      case 'session.heartbeat':
        return undefined
      case 'session.close':
        this.#exchange?.cancelReply('client_cancelled')
        this.#close('client_close')
        return undefined
      default:
        if (this.#exchange !== undefined) return this.#exchange.handle(event)
        return refusal('session_not_configured', 'the first event must be session.update', 'type')
    }
  }

  #update(session: Readonly<Record<string, unknown>>): Problem | undefined {
    const merged = mergeVllmConfig(this.#config, session, this.#rates)
    if (!merged.ok) return merged.problem
    if (!this.#checkModel(merged.config.model)) return undefined
    this.#config = merged.config
    const open = this.#exchange
    if (open !== undefined) {
      open.config = merged.config
      this.#journal.send('session.updated', { session: this.#document(open) })
      return undefined
    }
    const opened = this.#startExchange()
    if (opened === undefined) return undefined
    this.#journal.send('session.created', { session: this.#document(opened) })
    this.#journal.send('session.updated', { session: this.#document(opened) })
    return undefined
  }

  /** @returns undefined where the session is over, for want of memory */
  #startExchange(): VllmExchange | undefined {
    if (!this.#parts.admit()) {
      this.#refuseForWant('the model has no memory for another session')
      return undefined
    }
    this.#deadlines.updateReceived()
    this.#parts.accelerator.openSession(this.#parts.id)
    this.#phase = 'open'
    this.#exchange = new VllmExchange({
      session: this.#parts,
      wireId: this.#wireId,
      rates: this.#rates,
      journal: this.#journal,
      config: this.#config,
      onFailed: (code, message) => this.#fail(code, message),
    })
    return this.#exchange
  }

  #document({ epoch, isReplying, playback }: VllmExchange): Record<string, unknown> {
    const state = { id: this.#wireId, epoch, isReplying, playback, unitMs: VLLM_UNIT_MS }
    return describeVllmSession(this.#config, this.#rates, state)
  }

  /** @returns false where the session is over because the client asked for another model than the profile names */
  #checkModel(model: string): boolean {
    const served = this.#parts.profile.model
    if (served === undefined || model === served) return true
    this.#endWith(refusal('unsupported_model', `this deployment serves ${served}`, 'model'), 1008)
    return false
  }

  #refuseForWant(message: string): void {
    const problem = { code: 'resource_exhausted', message, param: null, retryable: true }
    this.#endWith({ type: 'rate_limit_error', ...problem }, 1000)
  }

  #deadlineMissed(code: 'session_update_timeout' | 'idle_timeout'): void {
    if (code === 'session_update_timeout') {
      this.#endWith(refusal('config_timeout', `no session.update within ${VLLM_CONFIG_TIMEOUT_S} s`), 1000)
      return
    }
    this.#journal.record('session.expired', { session_id: this.#wireId, reason: 'idle_ttl_expired' })
    this.#closeSocket(1000, 'idle_ttl_expired')
  }

  #fail(code: string, message: string): void {
    if (!this.#takesInput()) return
    this.#exchange?.endReply({ status: 'failed', reason: code })
    this.#endWith({ type: 'server_error', code, message, param: null }, 1011)
  }

  /** The model lets go of the session, which takes its time, and the client is told. */
  #close(reason: string): void {
    const { clock, options } = this.#parts
    this.#phase = 'closing'
    this.#deadlines.stop()
    this.#exchange?.stop()
    const finish = () => {
      this.#journal.record('session.closed', { session_id: this.#wireId, reason })
      this.#closeSocket(1000, reason)
    }
    if (options.closeMs === 0) finish()
    else this.#cancelClosing = clock.at(clock.nowUs() + Math.round(options.closeMs * US_PER_MS), finish)
  }

  #endWith(problem: Problem, closeCode: number): void {
    sendError(this.#journal, problem, null)
    this.#closeSocket(closeCode, problem.code)
  }

  #closeSocket(code: number, reason: string): void {
    this.#parts.transport.close(code, reason)
    this.#end()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#cancelClosing()
    this.#deadlines.stop()
    this.#exchange?.stop()
    this.#parts.accelerator.closeSession(this.#parts.id)
    this.#parts.onEnd()
  }

  #takesInput(): boolean {
    return this.#phase === 'configuring' || this.#phase === 'open'
  }
}
