/**
 * From speech probabilities of short windows to what a model knows of its user: did they speak in this unit, and how long
 * have they been silent now. Pure; who makes the probabilities is the listener's business.
 */

export interface Heard {
  /** Speech that was heard since the unit before, in whole windows. */
  readonly speechMs: number
  /** Silence at the end of all that was heard so far; all of it where there was no speech. */
  readonly silenceMs: number
}

/** Hears one session, unit by unit and in order. A listener answers either always at once or always with a promise. */
export interface UnitListener {
  hear(pcm: Int16Array): Heard | Promise<Heard>
}

/** Makes a listener for a session whose input has the given rate. */
export type ListenerFactory = (sampleRateHz: number) => UnitListener

/** 512 samples at 16 kHz, the window of the speech detector; the energy listener uses the same length. */
export const WINDOW_MS = 32

// As in the detector's own reference code: speech begins at one threshold and ends at a lower one, so that a wavering
// probability does not chop a word into pieces.
const SPEECH_FROM = 0.5
const SPEECH_UNTIL = 0.35

export interface HearingState {
  readonly isSpeech: boolean
  readonly silenceMs: number
}

export const START_OF_HEARING: HearingState = { isSpeech: false, silenceMs: 0 }

/** Folds the windows that became complete with one unit. */
export function foldWindows(
  state: HearingState,
  probabilities: readonly number[],
): { readonly state: HearingState; readonly heard: Heard } {
  let { isSpeech, silenceMs } = state
  let speechMs = 0
  for (const probability of probabilities) {
    isSpeech = probability >= (isSpeech ? SPEECH_UNTIL : SPEECH_FROM)
    if (isSpeech) speechMs += WINDOW_MS
    silenceMs = isSpeech ? 0 : silenceMs + WINDOW_MS
  }
  return { state: { isSpeech, silenceMs }, heard: { speechMs, silenceMs } }
}
