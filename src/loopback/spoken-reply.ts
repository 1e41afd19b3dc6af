/**
 * The speech synthesis of a simulated cascade: one reply, worked out chunk by chunk. Each chunk is one job of the
 * accelerator, and the next one is asked for when it is done:
 *
 *   accelerator   [ chunk 0 ][ chunk 1 ][ chunk 2 ][ chunk 3 ]
 *   leaves        .          0          1             2          3      paced: never further ahead than the lead
 *   plays                    |--- 0 ---|--- 1 ---|--- 2 ---|--- 3 ---|
 *
 * Synthesis does not wait for the pacing; what is done too early is held. `releaseAll` lets it go, joined into larger
 * chunks, and whatever is done later leaves at once. Source: docs/protocols.md, 3.3.
 */
import type { Cancel, Clock, InstantUs } from '../base/clock.js'
import { US_PER_MS, US_PER_S } from '../base/clock.js'
import type { Accelerator } from './accelerator.js'
import type { Reply } from './conversation.js'

export interface SpokenReplyOptions {
  readonly clock: Clock
  readonly accelerator: Accelerator
  readonly sessionId: string
  readonly reply: Reply
  readonly sampleRateHz: number
  /** Audio of one job. */
  readonly chunkMs: number
  /** Furthest that audio leaves ahead of real time, counted from the first chunk; undefined for no pacing. */
  readonly maxLeadMs: number | undefined
  /** How long the first chunk is not yet asked for. */
  readonly delayMs?: number
  /** May call `cancel` from inside. */
  onChunk(pcm: Int16Array, isLast: boolean): void
  /** Called at most once; nothing follows. */
  onFailed(code: string): void
}

/** Held audio is let go in pieces of at most this length. */
const JOINED_MS_MAX = 1000

export class SpokenReply {
  readonly #options: SpokenReplyOptions
  readonly #chunkSamples: number
  #isOver = false
  #isPaced: boolean
  /** Samples that the accelerator is done with, and those of them that have left. */
  #doneSamples = 0
  #sentSamples = 0
  #firstSentAtUs: InstantUs | undefined
  /** When a client that plays everything as it comes has played all that has left. */
  #playsUntilUs: InstantUs = 0
  #cancelWakeUp: Cancel = () => {}
  #cancelStart: Cancel = () => {}

  constructor(options: SpokenReplyOptions) {
    this.#options = options
    this.#chunkSamples = Math.max(1, Math.round((options.chunkMs * options.sampleRateHz) / 1000))
    this.#isPaced = options.maxLeadMs !== undefined
  }

  start(): void {
    const { clock, delayMs = 0 } = this.#options
    if (delayMs === 0) this.#submitNext()
    else this.#cancelStart = clock.at(clock.nowUs() + Math.round(delayMs * US_PER_MS), () => this.#submitNext())
  }

  /** Stops pacing: what is held leaves now. */
  releaseAll(): void {
    if (!this.#isPaced) return
    this.#isPaced = false
    this.#cancelWakeUp()
    const joinedSamples = Math.max(1, Math.round((JOINED_MS_MAX * this.#options.sampleRateHz) / 1000))
    while (!this.#isOver && this.#sentSamples < this.#doneSamples) {
      this.#send(Math.min(this.#doneSamples, this.#sentSamples + joinedSamples))
    }
  }

  /** Stops for good. @returns how much of what has left would have been played by now */
  cancel(): { readonly playedMs: number } {
    this.#stop()
    const aheadUs = Math.max(0, this.#playsUntilUs - this.#options.clock.nowUs())
    return { playedMs: Math.max(0, this.#msOf(this.#sentSamples) - aheadUs / US_PER_MS) }
  }

  /** When what has left so far would have been played; in the past where that has happened. */
  get playsUntilUs(): InstantUs {
    return this.#playsUntilUs
  }

  get sentMs(): number {
    return this.#msOf(this.#sentSamples)
  }

  #submitNext(): void {
    const { accelerator, sessionId, onFailed } = this.#options
    accelerator.submit({
      sessionId,
      onDone: () => {
        if (this.#isOver) return
        this.#doneSamples = Math.min(this.#options.reply.pcm.length, this.#doneSamples + this.#chunkSamples)
        // Asked for before the chunk leaves, so that the accelerator never waits for what the session does with it.
        if (this.#doneSamples < this.#options.reply.pcm.length) this.#submitNext()
        this.#sendDue()
      },
      onFailed: (code) => {
        if (this.#isOver) return
        this.#stop()
        onFailed(code)
      },
    })
  }

  /** Sends what may leave, and wakes up again for the next chunk that is done but too far ahead. */
  #sendDue(): void {
    const { clock, reply } = this.#options
    this.#cancelWakeUp()
    while (!this.#isOver) {
      const end = Math.min(this.#doneSamples, this.#sentSamples + this.#chunkSamples)
      if (end === this.#sentSamples && reply.pcm.length > 0) return
      const dueAtUs = this.#dueAtUs(end)
      if (dueAtUs > clock.nowUs()) {
        this.#cancelWakeUp = clock.at(dueAtUs, () => this.#sendDue())
        return
      }
      this.#send(end)
    }
  }

  /** When audio that ends here may leave. */
  #dueAtUs(endSamples: number): InstantUs {
    const { maxLeadMs } = this.#options
    if (!this.#isPaced || maxLeadMs === undefined || this.#firstSentAtUs === undefined) return 0
    const leadUs = Math.round(maxLeadMs * US_PER_MS)
    return this.#firstSentAtUs + Math.ceil((endSamples * US_PER_S) / this.#options.sampleRateHz) - leadUs
  }

  #send(end: number): void {
    const { clock, reply, sampleRateHz, onChunk } = this.#options
    const pcm = reply.pcm.subarray(this.#sentSamples, end)
    const nowUs = clock.nowUs()
    this.#firstSentAtUs ??= nowUs
    this.#playsUntilUs = Math.max(this.#playsUntilUs, nowUs) + Math.round((pcm.length * US_PER_S) / sampleRateHz)
    this.#sentSamples = end
    const isLast = end >= reply.pcm.length
    if (isLast) this.#isOver = true
    onChunk(pcm, isLast)
  }

  #stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelStart()
    this.#cancelWakeUp()
    this.#options.accelerator.cancelSession(this.#options.sessionId)
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#options.sampleRateHz
  }
}
