/**
 * `asr.json`: who transcribed a tree, from which audio, with what result; and the journal that it grows from, so that a
 * run that was cut short goes on where it stopped. Receipts of the field's own tool are read too: they have hashes of the
 * transcripts only, and another way to name the recognizer. Pure.
 * Source: docs/transcripts.md, "asr.json".
 */
import { z } from 'zod'
import type { RecognizerIdentity } from './word-source.js'

export const ASR_SCHEMA = 'floorload-asr'
export const ASR_SCHEMA_VERSION = 1
export const ASR_JOURNAL_FILE = 'asr.journal.jsonl'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

const identitySchema = z.looseObject({
  kind: z.enum(['tree', 'openai', 'parakeet', 'command', 'vad']),
  name: z.string().min(1),
  details: z.record(z.string(), z.unknown()),
})

const entrySchema = z.object({
  /** Of `output.wav`, the whole file. */
  audio_sha256: sha256,
  /** R, where the audio was cut; null for a whole window. */
  cut_s: z.number().nullable(),
  transcript_sha256: sha256,
  words: z.number().int().min(0),
  /** Words that started up to 0.1 s outside of the audio and were moved to its end. */
  moved_words: z.number().int().min(0),
})
export type TranscriptEntry = Readonly<z.infer<typeof entrySchema>>

const ownSchema = z.looseObject({
  schema: z.literal(ASR_SCHEMA),
  schema_version: z.literal(ASR_SCHEMA_VERSION),
  recognizer: identitySchema,
  manifest_sha256: sha256,
  /** By `SUBSET/ID`. */
  samples: z.record(z.string(), entrySchema),
})

/** The field's tool: `subsets.SUBSET.transcripts.ID` is the hash of a transcript, `config` tells of the recognizer. */
const foreignSchema = z.looseObject({
  config: z.record(z.string(), z.unknown()).optional(),
  subsets: z.record(z.string(), z.looseObject({ transcripts: z.record(z.string(), sha256) })),
})

export interface AsrReceipt {
  /** Null in a receipt of another tool. */
  readonly recognizer: RecognizerIdentity | null
  /** What another tool says of its recognizer; null in one of ours. */
  readonly config: Readonly<Record<string, unknown>> | null
  readonly manifestSha256: string | null
  /** Hash of each transcript by `SUBSET/ID`. */
  readonly transcriptSha256: ReadonlyMap<string, string>
  /** All there is to know of each sample; empty in a receipt of another tool. */
  readonly entries: ReadonlyMap<string, TranscriptEntry>
}

/** Reads a receipt of either kind; the problem as a phrase when it is none. */
export function parseAsrReceipt(
  text: string,
): { readonly ok: true; readonly receipt: AsrReceipt } | { readonly ok: false; readonly problem: string } {
  const json = jsonOf(text)
  if (json === undefined) return { ok: false, problem: 'is not valid JSON' }
  const own = ownSchema.safeParse(json)
  if (own.success) {
    const { recognizer, manifest_sha256: manifestSha256, samples } = own.data
    const entries = new Map(Object.entries(samples))
    const hashes = [...entries].map(([sample, entry]) => [sample, entry.transcript_sha256] as const)
    return {
      ok: true,
      receipt: { recognizer, config: null, manifestSha256, transcriptSha256: new Map(hashes), entries },
    }
  }
  const isOwn = z.looseObject({ schema: z.literal(ASR_SCHEMA) }).safeParse(json).success
  const foreign = foreignSchema.safeParse(json)
  if (isOwn || !foreign.success) {
    const issue = (isOwn ? own.error : foreign.error)?.issues[0]
    return { ok: false, problem: `is no receipt of transcripts: ${issue?.path.join('.')}: ${issue?.message}` }
  }
  const hashes = Object.entries(foreign.data.subsets).flatMap(([subset, { transcripts }]) =>
    Object.entries(transcripts).map(([id, hash]) => [`${subset}/${id}`, hash] as const),
  )
  return {
    ok: true,
    receipt: {
      recognizer: null,
      config: foreign.data.config ?? {},
      manifestSha256: null,
      transcriptSha256: new Map(hashes),
      entries: new Map(),
    },
  }
}

/**
 * The receipt's content. `subsets` repeats the hashes in the shape that the field's tools read.
 * @param samples in the order in which they are to stand
 */
export function asrReceipt(parts: {
  readonly recognizer: RecognizerIdentity
  readonly manifestSha256: string
  readonly samples: readonly (readonly [sample: string, entry: TranscriptEntry])[]
}): object {
  const { recognizer, manifestSha256, samples } = parts
  const subsets = new Map<string, Record<string, string>>()
  for (const [sample, { transcript_sha256: hash }] of samples) {
    const slash = sample.indexOf('/')
    const subset = sample.slice(0, slash)
    subsets.set(subset, { ...subsets.get(subset), [sample.slice(slash + 1)]: hash })
  }
  return {
    schema: ASR_SCHEMA,
    schema_version: ASR_SCHEMA_VERSION,
    recognizer,
    manifest_sha256: manifestSha256,
    samples: Object.fromEntries(samples),
    subsets: Object.fromEntries([...subsets].map(([subset, transcripts]) => [subset, { transcripts }])),
  }
}

const journalHeadSchema = z.object({ schema: z.literal(ASR_SCHEMA), recognizer: identitySchema })
const journalLineSchema = z.object({ sample: z.string(), entry: entrySchema })

/** First line of a journal. */
export function journalHead(recognizer: RecognizerIdentity): string {
  return `${JSON.stringify({ schema: ASR_SCHEMA, recognizer })}\n`
}

/** One line for each finished sample. */
export function journalLine(sample: string, entry: TranscriptEntry): string {
  return `${JSON.stringify({ sample, entry })}\n`
}

/** Reads a journal; lines that a crash has torn are left out. Undefined where even the first line is torn. */
export function parseJournal(
  text: string,
): { readonly recognizer: RecognizerIdentity; readonly entries: Map<string, TranscriptEntry> } | undefined {
  const [first = '', ...rest] = text.split('\n')
  const head = journalHeadSchema.safeParse(jsonOf(first))
  if (!head.success) return undefined
  const entries = new Map<string, TranscriptEntry>()
  for (const line of rest) {
    const parsed = journalLineSchema.safeParse(jsonOf(line))
    if (parsed.success) entries.set(parsed.data.sample, parsed.data.entry)
  }
  return { recognizer: head.data.recognizer, entries }
}

/** Whether two recognizers give comparable words: everything that decides them is equal. */
export function isSameRecognizer(one: RecognizerIdentity, other: RecognizerIdentity): boolean {
  return sortedJson(one) === sortedJson(other)
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
