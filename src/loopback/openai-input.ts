/**
 * The input side of a session in the OpenAI dialect: the buffer that is committed, as a count of samples, and the server's
 * turn detection over it. Silence is counted in appended samples, not in time.
 *
 *   detection  | user begins to speak | silence for long enough | client commits
 *   on         | onTurnStarted        | onTurnEnded             | the turn ends as if by silence; none open: onCommitted
 *   off        | -                    | -                       | onCommitted
 *
 * The detector's own times begin where it was switched on; those told here are on the session's input timeline.
 */
import type { ListenerFactory } from './hearing.js'
import {
  type OpenAiTurnDetection,
  prefixPaddingMsOf,
  type SemanticVad,
  type ServerVad,
  silenceMsOf,
} from './openai-config.js'
import { type Problem, refusal } from './openai-error.js'
import { TurnDetector } from './turn-detector.js'

export interface OpenAiInputParts {
  readonly sampleRateHz: number
  readonly listeners: ListenerFactory
  /** By how much the silence that ends a turn is shortened now. */
  readonly hasteMs: () => number
  readonly onTurnStarted: (audioStartMs: number) => void
  /** The audio of the turn is committed with it. @param speechMs how much of it was speech */
  readonly onTurnEnded: (audioEndMs: number, speechMs: number) => void
  /** The client committed what is in the buffer. */
  readonly onCommitted: () => void
  readonly onCommitRefused: (problem: Problem, eventId: string | null) => void
  readonly onListenerFailed: (problem: unknown) => void
}

/** As at OpenAI: less than this is refused as an empty buffer. */
export const COMMIT_MS_MIN = 100

export class OpenAiInput {
  readonly #parts: OpenAiInputParts
  #detection: ServerVad | SemanticVad | undefined
  #detector: TurnDetector | undefined
  #appendedSamples = 0
  #bufferedSamples = 0

  constructor(parts: OpenAiInputParts) {
    this.#parts = parts
  }

  get appendedMs(): number {
    return this.#msOf(this.#appendedSamples)
  }

  /** Takes effect with the next audio. Switching off ends a turn in progress as silence would. */
  detect(detection: OpenAiTurnDetection): void {
    this.#detection = detection ?? undefined
    if (detection !== null) {
      this.#detector?.configure(settingsOf(detection))
      return
    }
    this.#detector?.finish()
    this.#detector = undefined
  }

  append(pcm: Int16Array): void {
    if (this.#detection !== undefined) this.#detector ??= this.#startDetector(this.#detection)
    this.#appendedSamples += pcm.length
    this.#bufferedSamples += pcm.length
    this.#detector?.hear(pcm)
  }

  /** @param eventId id of the client's event, for the refusal that may come later */
  commit(eventId: string | null): void {
    const detector = this.#detector
    if (detector === undefined) this.#commitBuffer(eventId)
    else detector.whenHeard(() => (detector.isSpeaking ? detector.finish() : this.#commitBuffer(eventId)))
  }

  /** Drops what has not been committed. The timeline goes on counting it. */
  clear(): void {
    this.#bufferedSamples = 0
  }

  #commitBuffer(eventId: string | null): void {
    const bufferedMs = this.#msOf(this.#bufferedSamples)
    if (bufferedMs < COMMIT_MS_MIN) {
      const message = `the buffer holds ${bufferedMs} ms of audio, and at least ${COMMIT_MS_MIN} ms are needed`
      this.#parts.onCommitRefused(refusal('input_audio_buffer_commit_empty', message), eventId)
      return
    }
    this.#bufferedSamples = 0
    this.#parts.onCommitted()
  }

  #startDetector(detection: ServerVad | SemanticVad): TurnDetector {
    const { sampleRateHz, listeners, hasteMs, onTurnStarted, onTurnEnded, onListenerFailed } = this.#parts
    const offsetMs = this.appendedMs
    const detector: TurnDetector = new TurnDetector({
      sampleRateHz,
      listener: listeners(sampleRateHz),
      ...settingsOf(detection),
      hasteMs,
      onStarted: (audioStartMs) => onTurnStarted(offsetMs + audioStartMs),
      onStopped: (audioEndMs) => {
        this.#bufferedSamples = 0
        onTurnEnded(offsetMs + audioEndMs, detector.speechMs)
      },
      onFailed: onListenerFailed,
    })
    return detector
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#parts.sampleRateHz
  }
}

function settingsOf(detection: ServerVad | SemanticVad): { silenceMs: number; prefixPaddingMs: number } {
  return { silenceMs: silenceMsOf(detection), prefixPaddingMs: prefixPaddingMsOf(detection) }
}
