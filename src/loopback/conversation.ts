/**
 * What the model does in each unit: it listens, answers when the user has spoken and then been silent, and yields when
 * the user speaks again. A pure state machine: a unit's hearing in, the next state and the unit's speech out.
 *
 *                 | user spoke in the unit          | user silent for long enough        | anything else
 *   listening     | remember it; a silence that     | having spoken before: start a      | listen
 *                 | follows in the same unit counts | reply, its first part in this unit |
 *   replying      | yield: the reply ends here,     | next part; the last part ends it   | next part; the last
 *                 | without more audio              |                                    | part ends it
 *
 * A reply never starts in the first `forceListenUnits` units. Silent and continuous models share the rules: what a
 * continuous model sends while it does not speak is not decided here.
 */
import type { Heard } from './hearing.js'

/** Something to say. */
export interface Reply {
  readonly text: string
  readonly voice: string
  /** Mono, at the profile's output rate. */
  readonly pcm: Int16Array
}

export interface ConversationSettings {
  readonly replies: readonly Reply[]
  /** Order in which the replies are given, as indices; starts over at its end. */
  readonly order: readonly number[]
  /** Output samples of one unit. */
  readonly unitSamples: number
  readonly forceListenUnits: number
}

export interface ConversationState {
  readonly unitIndex: number
  /** The user has said something that has not been answered. */
  readonly userHasSpoken: boolean
  readonly repliesGiven: number
  readonly replying: { readonly reply: Reply; readonly samplesSaid: number } | undefined
}

/** What is said in one unit. Both flags are set when a short reply fits into it. */
export interface UnitSpeech {
  readonly starts: boolean
  readonly ends: boolean
  /** At most one unit long; empty while listening and when yielding. */
  readonly audio: Int16Array
  /** The words that begin in this audio; may be empty. */
  readonly text: string
}

const NO_AUDIO = new Int16Array(0)
export const SILENT: UnitSpeech = { starts: false, ends: false, audio: NO_AUDIO, text: '' }

export const START_OF_CONVERSATION: ConversationState = {
  unitIndex: 0,
  userHasSpoken: false,
  repliesGiven: 0,
  replying: undefined,
}

export interface ConversationStep {
  readonly state: ConversationState
  readonly speech: UnitSpeech
}

/** @param patienceMs silence after which a reply starts; it may differ from unit to unit */
export function stepConversation(
  settings: ConversationSettings,
  state: ConversationState,
  heard: Heard,
  patienceMs: number,
): ConversationStep {
  const next = { ...state, unitIndex: state.unitIndex + 1 }
  const userSpoke = heard.speechMs > 0
  if (state.replying !== undefined) {
    if (!userSpoke) return speak(settings, next, state.replying, false)
    return {
      state: { ...next, replying: undefined, userHasSpoken: true },
      speech: { ...SILENT, ends: true },
    }
  }
  const userHasSpoken = state.userHasSpoken || userSpoke
  const reply = settings.replies[settings.order[state.repliesGiven % Math.max(1, settings.order.length)] ?? 0]
  const mayStart = state.unitIndex >= settings.forceListenUnits && heard.silenceMs >= patienceMs
  if (!userHasSpoken || !mayStart || reply === undefined) return { state: { ...next, userHasSpoken }, speech: SILENT }
  const started = { ...next, userHasSpoken: false, repliesGiven: state.repliesGiven + 1 }
  return speak(settings, started, { reply, samplesSaid: 0 }, true)
}

/** The rest of the reply is dropped unsaid, and the model listens until the user speaks (`response.cancel`). */
export function interruptConversation(state: ConversationState, heard: Heard): ConversationStep {
  return {
    state: { ...state, unitIndex: state.unitIndex + 1, replying: undefined, userHasSpoken: heard.speechMs > 0 },
    speech: { ...SILENT, ends: true },
  }
}

function speak(
  settings: ConversationSettings,
  state: ConversationState,
  { reply, samplesSaid }: { readonly reply: Reply; readonly samplesSaid: number },
  starts: boolean,
): ConversationStep {
  const end = Math.min(reply.pcm.length, samplesSaid + settings.unitSamples)
  const ends = end === reply.pcm.length
  const speech: UnitSpeech = {
    starts,
    ends,
    audio: reply.pcm.subarray(samplesSaid, end),
    text: reply.text.slice(textSaid(reply, samplesSaid), textSaid(reply, end)),
  }
  return { state: { ...state, replying: ends ? undefined : { reply, samplesSaid: end } }, speech }
}

/** Characters of the reply's text that are said by `samples`, whole words only; text is spread evenly over the audio. */
export function textSaid({ text, pcm }: Reply, samples: number): number {
  if (samples >= pcm.length) return text.length
  const reached = Math.floor((text.length * samples) / pcm.length)
  return text[reached] === ' ' ? reached : Math.max(0, text.lastIndexOf(' ', reached))
}
