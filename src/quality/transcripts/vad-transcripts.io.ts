/** Speech segments of a tree's windows, counted as words. Nothing is written: they are no transcripts. */
import { assert } from '../../base/errors.js'
import type { SpeechFinder } from '../detection/speech-finder.js'
import { sampleFolder } from '../tree/tree-manifest.js'
import type { TreeTranscripts } from './read-transcripts.io.js'
import { onWindow, partToTranscribe } from './reply-part.js'
import { segmentsAsWords, vadIdentity } from './segments-as-words.js'
import type { Transcript } from './transcript.js'
import { readWindow, treeWindows } from './tree-windows.io.js'

/** Windows held in memory at once; 30 s of audio are 1 MB. */
const BATCH = 64

/**
 * User interruption windows are cut at R before detection, as they are before transcription.
 * @throws UserError TREE_INVALID with the sample
 */
export async function vadTranscripts(
  tree: string,
  finder: SpeechFinder,
  options: {
    readonly signal?: AbortSignal | undefined
    readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined
  } = {},
): Promise<TreeTranscripts> {
  const { eligible } = await treeWindows(tree)
  const transcripts = new Map<string, Transcript>()
  for (let at = 0; at < eligible.length; at += BATCH) {
    options.signal?.throwIfAborted()
    const batch = eligible.slice(at, at + BATCH)
    const windows = await Promise.all(batch.map((sample) => readWindow(tree, sample)))
    const parts = windows.map(({ pcm, cutS }) => partToTranscribe(pcm, cutS))
    const sounding = parts.filter(({ length }) => length > 0)
    const found = (await finder.find(sounding)).values()
    for (const [index, sample] of batch.entries()) {
      const part = parts[index] as Int16Array
      const segments = part.length === 0 ? [] : (found.next().value ?? [])
      const placed = onWindow(segmentsAsWords(segments), {
        samples: part.length,
        cutS: windows[index]?.cutS ?? null,
      })
      assert(placed.ok, 'speech segments lie inside of their audio')
      transcripts.set(sampleFolder(sample), placed.transcript)
    }
    options.onProgress?.({ done: transcripts.size, of: eligible.length })
  }
  return { recognizer: vadIdentity(finder.identity), transcripts, asrSha256: null }
}
