/** Where a recognizer's transcripts of a tree stand, and what is there already: receipt, journal, files of others. */
import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { outputError, writeFileWhole } from '../../base/atomic-file.io.js'
import { UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import { ASR_RECEIPT_FILE } from '../tree/tree-manifest.js'
import {
  ASR_JOURNAL_FILE,
  asrReceipt,
  isSameRecognizer,
  journalHead,
  journalLine,
  parseAsrReceipt,
  parseJournal,
  type TranscriptEntry,
} from './asr-receipt.js'
import { TRANSCRIPT_FILE } from './transcript.js'
import { treeError } from './tree-windows.io.js'
import type { RecognizerIdentity } from './word-source.js'

/**
 * `tree`: beside each `output.wav`, as the field's tools have it; one recognizer a tree. `beside`: below
 * `TREE/transcripts/NAME`, so that several can be compared.
 */
export type TranscriptPlace = 'tree' | 'beside'

/** The folder that holds `asr.json` and `SUBSET/ID/output.json`. */
export function transcriptFolder(tree: string, place: TranscriptPlace, recognizer: string): string {
  return place === 'tree' ? tree : join(tree, 'transcripts', recognizer)
}

export class TranscriptStore {
  readonly #recognizer: RecognizerIdentity
  readonly #entries: Map<string, TranscriptEntry>

  private constructor(
    readonly folder: string,
    recognizer: RecognizerIdentity,
    entries: Map<string, TranscriptEntry>,
  ) {
    this.#recognizer = recognizer
    this.#entries = entries
  }

  /**
   * Looks at what is there. Writes nothing.
   * @param samples those that will be transcribed; a transcript of theirs that nothing accounts for is not overwritten
   * @throws UserError OUTPUT_EXISTS where the transcripts are of another recognizer; TREE_INVALID for a broken `asr.json`
   */
  static async open(
    folder: string,
    recognizer: RecognizerIdentity,
    samples: readonly string[],
  ): Promise<TranscriptStore> {
    const entries = new Map<string, TranscriptEntry>()
    const receiptText = await textOf(join(folder, ASR_RECEIPT_FILE))
    const journalText = await textOf(join(folder, ASR_JOURNAL_FILE))
    if (receiptText !== undefined) {
      const parsed = parseAsrReceipt(receiptText)
      if (!parsed.ok) throw treeError(`${join(folder, ASR_RECEIPT_FILE)} ${parsed.problem}`, 'remove it')
      const { receipt } = parsed
      refuseOthers(folder, receipt.recognizer ?? 'another tool', recognizer)
      for (const [sample, entry] of receipt.entries) entries.set(sample, entry)
    }
    const journal = journalText === undefined ? undefined : parseJournal(journalText)
    if (journal !== undefined) {
      refuseOthers(folder, journal.recognizer, recognizer)
      for (const [sample, entry] of journal.entries) entries.set(sample, entry)
    }
    if (receiptText === undefined && journal === undefined) {
      for (const sample of samples) {
        if ((await textOf(join(folder, sample, TRANSCRIPT_FILE))) === undefined) continue
        refuseOthers(folder, `unknown origin (${sample}/${TRANSCRIPT_FILE} stands there without a receipt)`, recognizer)
      }
    }
    return new TranscriptStore(folder, recognizer, entries)
  }

  /** What is recorded of a sample, where its transcript is still the recorded one. */
  async finished(sample: string): Promise<TranscriptEntry | undefined> {
    const entry = this.#entries.get(sample)
    if (entry === undefined) return undefined
    const text = await textOf(join(this.folder, sample, TRANSCRIPT_FILE))
    return text !== undefined && sha256Hex(Buffer.from(text)) === entry.transcript_sha256 ? entry : undefined
  }

  /** Starts the journal, without lines of samples that have to be done again. */
  async begin(kept: ReadonlyMap<string, TranscriptEntry>): Promise<void> {
    const lines = [...kept].map(([sample, entry]) => journalLine(sample, entry))
    await writeFileWhole(join(this.folder, ASR_JOURNAL_FILE), journalHead(this.#recognizer) + lines.join(''))
  }

  /** Writes one transcript, then its line. @returns the entry */
  async put(sample: string, text: string, facts: Omit<TranscriptEntry, 'transcript_sha256'>): Promise<TranscriptEntry> {
    await writeFileWhole(join(this.folder, sample, TRANSCRIPT_FILE), text)
    const { audio_sha256, cut_s, words, moved_words } = facts
    const hash = sha256Hex(Buffer.from(text))
    const entry: TranscriptEntry = { audio_sha256, cut_s, transcript_sha256: hash, words, moved_words }
    const journal = join(this.folder, ASR_JOURNAL_FILE)
    await appendFile(journal, journalLine(sample, entry)).catch((thrown: unknown) => {
      throw outputError(journal, thrown)
    })
    return entry
  }

  /** Writes the receipt and takes the journal away. Same transcripts, same bytes. */
  async finish(
    manifestSha256: string,
    samples: readonly (readonly [sample: string, entry: TranscriptEntry])[],
  ): Promise<void> {
    const receipt = jsonText(asrReceipt({ recognizer: this.#recognizer, manifestSha256, samples }))
    const path = join(this.folder, ASR_RECEIPT_FILE)
    if ((await textOf(path)) !== receipt) await writeFileWhole(path, receipt)
    await rm(join(this.folder, ASR_JOURNAL_FILE), { force: true })
  }
}

function refuseOthers(folder: string, found: RecognizerIdentity | string, wanted: RecognizerIdentity): void {
  if (typeof found !== 'string' && isSameRecognizer(found, wanted)) return
  throw new UserError({
    code: 'OUTPUT_EXISTS',
    message: `${folder} holds transcripts of ${shown(found)}; asked for are those of ${shown(wanted)}`,
    fix: 'score what is there with --transcripts tree, remove its transcripts and asr.json, or use another tree',
  })
}

function shown(identity: RecognizerIdentity | string): string {
  if (typeof identity === 'string') return identity
  return `${identity.kind}:${identity.name} ${JSON.stringify(identity.details)}`
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}
