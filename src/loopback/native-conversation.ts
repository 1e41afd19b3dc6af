/**
 * The model's side of one session: what it does in each unit (`conversation.ts`) put into the form in which its deployment
 * sends it (`native-voice.ts`), with the one thing a client can ask for: to stop the reply in progress.
 */

import { deriveSeed, seededRandom } from '../stats/random.js'
import {
  type ConversationSettings,
  type ConversationState,
  interruptConversation,
  START_OF_CONVERSATION,
  stepConversation,
} from './conversation.js'
import type { Deployment } from './deployment.js'
import type { Heard } from './hearing.js'
import { patienceMs } from './load-behaviour.js'
import { continuousVoice, type NativeVoice, replyingVoice, type UnitVoice } from './native-voice.js'
import type { ResponseEnd } from './response-writer.js'
import type { LoopbackSessionParts } from './session.js'
import type { SessionConfig } from './session-update.js'

const INTERRUPTED: ResponseEnd = { status: 'cancelled', reason: 'interrupted' }

export class NativeConversation {
  readonly #settings: ConversationSettings
  readonly #voice: NativeVoice
  readonly #patienceMs: () => number
  #state: ConversationState = START_OF_CONVERSATION
  #isInterrupted = false

  /** @param patienceMs asked in each unit: the silence after which a reply starts now */
  constructor(settings: ConversationSettings, voice: NativeVoice, patienceMs: () => number) {
    this.#settings = settings
    this.#voice = voice
    this.#patienceMs = patienceMs
  }

  /** One unit: what was heard in, what is sent out. @param isLast no unit will follow */
  hear(heard: Heard, isLast: boolean): UnitVoice {
    const interrupts = this.#isInterrupted
    this.#isInterrupted = false
    const { state, speech } = interrupts
      ? interruptConversation(this.#state, heard)
      : stepConversation(this.#settings, this.#state, heard, this.#patienceMs())
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

/** Level of the noise that a continuous model sends while it says nothing: far below anything a detector hears. */
const QUIET_AMPLITUDE = 3

/** The model's side of a session whose client asked for `config`. */
export function converseNatively(
  parts: Pick<LoopbackSessionParts, 'options' | 'replies' | 'replyOrder' | 'othersOpen'>,
  deployment: Deployment,
  { sampling }: SessionConfig,
): NativeConversation {
  const { options, replies, replyOrder } = parts
  const { continuous, frameSamples } = deployment
  const patience = () => patienceMs(options, parts.othersOpen())
  const settings = {
    replies,
    order: replyOrder,
    unitSamples: frameSamples,
    forceListenUnits: continuous ? 0 : Number(sampling?.force_listen_count ?? options.forceListenCount),
  }
  if (!continuous) return new NativeConversation(settings, replyingVoice(), patience)
  const noise = seededRandom(deriveSeed(options.seed, 'noise'))
  const quietFrame = Int16Array.from(
    { length: frameSamples },
    () => noise.integer(2 * QUIET_AMPLITUDE + 1) - QUIET_AMPLITUDE,
  )
  return new NativeConversation(settings, continuousVoice(deployment, quietFrame), patience)
}
