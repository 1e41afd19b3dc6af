/** A download of Full-Duplex-Bench on the disk: which subsets and samples are there. It opens no file. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unreadable } from './audio-file.io.js'
import { type FdbKind, type FdbVersion, fdbKindsAmong } from './fdb-versions.js'
import { CLIP_ID } from './input-clip.js'
import { compareNatural } from './natural-order.js'

export interface SubsetListing {
  /** In natural order. Links count as samples here, so that one in the place of a sample is seen and refused. */
  readonly ids: readonly string[]
  /** Names of entries that are no samples, in natural order. */
  readonly ignored: readonly string[]
  /** The subset itself is a symbolic link; it is not followed. */
  readonly isLink: boolean
}

export interface FdbListing {
  /** Subsets that are there. */
  readonly subsets: ReadonlyMap<string, SubsetListing>
  /** Names of entries of the root that are no subsets of this version, in natural order. */
  readonly ignored: readonly string[]
}

/** @throws UserError FILE_UNREADABLE where the root or a subset cannot be read */
export async function listFdb(root: string, version: FdbVersion): Promise<FdbListing> {
  const entries = await entriesOf(root)
  const known = version.subsets.map(({ name }) => name)
  const subsets = new Map<string, SubsetListing>()
  for (const name of known) {
    const entry = entries.find((candidate) => candidate.name === name)
    if (entry?.isSymbolicLink() === true) subsets.set(name, { ids: [], ignored: [], isLink: true })
    else if (entry?.isDirectory() === true) subsets.set(name, await listSubset(join(root, name)))
  }
  const ignored = entries.map(({ name }) => name).filter((name) => !subsets.has(name))
  return { subsets, ignored: ignored.sort(compareNatural) }
}

/**
 * The versions whose subsets stand in a folder.
 * @throws UserError FILE_UNREADABLE
 */
export async function detectFdb(root: string): Promise<FdbKind[]> {
  return fdbKindsAmong((await entriesOf(root)).filter((entry) => !entry.isFile()).map(({ name }) => name))
}

/** All that was not taken, in the root and in its subsets. */
export function ignoredEntries(listing: FdbListing): number {
  return [...listing.subsets.values()].reduce((sum, { ignored }) => sum + ignored.length, listing.ignored.length)
}

async function listSubset(folder: string): Promise<SubsetListing> {
  const entries = await entriesOf(folder)
  const isSample = (entry: Dirent) => (entry.isDirectory() || entry.isSymbolicLink()) && CLIP_ID.test(entry.name)
  const names = (list: Dirent[]) => list.map(({ name }) => name).sort(compareNatural)
  return {
    ids: names(entries.filter(isSample)),
    ignored: names(entries.filter((entry) => !isSample(entry))),
    isLink: false,
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    throw unreadable(folder, cause)
  }
}
