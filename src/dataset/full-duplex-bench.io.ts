/**
 * Full-Duplex-Bench v1.5 on the disk: which samples there are, and their audio. It knows no annotations and no scores.
 *
 *   ROOT/SUBSET/ID/input.wav         the user's speech with the overlap event   → variant `overlap`
 *   ROOT/SUBSET/ID/clean_input.wav   the same without it                        → variant `clean`
 *
 * Source: docs/inputs.md, "Full-Duplex-Bench".
 */
import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import { readAudioFile, unreadable } from './audio-file.io.js'
import { type BadAudioFile, badAudioError } from './audio-problems.js'
import { CLIP_ID, type InputClip, makeInputClip } from './input-clip.js'
import { compareNatural } from './natural-order.js'
import { normalizeToPcm16 } from './normalize.js'
import { summarizeActions } from './normalize-notes.js'

/** In the order in which they are run. */
export const FDB_V15_SUBSETS = [
  'user_interruption',
  'user_backchannel',
  'talking_to_other',
  'background_speech',
] as const
export type FdbSubset = (typeof FDB_V15_SUBSETS)[number]

const VARIANTS = [
  { variant: 'overlap', fileName: 'input.wav' },
  { variant: 'clean', fileName: 'clean_input.wav' },
] as const
const ALLOWED = 'WAV, PCM or float, 8000 to 192000 Hz, mono or more channels, no symbolic links'

export interface FdbOptions {
  readonly version: 'v1.5'
  /** The folder that holds the subsets. */
  readonly root: string
  readonly targetRateHz: number
  /** Samples of each subset, its first ones; all where it is left out. */
  readonly maxPerSubset?: number
  /** Hears of ignored entries, and one line for each thing that was done to the samples. */
  readonly onNote: (note: string) => void
}

/**
 * The clips of all subsets, subset by subset, ids in natural order, `overlap` before `clean`. Any PCM or float WAV file.
 * The audio is held in memory: about 32 kB for each second at 16 kHz.
 * @throws UserError FILE_UNREADABLE (the root, a subset or a file is missing or unreadable), AUDIO_NONE (a subset without
 * samples), AUDIO_INVALID (all files that cannot be used, together; symbolic links are refused)
 */
export async function loadFdbInputs(options: FdbOptions): Promise<InputClip[]> {
  const { root, targetRateHz, maxPerSubset = Number.POSITIVE_INFINITY } = options
  const clips: InputClip[] = []
  const bad: BadAudioFile[] = []
  let ignored = await countUnknown(root)
  for (const subset of FDB_V15_SUBSETS) {
    const listing = await listSamples(join(root, subset))
    ignored += listing.ignored
    bad.push(...listing.bad)
    for (const id of listing.ids.slice(0, maxPerSubset)) {
      for (const { variant, fileName } of VARIANTS) {
        const path = join(root, subset, id, fileName)
        if (await isSymbolicLink(path)) {
          bad.push(symbolicLink(path))
          continue
        }
        const file = await readAudioFile(path)
        if (!file.ok) {
          bad.push({ path, problem: file.problem, isConvertible: file.isConvertible })
          continue
        }
        const { pcm, actions } = normalizeToPcm16(file.audio, targetRateHz)
        const source = { file: path, sha256: file.sha256 }
        clips.push(
          makeInputClip({ id, subset, variant, sampleRateHz: targetRateHz, pcm, source, normalization: actions }),
        )
      }
    }
  }
  if (bad.length > 0) throw badAudioError({ files: bad, allowed: ALLOWED, targetRateHz })
  if (ignored > 0) options.onNote(`${root}: ${ignored} ${ignored === 1 ? 'entry' : 'entries'} ignored`)
  for (const note of summarizeActions(clips)) options.onNote(note)
  return clips
}

interface SampleListing {
  /** In natural order; at least one. */
  readonly ids: readonly string[]
  /** Entries that are no samples. */
  readonly ignored: number
  readonly bad: readonly BadAudioFile[]
}

/** A subset's samples. A link in the place of a sample is reported, not followed: it may lead out of the dataset. */
async function listSamples(folder: string): Promise<SampleListing> {
  if (await isSymbolicLink(folder)) return { ids: [], ignored: 0, bad: [symbolicLink(folder)] }
  const entries = await entriesOf(folder)
  const links = entries.filter((entry) => entry.isSymbolicLink())
  const ids = entries.filter((entry) => entry.isDirectory() && CLIP_ID.test(entry.name)).map((entry) => entry.name)
  if (ids.length === 0 && links.length === 0) {
    throw new UserError({
      code: 'AUDIO_NONE',
      message: `${folder} holds no samples (looked for folders ID/input.wav among ${entries.length} entries)`,
      at: folder,
      fix: 'unpack the v1.5 archive of this subset here',
    })
  }
  return {
    ids: ids.sort(compareNatural),
    ignored: entries.length - ids.length - links.length,
    bad: links.map((link) => symbolicLink(join(folder, link.name))),
  }
}

/** Folders of the root that are no subsets. */
async function countUnknown(root: string): Promise<number> {
  const subsets: readonly string[] = FDB_V15_SUBSETS
  return (await entriesOf(root)).filter((entry) => !subsets.includes(entry.name)).length
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    throw unreadable(folder, cause)
  }
}

async function isSymbolicLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function symbolicLink(path: string): BadAudioFile {
  return { path, problem: 'is a symbolic link', isConvertible: false }
}
