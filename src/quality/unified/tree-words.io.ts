/** Where the words of a tree's samples come from: files beside each window with their receipt, or a source that was asked. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Hex } from '../../dataset/input-clip.js'
import type { TreeTranscripts } from '../transcripts/read-transcripts.io.js'
import { TRANSCRIPT_FILE, type Transcript } from '../transcripts/transcript.js'
import type { RecognizerIdentity } from '../transcripts/word-source.js'
import { ASR_RECEIPT_FILE } from '../tree/tree-manifest.js'
import { type AsrHashes, parseAsrHashes, type SampleHashes } from './asr-hashes.js'
import { readTreeFile } from './read-tree-file.io.js'
import type { ScoredManifest } from './scored-manifest.js'
import { jsonProblem, treeProblem } from './tree-problem.js'

export interface TreeWords {
  readonly identity: RecognizerIdentity
  /** Of `asr.json`; null without one. */
  readonly asrSha256: string | null
  /** @throws UserError TREE_INVALID where the receipt or the source has nothing of the sample */
  of(key: string): SampleWords
  /** Whose transcript has this hash by the books. */
  ownerOf(sha256: string): string | undefined
}

export interface SampleWords {
  /** Name of the transcript in the sample's folder, or the words themselves. */
  readonly words: { readonly file: string } | { readonly transcript: Transcript }
  /** What `asr.json` knows of the sample. */
  readonly recorded: SampleHashes | undefined
}

/**
 * @param options.requiresAsr transcripts of the tree need their receipt
 * @throws UserError TREE_INVALID for a receipt that is missing, though required, or malformed
 */
export async function treeWords(options: {
  readonly tree: string
  readonly manifest: ScoredManifest
  readonly words: { readonly file: string } | TreeTranscripts
  readonly requiresAsr: boolean
}): Promise<TreeWords> {
  const { words } = options
  return 'transcripts' in words ? obtainedWords(words) : storedWords({ ...options, file: words.file })
}

function obtainedWords({ recognizer, asrSha256, transcripts }: TreeTranscripts): TreeWords {
  return {
    identity: recognizer,
    asrSha256,
    of: (key) => {
      const transcript = transcripts.get(key)
      if (transcript === undefined) throw treeProblem(key, 'has no transcript', { fix: 'transcribe the tree again' })
      return { words: { transcript }, recorded: undefined }
    },
    ownerOf: () => undefined,
  }
}

async function storedWords(options: {
  readonly tree: string
  readonly manifest: ScoredManifest
  readonly file: string
  readonly requiresAsr: boolean
}): Promise<TreeWords> {
  const { tree, manifest, file, requiresAsr } = options
  const path = join(tree, ASR_RECEIPT_FILE)
  // The receipt speaks of the transcripts under their usual name only.
  const bytes = file === TRANSCRIPT_FILE && existsSync(path) ? await readTreeFile(path) : undefined
  if (bytes === undefined && requiresAsr) {
    throw treeProblem(tree, `has no ${ASR_RECEIPT_FILE} for ${file}`, {
      fix: 'transcribe the tree, or leave out --require-asr',
    })
  }
  const receipt = bytes === undefined ? undefined : receiptOf(path, bytes)
  const eligible = manifest.entries.filter(({ isEligible }) => isEligible)
  // A receipt that names samples in another way than the manifest says nothing of any of them.
  const isBook = receipt !== undefined && eligible.some(({ key }) => receipt.samples.has(key))
  const owners = ownersOf(manifest, file, receipt)
  return {
    identity: receipt?.recognizer ?? treeIdentity(file, receipt?.config ?? null),
    asrSha256: bytes === undefined ? null : sha256Hex(bytes),
    of: (key) => {
      const recorded = receipt?.samples.get(key)
      if (isBook && recorded === undefined) {
        throw treeProblem(key, `is not in ${ASR_RECEIPT_FILE}`, { fix: 'transcribe the tree again' })
      }
      return { words: { file }, recorded }
    },
    ownerOf: (sha256) => owners.get(sha256),
  }
}

function receiptOf(path: string, bytes: Buffer): AsrHashes {
  const text = bytes.toString('utf8')
  const parsed = parseAsrHashes(text)
  if (parsed.ok) return parsed.value
  const problem = parsed.problem === 'is not valid JSON' ? jsonProblem(text) : parsed.problem
  throw treeProblem(path, problem, { fix: 'transcribe the tree again' })
}

function treeIdentity(file: string, config: Readonly<Record<string, unknown>> | null): RecognizerIdentity {
  const model = config?.model_id
  const short = typeof model === 'string' ? model.split('/').at(-1) : undefined
  const name = short || (file === TRANSCRIPT_FILE ? 'tree' : file.replace(/\.json$/, ''))
  return { kind: 'tree', name, details: { file, ...(config === null ? {} : { config }) } }
}

function ownersOf(manifest: ScoredManifest, file: string, receipt: AsrHashes | undefined): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { key, hashes } of manifest.entries) {
    for (const hash of [hashes.get(file), receipt?.samples.get(key)?.transcript]) {
      if (hash !== undefined) owners.set(hash, key)
    }
  }
  return owners
}
