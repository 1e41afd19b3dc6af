/**
 * The model's side of one session: what it does in each unit (`conversation.ts`) put into the form in which its deployment
 * sends it (`native-voice.ts`), with the one thing a client can ask for: to stop the reply in progress.
 */
import {
  type ConversationSettings,
  type ConversationState,
  interruptConversation,
  START_OF_CONVERSATION,
  stepConversation,
} from './conversation.js'
import type { Heard } from './hearing.js'
import type { NativeVoice, UnitVoice } from './native-voice.js'
import type { ResponseEnd } from './response-writer.js'

const INTERRUPTED: ResponseEnd = { status: 'cancelled', reason: 'interrupted' }

export class NativeConversation {
  readonly #settings: ConversationSettings
  readonly #voice: NativeVoice
  #state: ConversationState = START_OF_CONVERSATION
  #isInterrupted = false

  constructor(settings: ConversationSettings, voice: NativeVoice) {
    this.#settings = settings
    this.#voice = voice
  }

  /** One unit: what was heard in, what is sent out. @param isLast no unit will follow */
  hear(heard: Heard, isLast: boolean): UnitVoice {
    const interrupts = this.#isInterrupted
    this.#isInterrupted = false
    const { state, speech } = interrupts
      ? interruptConversation(this.#state, heard)
      : stepConversation(this.#settings, this.#state, heard)
    this.#state = state
    const unit = this.#voice.say(speech, isLast)
    return interrupts && unit.ends !== undefined ? { ...unit, ends: INTERRUPTED } : unit
  }

  /** The empty unit at the end of the input. */
  end(): UnitVoice {
    const unit = this.#voice.end()
    return this.#isInterrupted ? { ...unit, ends: INTERRUPTED } : unit
  }

  /** `response.cancel` while a reply is in progress: it ends with the unit that is being computed. */
  interrupt(): void {
    this.#isInterrupted = true
  }
}
