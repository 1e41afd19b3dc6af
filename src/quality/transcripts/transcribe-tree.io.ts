/**
 * Every eligible window of a tree through a recognizer: read, cut at R, transcribe, place on the window, write. Goes on
 * where an earlier run of the same recognizer stopped; the receipt is written last and says that the set is complete.
 * Source: docs/transcripts.md.
 */
import { sampleFolder, type TreeSample, WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import type { TranscriptEntry } from './asr-receipt.js'
import { MIN_SENT_S, onWindow, partToTranscribe } from './reply-part.js'
import { formatTranscript, type Transcript } from './transcript.js'
import { type TranscriptPlace, TranscriptStore, transcriptFolder } from './transcript-store.io.js'
import { transcriptionError } from './transcription-error.js'
import { readWindow, type TreeWindow, treeWindows } from './tree-windows.io.js'
import type { WordSource } from './word-source.js'

export interface TranscribeTreeOptions {
  readonly tree: string
  readonly source: WordSource
  readonly place: TranscriptPlace
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined
}

export interface TranscribedTree {
  /** Holds `asr.json` and the transcripts. */
  readonly folder: string
  /** Samples that were sent in this run; 0 where all was there. */
  readonly transcribed: number
}

/**
 * @throws UserError TRANSCRIPTION when a sample gets no words: finished samples stay, and another run goes on; TREE_INVALID;
 *   OUTPUT_EXISTS where the place holds the transcripts of another recognizer
 */
export async function transcribeTree(options: TranscribeTreeOptions): Promise<TranscribedTree> {
  const { tree, source, signal, onProgress } = options
  const { manifestSha256, eligible } = await treeWindows(tree)
  const names = eligible.map(sampleFolder)
  const folder = transcriptFolder(tree, options.place, source.identity.name)
  const store = await TranscriptStore.open(folder, source.identity, names)

  const entries = new Map<string, TranscriptEntry>()
  const open: TreeSample[] = []
  for (const sample of eligible) {
    const entry = await store.finished(sampleFolder(sample))
    const window = entry === undefined ? undefined : await readWindow(tree, sample)
    const isCurrent = entry?.audio_sha256 === window?.audioSha256 && entry?.cut_s === window?.cutS
    if (entry !== undefined && isCurrent) entries.set(sampleFolder(sample), entry)
    else open.push(sample)
  }
  const report = () => onProgress?.({ done: entries.size, of: eligible.length })
  report()
  if (open.length > 0) {
    await store.begin(entries)
    await eachBounded(open, { atOnce: source.concurrency, signal }, async (sample, stop) => {
      const name = sampleFolder(sample)
      const window = await readWindow(tree, sample)
      const { transcript, movedWords } = await wordsOfWindow(source, { name, window, signal: stop })
      const facts = { audio_sha256: window.audioSha256, cut_s: window.cutS, words: transcript.words.length }
      entries.set(name, await store.put(name, formatTranscript(transcript), { ...facts, moved_words: movedWords }))
      report()
    })
  }
  await store.finish(
    manifestSha256,
    names.flatMap((name) => {
      const entry = entries.get(name)
      return entry === undefined ? [] : [[name, entry] as const]
    }),
  )
  return { folder, transcribed: open.length }
}

/** Silent windows are sent as well: what a recognizer makes of silence is part of its answer. */
async function wordsOfWindow(
  source: WordSource,
  request: { readonly name: string; readonly window: TreeWindow; readonly signal: AbortSignal },
): Promise<{ readonly transcript: Transcript; readonly movedWords: number }> {
  const { name: sample, window, signal } = request
  const pcm = partToTranscribe(window.pcm, window.cutS)
  if (pcm.length < MIN_SENT_S * WINDOW_RATE_HZ) return { transcript: { text: '', words: [] }, movedWords: 0 }
  const answer = await source.wordsOf({ sample, pcm }, signal)
  const placed = onWindow(answer, { samples: pcm.length, cutS: window.cutS })
  if (placed.ok) return placed
  throw transcriptionError({
    sample,
    problem: `${source.identity.name} gave times outside of the audio: ${placed.problem}`,
    fix: 'use a recognizer that keeps to the audio it is given',
  })
}

/** Runs a task for each item, some at once; the first failure stops those that are open and is thrown when they have ended. */
async function eachBounded<T>(
  items: readonly T[],
  limits: { readonly atOnce: number; readonly signal: AbortSignal | undefined },
  task: (item: T, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const stop = limits.signal === undefined ? failed.signal : AbortSignal.any([failed.signal, limits.signal])
  const queue = items.values()
  let failure: { readonly thrown: unknown } | undefined
  const work = async () => {
    for (const item of queue) {
      if (stop.aborted) return
      try {
        await task(item, stop)
      } catch (thrown) {
        failure ??= { thrown }
        failed.abort()
        return
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, limits.atOnce) }, work))
  limits.signal?.throwIfAborted()
  if (failure !== undefined) throw failure.thrown
}
