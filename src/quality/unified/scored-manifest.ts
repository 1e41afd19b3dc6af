/**
 * `manifest.json` as the scorer reads it: our own exports and those of other tools, liberal in form and strict in what it
 * says. Text in, samples or the first problem out.
 * Source: docs/formats.md, "Unified scores", what is read.
 */
import { z } from 'zod'
import { isObject } from '../../base/json.js'
import { FDB_V10, isFdbV10Subset } from '../../dataset/annotation.js'
import type { Checked, InputLength } from './check-sample.js'
import { isScoredSubset, type SampleHead } from './loaded-sample.js'
import { jsonProblem } from './tree-problem.js'

export interface ScoredEntry extends SampleHead {
  /** `SUBSET/ID`, its folder below the tree. */
  readonly key: string
  readonly isEligible: boolean
  /** Of an ineligible sample. */
  readonly reasons: readonly string[]
  readonly input: InputLength
  /** Recorded hashes by file name; names without a hash are left out. */
  readonly hashes: ReadonlyMap<string, string>
}

export interface ScoredManifest {
  readonly declared: Readonly<Record<string, number>>
  /** Of the scored subsets, in the manifest's order. */
  readonly entries: readonly ScoredEntry[]
}

/** Ours, without annotations: exported to be listened to. */
const UNSCORED_SUBSETS = ['speech', 'audio']

const name = z.union([z.string().min(1), z.number().int().transform(String)])
const hash = z.string().transform((text) => text.toLowerCase().replace(/^sha256:/, ''))
const hashed = z.union([hash, z.looseObject({ sha256: hash.nullish() }), z.null()])
const reason = z.union([z.string(), z.looseObject({})])
const reasonList = z.union([z.string().transform((text) => [text]), z.array(reason)]).nullish()

const sampleSchema = z.looseObject({
  sample_id: name.nullish(),
  id: name.nullish(),
  subset: z.string().min(1).nullish(),
  task: z.string().nullish(),
  eligible: z.boolean(),
  reasons: reasonList,
  ineligible_reasons: reasonList,
  input: z
    .looseObject({
      duration_s: z.number().nullish(),
      samples: z.number().int().nullish(),
      sample_rate: z.number().nullish(),
      sample_rate_hz: z.number().nullish(),
    })
    .nullish(),
  files: z
    .union([
      z.record(z.string(), hashed),
      z.array(
        z.looseObject({
          file: z.string().nullish(),
          path: z.string().nullish(),
          name: z.string().nullish(),
          sha256: hash.nullish(),
        }),
      ),
    ])
    .nullish(),
})
type RawEntry = z.infer<typeof sampleSchema>

const declaredSchema = z.record(z.string(), z.number().int().min(0)).nullish()

/** @returns a problem with the sample's id where there is one */
export function parseScoredManifest(text: string): Checked<ScoredManifest> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { ok: false, problem: jsonProblem(text) }
  }
  if (!isObject(json) || !Array.isArray(json.samples)) return { ok: false, problem: 'has no list of samples' }
  const declared = declaredSchema.safeParse(json.declared)
  if (!declared.success) return { ok: false, problem: 'declares sizes of subsets that are no whole numbers' }
  const entries: ScoredEntry[] = []
  const seen = new Set<string>()
  for (const [index, raw] of json.samples.entries()) {
    const read = readEntry(raw, index)
    if (!read.ok) return read
    const { key } = read.value
    if (seen.has(key)) return { ok: false, problem: `lists ${key} twice` }
    seen.add(key)
    if (read.value.entry !== undefined) entries.push(read.value.entry)
  }
  return { ok: true, value: { declared: declared.data ?? {}, entries } }
}

interface KeyedEntry {
  readonly key: string
  /** Undefined for a sample of a subset that is not scored. */
  readonly entry: ScoredEntry | undefined
}

function readEntry(raw: unknown, index: number): Checked<KeyedEntry> {
  const called = isObject(raw) ? (raw.sample_id ?? raw.id) : undefined
  const label = typeof called === 'string' ? called : `sample ${index + 1}`
  const parsed = sampleSchema.safeParse(raw)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return {
      ok: false,
      problem: `has a malformed entry for ${label}: ${issue?.path.join('.') || 'it'}: ${issue?.message}`,
    }
  }
  const sample = parsed.data
  const place = placeOf(sample, label)
  if (!place.ok) return place
  const { key, subset, sampleId } = place.value
  if (!isScoredSubset(subset)) {
    const isKnown = isFdbV10Subset(subset) || UNSCORED_SUBSETS.includes(subset) || sample.task === 'unscored'
    if (!isKnown) return { ok: false, problem: `has a sample of an unknown subset: ${key}` }
    return { ok: true, value: { key, entry: undefined } }
  }
  const hashes = hashesOf(sample, key)
  if (!hashes.ok) return hashes
  const { input } = sample
  const entry: ScoredEntry = {
    key,
    sampleId,
    subset,
    task: sample.task ?? FDB_V10[subset].task,
    isEligible: sample.eligible,
    reasons: sample.eligible ? [] : [...(sample.reasons ?? []), ...(sample.ineligible_reasons ?? [])].map(reasonText),
    input: {
      durationS: input?.duration_s ?? undefined,
      samples: input?.samples ?? undefined,
      sampleRateHz: input?.sample_rate ?? input?.sample_rate_hz ?? undefined,
    },
    hashes: hashes.value,
  }
  return { ok: true, value: { key, entry } }
}

/** `SUBSET/ID` from either form of the id; the folder name must be a plain one, since it becomes a path. */
function placeOf(
  sample: RawEntry,
  label: string,
): Checked<{ readonly key: string; readonly subset: string; readonly sampleId: string }> {
  const sampleId = sample.sample_id ?? sample.id
  if (sampleId === undefined || sampleId === null) return { ok: false, problem: `has no sample id for ${label}` }
  const slash = sampleId.indexOf('/')
  const prefix = slash < 0 ? undefined : sampleId.slice(0, slash)
  const subset = sample.subset ?? prefix
  if (subset === undefined) return { ok: false, problem: `does not say which subset ${sampleId} belongs to` }
  if (prefix !== undefined && prefix !== subset) {
    return { ok: false, problem: `has ${sampleId} under the subset ${subset}, where it does not belong` }
  }
  const id = sampleId.slice(slash + 1)
  if (![subset, id].every((part) => /^[A-Za-z0-9_][\w.-]*$/.test(part))) {
    return { ok: false, problem: `has a sample id that is no SUBSET/ID: ${JSON.stringify(`${subset}/${id}`)}` }
  }
  return { ok: true, value: { key: `${subset}/${id}`, subset, sampleId } }
}

function hashesOf({ files }: RawEntry, key: string): Checked<ReadonlyMap<string, string>> {
  const listed: (readonly [file: string | undefined, hash: string | undefined])[] = Array.isArray(files)
    ? files.map((entry) => [entry.file ?? entry.path ?? entry.name ?? undefined, entry.sha256 ?? undefined])
    : Object.entries(files ?? {}).map(([file, value]) => [
        file,
        typeof value === 'string' ? value : (value?.sha256 ?? undefined),
      ])
  const hashes = new Map<string, string>()
  for (const [path, sha256] of listed) {
    if (path === undefined) return { ok: false, problem: `lists a file without a name for ${key}` }
    const file = path.startsWith(`${key}/`) ? path.slice(key.length + 1) : path
    if (file === '' || /[\\\0]|^\/|(?:^|\/)\.\.?(?:\/|$)/.test(file)) {
      return { ok: false, problem: `lists a file outside the folder of ${key}: ${JSON.stringify(path)}` }
    }
    if (sha256 !== undefined) hashes.set(file, sha256)
  }
  return { ok: true, value: hashes }
}

function reasonText(given: z.infer<typeof reason>): string {
  if (typeof given === 'string') return given
  const { code, reason: text, message } = given
  return [code, text, message].find((part) => typeof part === 'string') ?? JSON.stringify(given)
}
