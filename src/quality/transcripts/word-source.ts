/**
 * Where word times come from. One interface for every recognizer; which one it was is part of every result, because the
 * scores depend on it. A source is handed audio and knows nothing of datasets, trees or scores.
 */
import type { Word } from './transcript.js'

/** Who recognized the words; stored with them and in every score. Two equal identities give comparable words. */
export interface RecognizerIdentity {
  /**
   * `tree`: transcripts that stood in the tree. `openai`: an endpoint. `parakeet`: a local model. `command`: the user's
   * program. `vad`: speech segments counted as words, which is a definition of its own and no recognition.
   */
  readonly kind: 'tree' | 'openai' | 'parakeet' | 'command' | 'vad'
  /** Short, for tables and folder names: `parakeet-tdt-0.6b-v2`, `vad`. */
  readonly name: string
  /** Everything that decides the words: model, file hashes, version, address without secrets, settings. JSON values only. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface WordRequest {
  /** `SUBSET/ID`, for messages. */
  readonly sample: string
  /** Mono, 16 kHz. Times of the answer count from its first sample. */
  readonly pcm: Int16Array
}

export interface WordSource {
  readonly identity: RecognizerIdentity
  /** How many requests may be open at once. */
  readonly concurrency: number
  /**
   * @throws UserError TRANSCRIPTION when there is no answer, or one without word times; the message names the sample
   */
  wordsOf(
    request: WordRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly text: string; readonly words: readonly Word[] }>
  close(): Promise<void>
}
