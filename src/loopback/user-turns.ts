/**
 * The user's side of a conversation in turns: tells the client when speech begins and ends, gives each turn its item, and
 * hands it on to be answered. The detector ends the turns, or the client does (`turn_detection: null`); then nothing is
 * told of speech, and what the client commits is a turn.
 */
import type { EventSender } from './event-sender.js'
import type { UnitListener } from './hearing.js'
import { transcriptOf } from './transcript.js'
import type { TurnDetection } from './turn-detection.js'
import { TurnDetector } from './turn-detector.js'

export interface UserTurnsSettings {
  readonly sampleRateHz: number
  readonly listener: UnitListener
  readonly events: EventSender
  /** By how much the silence that ends a turn is shortened now. */
  hasteMs(): number
  /** A turn that is over is told with `input_audio_buffer.committed`. */
  readonly announcesCommit: boolean
  /** The detector heard speech begin; the client has been told. */
  onStarted(): void
  /** A turn is over; the client has been told what was recognized. */
  onTurn(speechMs: number): void
  onListenerFailed(problem: unknown): void
}

/** Turns that the client ends have no silence that does. */
const CLIENT_ENDS_TURNS = { silenceMs: Number.POSITIVE_INFINITY, prefixPaddingMs: 0 }

export class UserTurns {
  readonly #settings: UserTurnsSettings
  readonly #detector: TurnDetector
  #isDetecting = false
  #items = 0
  /** Of the turn that the client was told has started. */
  #openItemId: string | undefined
  /** Speech since the client's last commit that belongs to no turn. */
  #uncommittedMs = 0

  constructor(settings: UserTurnsSettings) {
    this.#settings = settings
    this.#detector = new TurnDetector({
      sampleRateHz: settings.sampleRateHz,
      listener: settings.listener,
      ...CLIENT_ENDS_TURNS,
      hasteMs: () => settings.hasteMs(),
      onStarted: (audioStartMs) => this.#started(audioStartMs),
      onStopped: (audioEndMs) => this.#stopped(audioEndMs),
      onFailed: (problem) => settings.onListenerFailed(problem),
    })
  }

  /** The detector ends the turns. */
  get isDetecting(): boolean {
    return this.#isDetecting
  }

  get isUserSpeaking(): boolean {
    return this.#detector.isSpeaking
  }

  /** @param turnDetection null where the client ends the turns */
  configure(turnDetection: TurnDetection | null): void {
    this.#isDetecting = turnDetection !== null
    this.#detector.configure(turnDetection ?? CLIENT_ENDS_TURNS)
  }

  hear(pcm: Int16Array): void {
    this.#detector.hear(pcm)
  }

  /** Calls once everything so far has been heard. */
  whenHeard(call: () => void): void {
    this.#detector.whenHeard(call)
  }

  /** What has come so far is a turn, with speech in it or without. */
  commit(): void {
    this.#detector.finish()
    this.#detector.whenHeard(() => {
      const speechMs = this.#uncommittedMs
      this.#uncommittedMs = 0
      this.#over(this.#nextItemId(), speechMs)
    })
  }

  /** The user's last turn ends here if it has not ended; what was not committed is no turn. */
  finish(): void {
    this.#detector.finish()
  }

  stop(): void {
    this.#detector.stop()
  }

  #started(audioStartMs: number): void {
    if (!this.#isDetecting) return
    this.#openItemId = this.#nextItemId()
    this.#settings.events.send('input_audio_buffer.speech_started', {
      audio_start_ms: audioStartMs,
      item_id: this.#openItemId,
    })
    this.#settings.onStarted()
  }

  #stopped(audioEndMs: number): void {
    const itemId = this.#openItemId
    const { speechMs } = this.#detector
    if (itemId === undefined) {
      this.#uncommittedMs += speechMs
      return
    }
    this.#openItemId = undefined
    this.#settings.events.send('input_audio_buffer.speech_stopped', { audio_end_ms: audioEndMs, item_id: itemId })
    this.#over(itemId, speechMs)
  }

  #over(itemId: string, speechMs: number): void {
    const { events, announcesCommit, onTurn } = this.#settings
    if (announcesCommit) events.send('input_audio_buffer.committed', { item_id: itemId })
    events.send('conversation.item.input_audio_transcription.completed', {
      item_id: itemId,
      content_index: 0,
      transcript: transcriptOf(speechMs),
    })
    onTurn(speechMs)
  }

  #nextItemId(): string {
    return `item_u${this.#items++}`
  }
}
