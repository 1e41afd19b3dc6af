/** What stands for the recognizer of a simulated cascade: it tells speech from silence, and no words. */

/** A turn with less speech than this has no words in it. */
export const EMPTY_TURN_MS = 200

/** The transcript of a turn; empty where no words were recognized. */
export function transcriptOf(speechMs: number): string {
  return speechMs < EMPTY_TURN_MS ? '' : `(${(speechMs / 1000).toFixed(1)} s of speech)`
}
