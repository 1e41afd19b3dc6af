/**
 * Which samples of a dataset are used. Never at random: of each subset the first so many in numeric order, or exactly the
 * ids that are named. A smaller count is a beginning of a larger one, and the same rule gives the same samples again.
 * Source: docs/inputs.md, "Choosing samples".
 */
import { closest, distance } from 'fastest-levenshtein'

/** `all`, or the first so many; 0 leaves a subset out. */
export type SampleCount = number | 'all'

export interface NamedSample {
  readonly subset: string
  readonly id: string
  /** Where it was named, for messages: `ids.txt, line 3`. */
  readonly at: string
}

export type SampleRule =
  | {
      readonly kind: 'counts'
      /** Of each subset that is not in `counts`. */
      readonly perSubset: SampleCount
      readonly counts: Readonly<Record<string, SampleCount>>
      /** Only these; all of the dataset where it is left out. */
      readonly subsets?: readonly string[]
    }
  | {
      readonly kind: 'ids'
      readonly samples: readonly NamedSample[]
      /** What was named and is no sample's name at all, each as a sentence. */
      readonly problems: readonly string[]
    }

export interface Selection {
  /** By subset, in the dataset's order; subsets of which nothing is used are not in it. */
  readonly ids: ReadonlyMap<string, readonly string[]>
  /** Subsets that the rule asks for and that are not there. */
  readonly missing: readonly string[]
  /** Subsets that are there without a single sample. */
  readonly empty: readonly string[]
  /** What is wrong with the rule, each as a sentence. */
  readonly problems: readonly string[]
}

/**
 * @param known the dataset's subsets, in its order
 * @param there the ids of each subset that is there, in its order
 */
export function selectSamples(
  rule: SampleRule,
  known: readonly string[],
  there: ReadonlyMap<string, readonly string[]>,
): Selection {
  return rule.kind === 'ids' ? selectNamed(rule, known, there) : selectFirst(rule, known, there)
}

function selectFirst(
  rule: SampleRule & { readonly kind: 'counts' },
  known: readonly string[],
  there: ReadonlyMap<string, readonly string[]>,
): Selection {
  const chosen = rule.subsets ?? known
  const named = [...(rule.subsets ?? []), ...Object.keys(rule.counts)]
  const problems = [...new Set(named)].filter((name) => !known.includes(name)).map((name) => unknownSubset(name, known))
  for (const name of Object.keys(rule.counts)) {
    if (known.includes(name) && !chosen.includes(name))
      problems.push(`${name} has a count but is not among the subsets`)
  }
  const ids = new Map<string, readonly string[]>()
  const missing: string[] = []
  const empty: string[] = []
  for (const subset of known) {
    const count = chosen.includes(subset) ? (rule.counts[subset] ?? rule.perSubset) : 0
    if (count === 0) continue
    const all = there.get(subset)
    if (all === undefined) missing.push(subset)
    else if (all.length === 0) empty.push(subset)
    else ids.set(subset, count === 'all' ? all : all.slice(0, count))
  }
  return { ids, missing, empty, problems }
}

function selectNamed(
  rule: SampleRule & { readonly kind: 'ids' },
  known: readonly string[],
  there: ReadonlyMap<string, readonly string[]>,
): Selection {
  const problems = [...rule.problems]
  const firstAt = new Map<string, string>()
  for (const { subset, id, at } of rule.samples) {
    const name = `${subset}/${id}`
    const before = firstAt.get(name)
    if (before !== undefined) problems.push(`${at}: ${name} is named twice (${before})`)
    else if (!known.includes(subset)) problems.push(`${at}: ${unknownSubset(subset, known)}`)
    else if (there.get(subset)?.includes(id) !== true) problems.push(`${at}: there is no sample ${name}`)
    if (before === undefined) firstAt.set(name, at)
  }
  const ids = new Map<string, readonly string[]>()
  for (const subset of known) {
    const own = (there.get(subset) ?? []).filter((id) => firstAt.has(`${subset}/${id}`))
    if (own.length > 0) ids.set(subset, own)
  }
  return { ids, missing: [], empty: [], problems }
}

function unknownSubset(name: string, known: readonly string[]): string {
  const near = closest(name, [...known])
  const hint = distance(name, near) <= name.length / 2 ? `; did you mean ${near}?` : ''
  return `"${name}" is no subset (known are ${known.join(', ')})${hint}`
}
