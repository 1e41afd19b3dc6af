/** Finds speech in exported windows; the port behind which the detector's worker threads stand. */
import type { SpeechSegment } from '../../speech/speech-segments.js'
import type { SpeechIdentity } from '../unified/unified-result.js'

export interface SpeechFinder {
  readonly identity: SpeechIdentity
  /**
   * Speech segments of each window, in the windows' order. Every window is detected from a fresh state; many are worked on
   * at once.
   * @param windows mono, 16 kHz; left unchanged
   */
  find(windows: readonly Int16Array[]): Promise<SpeechSegment[][]>
  close(): Promise<void>
}
