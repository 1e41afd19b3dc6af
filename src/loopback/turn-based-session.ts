/**
 * A cascade behind the session protocol: a detector ends the user's turn (or the client does), a recognizer and a language
 * model answer it, a synthesizer speaks. Units are receipts for the intake and cost nothing; what the accelerator works on
 * are the chunks of replies.
 *
 *   speech_started ─► (running reply: cancelled/interrupted) … speech_stopped ─► transcription.completed
 *   ─► response.created ─► text delta ─► audio deltas, paced ─► done events ─► (played) ─► response.done
 *
 * Source: docs/protocols.md, section 3
 */
import { messageOf } from '../base/errors.js'
import { type Reply, textSaid } from './conversation.js'
import { deploymentOf } from './deployment.js'
import type { CutUnit } from './input-buffer.js'
import { turnHasteMs } from './load-behaviour.js'
import { ProtocolSession } from './protocol-session.js'
import { type Refusal, refuse } from './refusal.js'
import { type ReplyOutput, ReplyTurns } from './reply-turns.js'
import { type ResponseEnd, ResponseWriter, type UnitRef } from './response-writer.js'
import type { LoopbackSession, LoopbackSessionParts } from './session.js'
import { OUT_OF_MEMORY_MESSAGE, type SessionHost, type SessionModel } from './session-model.js'
import type { SessionConfig } from './session-update.js'
import { EMPTY_TURN_MS } from './transcript.js'
import { UserTurns } from './user-turns.js'

export function createTurnBasedSession(parts: LoopbackSessionParts): LoopbackSession {
  return new ProtocolSession(parts, deploymentOf(parts.profile, parts.options), (host) => new TurnBasedModel(host))
}

class TurnBasedModel implements SessionModel {
  readonly #host: SessionHost
  readonly #writer: ResponseWriter
  readonly #user: UserTurns
  readonly #replies: ReplyTurns
  readonly #replyOfItem = new Map<string, Reply>()
  #config: SessionConfig | undefined
  /** The unit that output answers: the last one whose receipt has been sent. */
  #unit: UnitRef = unitRef(0, 0, 0)
  #hasHeardAll = false

  constructor(host: SessionHost) {
    const { parts, deployment, events } = host
    this.#host = host
    this.#writer = new ResponseWriter(deployment, events)
    this.#replies = new ReplyTurns({
      parts,
      maxLeadMs: parts.options.maxOutputLeadMs,
      output: this.#output(),
      onQuiet: () => host.drainIfDone(),
      onFailed: (code) => host.fail(code, OUT_OF_MEMORY_MESSAGE),
    })
    this.#user = new UserTurns({
      sampleRateHz: deployment.inputRateHz,
      listener: parts.listeners(deployment.inputRateHz),
      events,
      hasteMs: () => turnHasteMs(parts),
      announcesCommit: false,
      onStarted: () => this.#replies.interrupt(),
      onTurn: (speechMs) => this.#replies.answer({ isEmpty: speechMs < EMPTY_TURN_MS }),
      onListenerFailed: (problem) => host.fail('internal', `the listener failed: ${messageOf(problem)}`),
    })
  }

  configure(config: SessionConfig): string | undefined {
    const before = this.#config
    this.#config = config
    this.#writer.outputModalities = config.outputModalities
    this.#user.configure(config.turnDetection ?? null)
    const changesPrompt = before !== undefined && before.instructions !== config.instructions
    return changesPrompt && this.#user.isUserSpeaking ? 'the prompt changed while the user was speaking' : undefined
  }

  hear(pcm: Int16Array): void {
    this.#user.hear(pcm)
  }

  /** What a unit's audio sets off comes before its receipt. */
  takeUnit(unit: CutUnit): void {
    const { input, deployment } = this.#host
    this.#user.whenHeard(() => {
      input.consumed(unit)
      this.#unit = unitRef(unit.index, unit.index * deployment.unitMs, input.msOf(unit.pcm.length))
      this.#writer.unitDone(this.#unit)
      this.#host.unitDone()
    })
  }

  takeImage(): Refusal {
    return refuse('not_supported', 'this model takes no images', 'type')
  }

  commit(problemOfInput: () => Refusal | undefined): Refusal | undefined {
    const problem = problemOfInput()
    if (problem !== undefined) return problem
    if (this.#user.isDetecting) return refuse('not_applicable', 'the server ends the turns of this session', 'type')
    this.#user.commit()
    return undefined
  }

  /** Without a reply in progress it has no effect and is no error. */
  cancelResponse(): undefined {
    this.#replies.interrupt()
  }

  /** There is no history to cut; the client hears how much of the reply's text it would keep. */
  truncate({ itemId, audioEndMs }: { readonly itemId: string; readonly audioEndMs: number }): Refusal | undefined {
    const reply = this.#replyOfItem.get(itemId)
    if (reply === undefined) return refuse('item_not_found', `there is no item ${itemId}`, 'item_id')
    const samples = Math.round((audioEndMs * this.#host.deployment.outputRateHz) / 1000)
    this.#host.events.send('sglang.response.heard', { item_id: itemId, text_end: textSaid(reply, samples) })
    return undefined
  }

  inputEnded(): void {
    this.#replies.stopPacing()
    this.#user.finish()
    this.#user.whenHeard(() => {
      this.#hasHeardAll = true
      this.#host.drainIfDone()
    })
  }

  get isIdle(): boolean {
    return this.#hasHeardAll && this.#replies.isQuiet
  }

  beforeDrained(): void {}

  endResponse(end: ResponseEnd): void {
    this.#writer.end(end)
  }

  stop(): void {
    this.#user.stop()
    this.#replies.stop()
  }

  #output(): ReplyOutput {
    const writer = this.#writer
    return {
      begin: (reply) => {
        this.#replyOfItem.set(writer.start(), reply)
        writer.writeText(reply.text, this.#unit)
      },
      audio: (pcm) => writer.writeAudio(pcm, this.#unit),
      said: () => writer.mediaDone(),
      completed: () => writer.end({ status: 'completed', reason: 'stop' }),
      interrupted: () => writer.end({ status: 'cancelled', reason: 'interrupted' }),
      emptyTurn: () => {
        writer.start()
        writer.end({ status: 'completed', reason: 'empty_turn' })
      },
    }
  }
}

function unitRef(index: number, startMs: number, durationMs: number): UnitRef {
  return { unitId: `unit_${index}`, mediaTime: { t_start_ms: startMs, duration_ms: durationMs } }
}
