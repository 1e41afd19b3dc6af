/**
 * What a download of a dataset holds: what is there, what is missing, what is malformed. Every sample is read, one after
 * the other, and none is kept.
 */
import { type FdbListing, listFdb } from './fdb-folder.io.js'
import { readFdbSample } from './fdb-sample.io.js'
import type { FdbKind, FdbSubset, FdbVersion } from './fdb-versions.js'

export const DATASET_CHECK_SCHEMA_NAME = 'floorload.dataset-check/1'

export interface SampleProblem {
  /** `SUBSET/ID`, or `SUBSET` where it concerns the whole of it. */
  readonly sample: string
  /** A phrase that begins with the file's name. */
  readonly problem: string
}

export interface SubsetCheck {
  readonly subset: string
  readonly is_there: boolean
  /** Samples as published. */
  readonly declared: number
  /** Samples found. */
  readonly observed: number
  /** Samples without a problem. */
  readonly usable: number
  /** Names of entries that are no samples. */
  readonly ignored: readonly string[]
}

export interface DatasetCheck {
  readonly dataset: FdbKind
  readonly subsets: readonly SubsetCheck[]
  /** Names of entries of the folder that are no subsets. */
  readonly ignored: readonly string[]
  /** In the order of subsets and ids. */
  readonly problems: readonly SampleProblem[]
}

/** @throws UserError FILE_UNREADABLE where the root or a subset cannot be read */
export async function checkFdb(root: string, version: FdbVersion): Promise<DatasetCheck> {
  const listing = await listFdb(root, version)
  const problems: SampleProblem[] = []
  const subsets: SubsetCheck[] = []
  for (const subset of version.subsets) {
    const found = await problemsOf(root, version, { subset, listing })
    problems.push(...found)
    const own = listing.subsets.get(subset.name)
    const observed = own?.ids.length ?? 0
    subsets.push({
      subset: subset.name,
      is_there: own !== undefined,
      declared: subset.declared,
      observed,
      usable: observed - new Set(found.filter(({ sample }) => sample.includes('/')).map(({ sample }) => sample)).size,
      ignored: own?.ignored ?? [],
    })
  }
  return { dataset: version.kind, subsets, ignored: listing.ignored, problems }
}

async function problemsOf(
  root: string,
  version: FdbVersion,
  { subset, listing }: { readonly subset: FdbSubset; readonly listing: FdbListing },
): Promise<SampleProblem[]> {
  const own = listing.subsets.get(subset.name)
  if (own?.isLink === true) return [{ sample: subset.name, problem: 'the subset is a symbolic link' }]
  const problems: SampleProblem[] = []
  for (const id of own?.ids ?? []) {
    const sample = await readFdbSample(root, version, { subset, id })
    problems.push(...sample.problems.map((problem) => ({ sample: `${subset.name}/${id}`, problem })))
  }
  return problems
}
