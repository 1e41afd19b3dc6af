/**
 * What `asr.json` knows of each sample: the hash of its transcript and of the audio it was made from. Our own receipt, that
 * of the field's tool, and any other with hashes by sample. Text in, hashes or the problem out.
 */
import { isObject } from '../../base/json.js'
import { parseAsrReceipt } from '../transcripts/asr-receipt.js'
import { TRANSCRIPT_FILE } from '../transcripts/transcript.js'
import type { RecognizerIdentity } from '../transcripts/word-source.js'
import { OUTPUT_WAV_FILE } from '../tree/tree-manifest.js'
import type { Checked } from './check-sample.js'
import { jsonProblem } from './tree-problem.js'

export interface SampleHashes {
  readonly transcript?: string | undefined
  readonly audio?: string | undefined
}

export interface AsrHashes {
  /** Null where the receipt is another tool's. */
  readonly recognizer: RecognizerIdentity | null
  /** What another tool says of its recognizer. */
  readonly config: Readonly<Record<string, unknown>> | null
  /** By `SUBSET/ID`; empty where the receipt's form has none that could be found. */
  readonly samples: ReadonlyMap<string, SampleHashes>
}

const OWN_SCHEMA = /^floorload/
const TRANSCRIPT_KEYS = [
  'transcript_sha256',
  'output_json_sha256',
  'output_sha256',
  'transcript',
  TRANSCRIPT_FILE,
  'sha256',
]
const AUDIO_KEYS = ['audio_sha256', 'output_wav_sha256', 'wav_sha256', 'audio', OUTPUT_WAV_FILE]
const COLLECTIONS = ['samples', 'transcripts', 'entries', 'items']

export function parseAsrHashes(text: string): Checked<AsrHashes> {
  const parsed = parseAsrReceipt(text)
  if (parsed.ok) {
    const { recognizer, config, transcriptSha256, entries } = parsed.receipt
    const samples = [...transcriptSha256].map(
      ([key, transcript]) => [key, { transcript, audio: entries.get(key)?.audio_sha256 }] as const,
    )
    return { ok: true, value: { recognizer, config, samples: new Map(samples) } }
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: jsonProblem(text) }
  }
  if (!isObject(json) || (typeof json.schema === 'string' && OWN_SCHEMA.test(json.schema))) return parsed
  const samples = new Map<string, SampleHashes>()
  for (const [key, value] of [...entriesOf(json, undefined), ...bySubset(json.subsets)]) {
    const hashes = hashesOf(value)
    if (key.includes('/') && (hashes.transcript ?? hashes.audio) !== undefined) samples.set(key, hashes)
  }
  return { ok: true, value: { recognizer: null, config: isObject(json.config) ? json.config : null, samples } }
}

type Entry = readonly [key: string, value: unknown]

function bySubset(subsets: unknown): Entry[] {
  if (!isObject(subsets)) return []
  return Object.entries(subsets).flatMap(([subset, value]) => (isObject(value) ? entriesOf(value, subset) : []))
}

/** Lists of objects with an id, and records by id. */
function entriesOf(holder: Readonly<Record<string, unknown>>, subset: string | undefined): Entry[] {
  return COLLECTIONS.flatMap((name) => {
    const collection = holder[name]
    if (isObject(collection)) return Object.entries(collection).map(([id, value]) => [keyOf(id, subset, value), value])
    if (!Array.isArray(collection)) return []
    return collection.flatMap((value): Entry[] => {
      const id = isObject(value) ? (value.sample_id ?? value.id ?? value.sample) : undefined
      return typeof id === 'string' ? [[keyOf(id, subset, value), value]] : []
    })
  })
}

function keyOf(id: string, subset: string | undefined, value: unknown): string {
  if (id.includes('/')) return id
  const own = isObject(value) && typeof value.subset === 'string' ? value.subset : subset
  return own === undefined ? id : `${own}/${id}`
}

function hashesOf(value: unknown): SampleHashes {
  if (typeof value === 'string') return { transcript: hashText(value) }
  if (!isObject(value)) return {}
  const files = filesOf(value.files)
  const find = (keys: readonly string[]) =>
    keys.map((key) => hashText(value[key]) ?? hashText(files[key])).find((hash) => hash !== undefined)
  return { transcript: find(TRANSCRIPT_KEYS), audio: find(AUDIO_KEYS) }
}

function filesOf(files: unknown): Readonly<Record<string, unknown>> {
  if (isObject(files)) return files
  if (!Array.isArray(files)) return {}
  return Object.fromEntries(
    files.filter(isObject).map((entry) => [String(entry.file ?? entry.path ?? entry.name), entry]),
  )
}

function hashText(value: unknown): string | undefined {
  const text = isObject(value) ? value.sha256 : value
  if (typeof text !== 'string') return undefined
  const plain = text.toLowerCase().replace(/^sha256:/, '')
  return /^[0-9a-f]{64}$/.test(plain) ? plain : undefined
}
