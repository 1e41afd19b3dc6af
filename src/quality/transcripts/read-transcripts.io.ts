/** Transcripts of a tree from the disk, checked against their receipt. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FDB_V10, isFdbV10Subset } from '../../dataset/annotation.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import { ASR_RECEIPT_FILE, OUTPUT_WAV_FILE, sampleFolder, type TreeSample } from '../tree/tree-manifest.js'
import { type AsrReceipt, parseAsrReceipt } from './asr-receipt.js'
import { parseTranscript, TRANSCRIPT_FILE, type Transcript } from './transcript.js'
import { treeError, treeWindows } from './tree-windows.io.js'
import type { RecognizerIdentity } from './word-source.js'

export interface TreeTranscripts {
  readonly recognizer: RecognizerIdentity
  /** By `SUBSET/ID`: every eligible sample, but that a backchannel sample, which needs no words, may be missing. */
  readonly transcripts: ReadonlyMap<string, Transcript>
  /** Of `asr.json`; null where there is none. */
  readonly asrSha256: string | null
}

export interface ReadTranscriptsOptions {
  readonly tree: string
  /** Holds `SUBSET/ID/FILE` and `asr.json`; the tree itself by default. */
  readonly folder?: string | undefined
  /** Another file than `output.json`; the receipt says nothing of it then. */
  readonly file?: string | undefined
  /** A receipt is needed, as the field's scorer asks for. */
  readonly needsReceipt?: boolean | undefined
}

/**
 * @throws UserError TREE_INVALID with the sample, where a transcript is missing, malformed, or not the one of the receipt
 */
export async function readTranscripts(options: ReadTranscriptsOptions): Promise<TreeTranscripts> {
  const { tree, folder = tree, file = TRANSCRIPT_FILE, needsReceipt = false } = options
  const { manifestSha256, eligible } = await treeWindows(tree)
  const receiptPath = join(folder, ASR_RECEIPT_FILE)
  const receiptBytes = file === TRANSCRIPT_FILE ? await bytesOf(receiptPath) : undefined
  const receipt = receiptBytes === undefined ? undefined : receiptOf(receiptPath, receiptBytes)
  if (receipt === undefined && needsReceipt) {
    throw treeError(`${folder} has no ${ASR_RECEIPT_FILE}`, 'transcribe the tree, or leave out --require-asr')
  }
  const transcripts = new Map<string, Transcript>()
  for (const sample of eligible) {
    const name = sampleFolder(sample)
    const bytes = await bytesOf(join(folder, name, file))
    if (bytes === undefined) {
      if (isWordless(sample)) continue
      throw treeError(`${name} has no ${file}`, 'transcribe the tree (floorload score --transcripts …)')
    }
    if (receipt !== undefined) checkReceipt(receipt, { sample, bytes, manifestSha256 })
    const parsed = parseTranscript(bytes.toString('utf8'))
    if (!parsed.ok) throw treeError(`${name}: ${file} ${parsed.problem}`, TRANSCRIBE_AGAIN)
    transcripts.set(name, parsed.transcript)
  }
  return {
    recognizer: receipt?.recognizer ?? treeIdentity(file, receipt?.config ?? null),
    transcripts,
    asrSha256: receiptBytes === undefined ? null : sha256Hex(receiptBytes),
  }
}

const TRANSCRIBE_AGAIN = 'transcribe the tree again'

function receiptOf(path: string, bytes: Buffer): AsrReceipt {
  const parsed = parseAsrReceipt(bytes.toString('utf8'))
  if (!parsed.ok) throw treeError(`${path} ${parsed.problem}`, TRANSCRIBE_AGAIN)
  return parsed.receipt
}

function checkReceipt(
  receipt: AsrReceipt,
  of: { readonly sample: TreeSample; readonly bytes: Buffer; readonly manifestSha256: string },
): void {
  const name = sampleFolder(of.sample)
  const hash = receipt.transcriptSha256.get(name)
  if (hash === undefined) throw treeError(`${name} is not in ${ASR_RECEIPT_FILE}`, TRANSCRIBE_AGAIN)
  if (hash !== sha256Hex(of.bytes)) {
    throw treeError(
      `${name}: its transcript is not the one of ${ASR_RECEIPT_FILE} (its SHA-256 differs)`,
      TRANSCRIBE_AGAIN,
    )
  }
  const transcribed = receipt.entries.get(name)?.audio_sha256
  const exported = of.sample.files[OUTPUT_WAV_FILE]
  if (transcribed === undefined) return
  // A manifest without hashes must be the very one that was transcribed.
  const isSame = exported === undefined ? receipt.manifestSha256 === of.manifestSha256 : exported === transcribed
  if (!isSame) throw treeError(`${name} was transcribed from another ${OUTPUT_WAV_FILE}`, TRANSCRIBE_AGAIN)
}

/** Backchannel samples have no unified metric. */
function isWordless({ subset, task }: TreeSample): boolean {
  return (isFdbV10Subset(subset) ? FDB_V10[subset].task : task) === 'backchannel'
}

function treeIdentity(file: string, config: Readonly<Record<string, unknown>> | null): RecognizerIdentity {
  const model = config?.model_id
  const own = file === TRANSCRIPT_FILE ? 'tree' : file.replace(/\.json$/, '')
  return {
    kind: 'tree',
    name: typeof model === 'string' && model !== '' ? (model.split('/').at(-1) as string) : own,
    details: { file, ...(config === null ? {} : { config }) },
  }
}

async function bytesOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}
