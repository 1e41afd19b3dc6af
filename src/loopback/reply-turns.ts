/**
 * Which of the user's turns is answered when, for servers that answer turns: one reply at a time, in the order of the
 * turns. What a reply looks like on the wire is the protocol's business (`ReplyOutput`).
 *
 *                   | turn is over        | reply has been said  | interrupted         | no more pacing
 *   quiet           | answer it           | -                    | -                   | (for later replies)
 *   speaking        | wait                | finishing, or quiet  | end it, then quiet  | let go what is held
 *   finishing       | wait                | -                    | end it, then quiet  | quiet
 *
 * `finishing` is the time in which a paced reply is still being played. Where turns wait, quiet is left at once.
 */
import type { Cancel, InstantUs } from '../base/clock.js'
import type { Reply } from './conversation.js'
import { replyDelayMs } from './load-behaviour.js'
import { type LoopbackSessionParts, replyAt } from './session.js'
import { SpokenReply } from './spoken-reply.js'

export interface ReplyOutput {
  begin(reply: Reply): void
  /** @param endSamples where the audio ends in the reply */
  audio(pcm: Int16Array, reply: Reply, endSamples: number): void
  /** All of it has left. */
  said(): void
  /** The reply has been played, as far as the server can tell; nothing of it follows. */
  completed(): void
  /** @param playedMs how much of it would have been played by now */
  interrupted(playedMs: number): void
  /** A turn without words: it gets its answer in its place, and that is no reply. */
  emptyTurn(): void
}

export interface ReplyTurnsSettings {
  readonly parts: LoopbackSessionParts
  /** Furthest that a reply is ahead of real time; undefined for no pacing, and replies that end when all has left. */
  readonly maxLeadMs: number | undefined
  readonly output: ReplyOutput
  /** Nothing is left to say. */
  onQuiet(): void
  onFailed(code: string): void
}

interface Speaking {
  readonly spoken: SpokenReply
  sentSamples: number
}

export class ReplyTurns {
  readonly #settings: ReplyTurnsSettings
  #waiting: { readonly isEmpty: boolean }[] = []
  #speaking: Speaking | undefined
  #isFinishing = false
  #cancelFinish: Cancel = () => {}
  #repliesGiven = 0
  #maxLeadMs: number | undefined

  constructor(settings: ReplyTurnsSettings) {
    this.#settings = settings
    this.#maxLeadMs = settings.maxLeadMs
  }

  get isQuiet(): boolean {
    return this.#speaking === undefined && this.#waiting.length === 0
  }

  /** A reply has begun and not ended. */
  get isSpeaking(): boolean {
    return this.#speaking !== undefined
  }

  /** A turn of the user is over. @param isEmpty nothing was said in it */
  answer(turn: { readonly isEmpty: boolean }): void {
    this.#waiting.push(turn)
    this.#next()
  }

  /** Cuts the reply in progress, if there is one. */
  interrupt(): void {
    const speaking = this.#speaking
    if (speaking === undefined) return
    this.#forget()
    this.#settings.output.interrupted(speaking.spoken.cancel().playedMs)
    this.#next()
  }

  /** From here on nothing is paced. */
  stopPacing(): void {
    this.#maxLeadMs = undefined
    this.#speaking?.spoken.releaseAll()
    if (this.#isFinishing) this.#complete()
  }

  /** Forgets everything, without a word. */
  stop(): void {
    this.#waiting = []
    this.#speaking?.spoken.cancel()
    this.#forget()
  }

  #next(): void {
    while (this.#speaking === undefined) {
      const turn = this.#waiting.shift()
      if (turn === undefined) {
        this.#settings.onQuiet()
        return
      }
      if (turn.isEmpty) this.#settings.output.emptyTurn()
      else this.#begin()
    }
  }

  /** Without any replies the model never speaks. */
  #begin(): void {
    const { parts, output, onFailed } = this.#settings
    const reply = replyAt(parts, this.#repliesGiven)
    if (reply === undefined) return
    this.#repliesGiven += 1
    const speaking: Speaking = {
      sentSamples: 0,
      spoken: new SpokenReply({
        clock: parts.clock,
        accelerator: parts.accelerator,
        sessionId: parts.id,
        reply,
        sampleRateHz: parts.profile.output.sample_rate_hz,
        chunkMs: parts.options.replyChunkMs,
        maxLeadMs: this.#maxLeadMs,
        delayMs: replyDelayMs(parts),
        onChunk: (pcm, isLast) => {
          speaking.sentSamples += pcm.length
          if (pcm.length > 0) output.audio(pcm, reply, speaking.sentSamples)
          if (isLast) this.#said(speaking.spoken)
        },
        onFailed,
      }),
    }
    this.#speaking = speaking
    output.begin(reply)
    speaking.spoken.start()
  }

  #said(spoken: SpokenReply): void {
    const { clock } = this.#settings.parts
    this.#settings.output.said()
    const endsAtUs: InstantUs = this.#maxLeadMs === undefined ? 0 : spoken.playsUntilUs
    if (endsAtUs <= clock.nowUs()) {
      this.#complete()
      return
    }
    this.#isFinishing = true
    this.#cancelFinish = clock.at(endsAtUs, () => this.#complete())
  }

  #complete(): void {
    this.#forget()
    this.#settings.output.completed()
    this.#next()
  }

  #forget(): void {
    this.#cancelFinish()
    this.#isFinishing = false
    this.#speaking = undefined
  }
}
