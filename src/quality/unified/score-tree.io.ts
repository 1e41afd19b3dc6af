/**
 * Scores an exported tree: reads and checks every eligible sample, finds the speech of the interruption windows, scores.
 * Writes nothing.
 * Source: docs/metrics.md, "Unified turn-taking metrics"; docs/formats.md, "Unified scores".
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { assert, UserError } from '../../base/errors.js'
import { toolVersion } from '../../base/version.io.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import type { SpeechFinder } from '../detection/speech-finder.js'
import type { TreeTranscripts } from '../transcripts/read-transcripts.io.js'
import { TRANSCRIPT_FILE } from '../transcripts/transcript.js'
import { PAIR_MANIFEST_FILE, TREE_MANIFEST_FILE } from '../tree/tree-manifest.js'
import { checkSample, speechProblem } from './check-sample.js'
import { detectedSpeech } from './detected-speech.js'
import type { LoadedSample } from './loaded-sample.js'
import { readTreeFile } from './read-tree-file.io.js'
import { BOOTSTRAP_SEED, RESAMPLES } from './resampling.js'
import { readSampleFiles } from './sample-files.io.js'
import { scoreSamples } from './score-samples.js'
import { parseScoredManifest, type ScoredEntry, type ScoredManifest } from './scored-manifest.js'
import { treeProblem } from './tree-problem.js'
import { type TreeWords, treeWords } from './tree-words.io.js'
import { UNIFIED_DEFINITIONS, type UnifiedResult, type UnifiedRow, VAD_WORD_DEFINITIONS } from './unified-result.js'

export interface ScoreTreeOptions {
  readonly tree: string
  /** Name of the transcript beside each `output.wav`, or words obtained otherwise; `output.json` by default. */
  readonly words?: { readonly file: string } | TreeTranscripts | undefined
  /** Who finds speech in interruption windows, asked for once the samples are read; or a file of segments beside each. */
  readonly speech: { readonly finder: () => Promise<SpeechFinder> } | { readonly file: string }
  /** Refuses transcripts of the tree without `asr.json`. */
  readonly requiresAsr?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface ScoredTree {
  readonly result: UnifiedResult
  readonly rows: readonly UnifiedRow[]
}

/** Windows whose speech is looked for at once; 30 s of audio are 1 MB. */
const WINDOWS_AT_ONCE = 64

/**
 * A finder is left open: it belongs to the caller.
 * @throws UserError TREE_INVALID with the sample and the problem; FILE_UNREADABLE where there is no such folder
 */
export async function scoreTree(options: ScoreTreeOptions): Promise<ScoredTree> {
  const { tree, speech, signal, requiresAsr = false } = options
  const { manifest, manifestSha256 } = await readManifest(tree)
  const words = await treeWords({ tree, manifest, words: options.words ?? { file: TRANSCRIPT_FILE }, requiresAsr })
  const loaded: LoadedWindow[] = []
  for (const entry of manifest.entries) {
    signal?.throwIfAborted()
    loaded.push(await loadSample(entry, options, words))
  }
  const finder = 'finder' in speech ? await speech.finder() : undefined
  const samples = finder === undefined ? loaded.map(({ sample }) => sample) : await withSpeech(finder, loaded, signal)
  const isVad = words.identity.kind === 'vad'
  const scores = scoreSamples(samples, { declared: manifest.declared, withOfficialRules: !isVad })
  return {
    result: {
      definitions: isVad ? VAD_WORD_DEFINITIONS : UNIFIED_DEFINITIONS,
      tool: { name: 'floorload', version: toolVersion() },
      manifest_sha256: manifestSha256,
      asr_sha256: words.asrSha256,
      words: words.identity,
      speech: 'file' in speech ? { kind: 'file', file: speech.file } : (finder as SpeechFinder).identity,
      bootstrap: { resamples: RESAMPLES, seed: BOOTSTRAP_SEED },
      subsets: scores.subsets,
    },
    rows: scores.rows,
  }
}

async function readManifest(tree: string): Promise<{ manifest: ScoredManifest; manifestSha256: string }> {
  const path = join(tree, TREE_MANIFEST_FILE)
  if (!existsSync(tree)) {
    throw new UserError({ code: 'FILE_UNREADABLE', message: `${tree} does not exist`, fix: 'correct the path' })
  }
  if (!existsSync(path)) {
    const isOfPairs = existsSync(join(tree, PAIR_MANIFEST_FILE))
    throw treeProblem(
      tree,
      isOfPairs ? 'holds v1.5 pairs, which have no unified scores' : `has no ${TREE_MANIFEST_FILE}`,
      {
        fix: 'give a folder that floorload export wrote from v1.0 samples',
      },
    )
  }
  const bytes = await readTreeFile(path)
  const parsed = parseScoredManifest(bytes.toString('utf8'))
  if (!parsed.ok) throw treeProblem(path, parsed.problem, { fix: 'export the tree again' })
  return { manifest: parsed.value, manifestSha256: sha256Hex(bytes) }
}

interface LoadedWindow {
  readonly key: string
  readonly sample: LoadedSample
  /** Where speech is still to be found. */
  readonly pcm: Int16Array | undefined
}

async function loadSample(
  entry: ScoredEntry,
  { tree, speech }: ScoreTreeOptions,
  words: TreeWords,
): Promise<LoadedWindow> {
  const { key, sampleId, subset, task, input, reasons } = entry
  if (!entry.isEligible) return { key, sample: { kind: 'ineligible', sampleId, subset, task, reasons }, pcm: undefined }
  const files = await readSampleFiles(entry, {
    tree,
    ...words.of(key),
    speechFile: 'file' in speech ? speech.file : undefined,
    ownerOf: words.ownerOf,
  })
  const checked = checkSample({
    sampleId,
    subset,
    task,
    input,
    annotation: files.annotation,
    words: files.transcript.words,
    speech: files.speech ?? [],
  })
  if (!checked.ok) throw treeProblem(key, checked.problem)
  return { key, sample: checked.value, pcm: files.pcm }
}

/** The samples, those that came with a window with the speech that is detected in it. */
async function withSpeech(
  finder: SpeechFinder,
  loaded: readonly LoadedWindow[],
  signal: AbortSignal | undefined,
): Promise<LoadedSample[]> {
  const open = loaded.flatMap(({ key, sample, pcm }) => (pcm === undefined ? [] : [{ key, sample, pcm }]))
  const found = new Map<LoadedSample, LoadedSample>()
  for (let at = 0; at < open.length; at += WINDOWS_AT_ONCE) {
    signal?.throwIfAborted()
    const batch = open.slice(at, at + WINDOWS_AT_ONCE)
    const segments = await finder.find(batch.map(({ pcm }) => pcm))
    assert(segments.length === batch.length, 'there are segments for each window')
    for (const [index, { key, sample, pcm }] of batch.entries()) {
      assert(sample.kind === 'interruption', 'speech is looked for in interruption windows')
      const window = { samples: pcm.length, totalUs: sample.totalUs }
      const speech = detectedSpeech(segments[index] ?? [], window)
      const problem = speechProblem(speech, sample.totalUs)
      if (problem !== undefined) throw treeProblem(key, problem)
      found.set(sample, { ...sample, speech })
    }
  }
  return loaded.map(({ sample }) => found.get(sample) ?? sample)
}
