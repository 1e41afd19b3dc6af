/**
 * The model's side of a session in the vLLM duplex dialect: the conversation of a native model (`conversation.ts`), with
 * what this dialect adds to it: a model that only speaks when asked, and one that speaks on while the user does.
 */
import { type ConversationSettings, START_OF_CONVERSATION, stepConversation, type UnitSpeech } from './conversation.js'
import type { Heard } from './hearing.js'

export interface VllmManners {
  /** Answers by itself when the user has fallen silent. */
  readonly answers: boolean
  /** Stops when the user speaks. */
  readonly yields: boolean
  /** Silence after which it answers. */
  readonly patienceMs: number
}

export interface VllmUnitSpeech extends UnitSpeech {
  /** The user spoke into the reply: it was given up, or, for a model that does not yield, went on. */
  readonly isOverlapped: boolean
  readonly isGivenUp: boolean
}

/** Longer than any silence that a reply waits for, and shorter. */
const LONG_ENOUGH_MS = Number.POSITIVE_INFINITY
const NEVER_ENOUGH_MS = -1

export class VllmModel {
  readonly #settings: ConversationSettings
  #state = START_OF_CONVERSATION
  #isAsked = false

  constructor(settings: ConversationSettings) {
    this.#settings = settings
  }

  /** One unit. */
  hear(heard: Heard, { answers, yields, patienceMs }: VllmManners): VllmUnitSpeech {
    const userSpoke = heard.speechMs > 0
    const isOverlapped = this.#state.replying !== undefined && userSpoke
    const speaksOn = isOverlapped && !yields
    if (this.#isAsked) this.#state = { ...this.#state, userHasSpoken: true }
    const silenceMs = this.#isAsked ? LONG_ENOUGH_MS : answers ? heard.silenceMs : NEVER_ENOUGH_MS
    const taken = { speechMs: speaksOn ? 0 : heard.speechMs, silenceMs }
    const { state, speech } = stepConversation(this.#settings, this.#state, taken, patienceMs)
    // What the user said into a reply is answered after it.
    this.#state = speaksOn ? { ...state, userHasSpoken: true } : state
    if (speech.starts) this.#isAsked = false
    return { ...speech, isOverlapped, isGivenUp: isOverlapped && yields }
  }

  /** The next unit that may hold a reply begins one, whatever the user does. */
  ask(): void {
    this.#isAsked = true
  }

  /** The reply in progress is given up, and the model listens until the user speaks. */
  interrupt(): void {
    this.#state = { ...this.#state, replying: undefined, userHasSpoken: false }
  }
}
