/**
 * A server's voice activity detection over appended audio: when the user's turn begins and ends. Media time is counted in
 * samples; the listener gets the audio in its own windows, whatever the packets were, so that sessions that sent the same
 * audio share what it hears.
 *
 *   windows    . . . s s s . s s . . . . .         s speech
 *   turn             |-----------|                 begins with the first s, less the padding; ends with the last s,
 *   told               ^started        ^stopped    once the silence after it is long enough
 *
 * A listener that answers with promises is waited for, in order.
 */
import { type Heard, type UnitListener, WINDOW_MS } from './hearing.js'

export interface TurnDetectorOptions {
  readonly sampleRateHz: number
  readonly listener: UnitListener
  /** Silence that ends a turn; less than a window counts as one window, and infinity leaves the end to `finish`. */
  readonly silenceMs: number
  readonly prefixPaddingMs: number
  /** Asked whenever there is silence: by how much `silenceMs` is shortened now, down to one window. */
  readonly hasteMs?: () => number
  /** @param audioStartMs the padding is in it; never below 0, nor before the end of the turn before */
  onStarted(audioStartMs: number): void
  /** @param audioEndMs end of the speech, the silence after it left out */
  onStopped(audioEndMs: number): void
  /** The listener failed; nothing is told from here on. */
  onFailed?(problem: unknown): void
}

export class TurnDetector {
  readonly #options: TurnDetectorOptions
  readonly #windowSamples: number
  #rest = new Int16Array(0)
  #appendedSamples = 0
  #heardSamples = 0
  /** Speech of the turn in progress, or else of the last one. */
  #speechMs = 0
  #isSpeaking = false
  #silentMs = 0
  #lastStopMs = 0
  #silenceMs: number
  #prefixPaddingMs: number
  /** What is waited for; undefined while there is nothing. */
  #waiting: Promise<void> | undefined
  #isOver = false

  constructor(options: TurnDetectorOptions) {
    this.#options = options
    this.#silenceMs = options.silenceMs
    this.#prefixPaddingMs = options.prefixPaddingMs
    this.#windowSamples = Math.max(1, Math.round((WINDOW_MS * options.sampleRateHz) / 1000))
  }

  /** Speech that was heard in the turn in progress, or else in the last one. */
  get speechMs(): number {
    return this.#speechMs
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  /** Takes effect with the next audio. */
  configure({ silenceMs, prefixPaddingMs }: { readonly silenceMs: number; readonly prefixPaddingMs: number }): void {
    this.#silenceMs = silenceMs
    this.#prefixPaddingMs = prefixPaddingMs
  }

  hear(pcm: Int16Array): void {
    this.#appendedSamples += pcm.length
    const all = new Int16Array(this.#rest.length + pcm.length)
    all.set(this.#rest)
    all.set(pcm, this.#rest.length)
    let from = 0
    for (; from + this.#windowSamples <= all.length; from += this.#windowSamples) {
      this.#hearWindow(all.slice(from, from + this.#windowSamples))
    }
    this.#rest = all.slice(from)
  }

  /** Calls once everything that was appended so far has been heard: at once, where nothing is waited for. */
  whenHeard(call: () => void): void {
    if (this.#waiting === undefined) this.#guard(call)
    else this.#wait(this.#waiting.then(() => this.#guard(call)))
  }

  /** Ends the turn in progress with what was appended so far, silence or not; nothing happens where there is none. */
  finish(): void {
    const appendedSamples = this.#appendedSamples
    this.whenHeard(() => {
      if (!this.#isSpeaking) return
      this.#endTurn(
        this.#silentMs === 0 ? this.#msOf(appendedSamples) : this.#msOf(this.#heardSamples) - this.#silentMs,
      )
    })
  }

  /** Nothing is told from here on. */
  stop(): void {
    this.#isOver = true
  }

  #hearWindow(window: Int16Array): void {
    const heard = this.#options.listener.hear(window)
    if (!(heard instanceof Promise)) {
      this.#guard(() => this.#fold(window.length, heard))
      return
    }
    const before = this.#waiting ?? Promise.resolve()
    // Looked at here as well, so that a failure which has to wait for its turn is not taken for one nobody looks at.
    heard.catch(() => {})
    this.#wait(
      before.then(async () => {
        const value = await heard
        this.#guard(() => this.#fold(window.length, value))
      }),
    )
  }

  #wait(settled: Promise<void>): void {
    const waiting: Promise<void> = settled.then(
      () => this.#forget(waiting),
      (problem: unknown) => {
        this.#forget(waiting)
        if (this.#isOver) return
        this.#isOver = true
        this.#options.onFailed?.(problem)
      },
    )
    this.#waiting = waiting
  }

  #forget(waiting: Promise<void>): void {
    if (this.#waiting === waiting) this.#waiting = undefined
  }

  #guard(call: () => void): void {
    if (!this.#isOver) call()
  }

  #fold(samples: number, { speechMs, silenceMs }: Heard): void {
    this.#heardSamples += samples
    this.#silentMs = silenceMs
    const heardMs = this.#msOf(this.#heardSamples)
    if (speechMs > 0 && !this.#isSpeaking) {
      this.#isSpeaking = true
      this.#speechMs = 0
      const startMs = heardMs - silenceMs - speechMs - this.#prefixPaddingMs
      this.#options.onStarted(Math.max(0, this.#lastStopMs, startMs))
    }
    if (!this.#isSpeaking) return
    this.#speechMs += speechMs
    const hasteMs = this.#options.hasteMs?.() ?? 0
    if (silenceMs > 0 && silenceMs >= this.#silenceMs - hasteMs) this.#endTurn(heardMs - silenceMs)
  }

  #endTurn(audioEndMs: number): void {
    this.#isSpeaking = false
    this.#lastStopMs = audioEndMs
    this.#options.onStopped(audioEndMs)
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#options.sampleRateHz
  }
}
