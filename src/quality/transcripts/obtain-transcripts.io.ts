/** From what a user asks for (`--transcripts`) to the words of a tree: read, recognized or detected. */
import { assert } from '../../base/errors.js'
import type { SpeechFinder } from '../detection/speech-finder.js'
import { openWordSource, type WordSourceOptions } from './open-word-source.io.js'
import { readTranscripts, type TreeTranscripts } from './read-transcripts.io.js'
import { transcribeTree } from './transcribe-tree.io.js'
import type { TranscriptSpec } from './transcript-spec.js'
import type { TranscriptPlace } from './transcript-store.io.js'
import { vadTranscripts } from './vad-transcripts.io.js'

export interface ObtainTranscriptsOptions {
  readonly tree: string
  readonly spec: TranscriptSpec
  /** Where a recognizer's transcripts are kept: `beside` when several sources are compared. */
  readonly place: TranscriptPlace
  readonly recognizer?: WordSourceOptions | undefined
  /** Asked for only by `vad`. */
  readonly finder?: (() => Promise<SpeechFinder>) | undefined
  /** Transcripts that stand in the tree must have a receipt. */
  readonly needsReceipt?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined
}

/**
 * A finder is left open: it belongs to the caller.
 * @throws UserError as `transcribeTree`, `readTranscripts` and `openWordSource` do
 */
export async function obtainTranscripts(options: ObtainTranscriptsOptions): Promise<TreeTranscripts> {
  const { tree, spec, signal, onProgress } = options
  if (spec.kind === 'tree') return readTranscripts({ tree, file: spec.file, needsReceipt: options.needsReceipt })
  if (spec.kind === 'vad') {
    assert(options.finder !== undefined, 'speech segments need a finder')
    return vadTranscripts(tree, await options.finder(), { signal, onProgress })
  }
  const source = await openWordSource(spec, options.recognizer)
  try {
    const { folder } = await transcribeTree({ tree, source, place: options.place, signal, onProgress })
    return await readTranscripts({ tree, folder })
  } finally {
    await source.close()
  }
}
