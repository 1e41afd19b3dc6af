/**
 * The official evaluators' own numbers, where `summary.json` has them for the very inputs that are scored here: a column to
 * read beside ours. Never used for scoring, and left out when the inputs changed. Text in, figures or a reason out.
 */
import { isObject } from '../../base/json.js'

export interface ReferenceFigure {
  /** As the file has it; nested names are joined by a dot. */
  readonly name: string
  readonly value: number
}

export type ReferenceColumn =
  | {
      readonly kind: 'figures'
      readonly subsets: Readonly<Record<string, readonly ReferenceFigure[]>>
      /** Who rated interruptions, where it was not the official judge. */
      readonly judge: string | null
    }
  /** Why there is no column, as a sentence. */
  | { readonly kind: 'left_out'; readonly reason: string }

export interface InputHashes {
  readonly manifest_sha256: string
  readonly asr_sha256: string | null
}

type Json = Readonly<Record<string, unknown>>

const HASH_HOLDERS = ['hashes', 'inputs', 'input', 'sha256', 'provenance']

/** @param subsets the scored ones, of which figures are looked for */
export function referenceColumn(text: string, hashes: InputHashes, subsets: readonly string[]): ReferenceColumn {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return leftOut('it is not valid JSON')
  }
  if (!isObject(json)) return leftOut('it is no object')
  const manifest = recordedHash(json, 'manifest')
  if (manifest === undefined) return leftOut('it does not say which manifest.json it was made from')
  const isSameManifest = manifest === hashes.manifest_sha256
  const isSameAsr = (recordedHash(json, 'asr') ?? null) === hashes.asr_sha256
  if (!isSameManifest || !isSameAsr) {
    const changed = [...(isSameManifest ? [] : ['manifest.json']), ...(isSameAsr ? [] : ['asr.json'])]
    return leftOut(`${changed.join(' and ')} changed since`)
  }
  const holder: Json = json
  const found = subsets.flatMap((subset) => {
    const figures = figuresIn(subsetIn(holder, subset))
    return figures.length === 0 ? [] : [[subset, figures] as const]
  })
  if (found.length === 0) return leftOut('it has no figures of these subsets')
  return { kind: 'figures', subsets: Object.fromEntries(found), judge: judgeOf(json) }
}

function leftOut(why: string): ReferenceColumn {
  return { kind: 'left_out', reason: `the official column of summary.json is left out: ${why}` }
}

/** `manifest_sha256`, or `manifest` or `manifest.json` with a hash; at the top or one level down. */
function recordedHash(json: Json, name: 'manifest' | 'asr'): string | undefined {
  const holders = [json, ...HASH_HOLDERS.map((key) => json[key]).filter(isObject)]
  for (const holder of holders) {
    for (const key of [`${name}_sha256`, `${name}.json`, `${name}_json_sha256`, name]) {
      const value = holder[key]
      const hash = isObject(value) ? value.sha256 : value
      if (typeof hash === 'string' && /^(?:sha256:)?[0-9a-f]{64}$/i.test(hash)) {
        return hash.toLowerCase().replace(/^sha256:/, '')
      }
    }
  }
  return undefined
}

function subsetIn(json: Json, subset: string): unknown {
  for (const key of ['subsets', 'results', 'result', 'scores']) {
    const holder = json[key]
    if (isObject(holder) && subset in holder) return holder[subset]
  }
  return json[subset]
}

/** All numbers below an object, in the file's order. */
function figuresIn(value: unknown, prefix = ''): ReferenceFigure[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]): ReferenceFigure[] => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    return typeof inner === 'number' ? [{ name, value: inner }] : figuresIn(inner, name)
  })
}

function judgeOf(json: Json): string | null {
  const judge = json.judge ?? json.rating
  if (!isObject(judge) || judge.official === true) return null
  const model = judge.model ?? judge.served_model
  return typeof model === 'string' ? model : null
}
