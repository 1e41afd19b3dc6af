/**
 * Samples of a download of Full-Duplex-Bench as stimuli, chosen by a rule and checked whole: either every chosen sample can
 * be used, or nothing is sent.
 * Source: docs/inputs.md, "Full-Duplex-Bench".
 */
import { join } from 'node:path'
import { UserError } from '../base/errors.js'
import type { DatasetBooks } from './dataset-books.js'
import { type FdbListing, ignoredEntries, listFdb } from './fdb-folder.io.js'
import { type FdbRecording, readFdbSample } from './fdb-sample.io.js'
import { FDB_VERSIONS, type FdbKind, type FdbVersion } from './fdb-versions.js'
import { type InputClip, makeInputClip } from './input-clip.js'
import { normalizeToPcm16 } from './normalize.js'
import { summarizeActions } from './normalize-notes.js'
import { type SampleRule, type Selection, selectSamples } from './sample-selection.js'

export interface FdbOptions {
  readonly kind: FdbKind
  /** The folder that holds the subsets. */
  readonly root: string
  readonly targetRateHz: number
  readonly rule: SampleRule
  /** The rule as the user gave it, for the books. */
  readonly givenRule: unknown
  /** Hears what was selected, of ignored entries, and one line for each thing that was done to the samples. */
  readonly onNote: (note: string) => void
}

export interface FdbInputs {
  readonly clips: InputClip[]
  readonly books: DatasetBooks
}

/** The rest is counted: a line that names seven hundred samples helps nobody. */
const PROBLEMS_NAMED_MAX = 20

/**
 * The clips of the chosen samples, subset by subset, ids in natural order, a sample's recordings together. Any PCM or float
 * WAV file. The audio is held in memory: about 32 kB for each second at 16 kHz.
 * @throws UserError SELECTION (the rule asks for what is not there, all of it together), FILE_UNREADABLE (the root or a
 * subset is missing), AUDIO_NONE (a subset without samples), DATASET_INVALID (all samples that cannot be used, together)
 */
export async function loadFdbInputs(options: FdbOptions): Promise<FdbInputs> {
  const { root, targetRateHz, rule, onNote } = options
  const version = FDB_VERSIONS[options.kind]
  const listing = await listFdb(root, version)
  const selection = selectionFrom(listing, { root, version, rule })
  const clips: InputClip[] = []
  const problems: string[] = []
  for (const subset of version.subsets) {
    for (const id of selection.ids.get(subset.name) ?? []) {
      const sample = await readFdbSample(root, version, { subset, id })
      problems.push(...sample.problems.map((problem) => `${subset.name}/${id}: ${problem}`))
      // Once one sample is bad the others are only looked at.
      if (problems.length > 0) continue
      for (const recording of sample.recordings) {
        clips.push(clipOf(recording, { id, subset: subset.name, targetRateHz }))
      }
    }
  }
  if (problems.length > 0) throw invalidSamples(root, problems)
  const selected = countsOf(selection.ids)
  onNote(
    `${version.title}: ${Object.entries(selected)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  )
  const ignored = ignoredEntries(listing)
  if (ignored > 0) onNote(`${root}: ${ignored} ${ignored === 1 ? 'entry' : 'entries'} ignored`)
  for (const note of summarizeActions(clips)) onNote(note)
  return {
    clips,
    books: {
      kind: version.kind,
      root,
      inventory: {
        declared: Object.fromEntries(version.subsets.map(({ name, declared }) => [name, declared])),
        observed: Object.fromEntries([...listing.subsets].map(([name, { ids }]) => [name, ids.length])),
        ignored,
      },
      selection: { rule: options.givenRule, selected },
    },
  }
}

/** The chosen ids, once nothing is wrong with the choice. */
function selectionFrom(
  listing: FdbListing,
  { root, version, rule }: { readonly root: string; readonly version: FdbVersion; readonly rule: SampleRule },
): Selection {
  const known = version.subsets.map(({ name }) => name)
  const there = new Map([...listing.subsets].map(([name, { ids }]) => [name, ids]))
  const selection = selectSamples(rule, known, there)
  if (selection.problems.length > 0) {
    throw new UserError({
      code: 'SELECTION',
      message: `${version.title} in ${root}: ${joined(selection.problems)}`,
      fix: `"floorload datasets check ${root}" says what is there`,
    })
  }
  const linked = selection.empty.filter((name) => listing.subsets.get(name)?.isLink === true)
  if (linked.length > 0)
    throw invalidSamples(
      root,
      linked.map((name) => `${name}: the subset is a symbolic link`),
    )
  const [missing] = selection.missing
  if (missing !== undefined) {
    throw new UserError({
      code: 'FILE_UNREADABLE',
      message: `${selection.missing.map((name) => join(root, name)).join(', ')} ${selection.missing.length === 1 ? 'is' : 'are'} missing`,
      fix: `unpack the ${version.title} archive there, or leave the subset out: --subset ${missing}=0`,
    })
  }
  const [empty] = selection.empty
  if (empty !== undefined) {
    throw new UserError({
      code: 'AUDIO_NONE',
      message: `${selection.empty.map((name) => join(root, name)).join(', ')}: no samples (looked for folders ID/input.wav)`,
      fix: `unpack the ${version.title} archive there, or leave the subset out: --subset ${empty}=0`,
    })
  }
  if (selection.ids.size > 0) return selection
  throw new UserError({
    code: 'SELECTION',
    message: `no sample of ${version.title} in ${root} is selected`,
    fix: 'give at least one subset a count above 0',
  })
}

function clipOf(
  { variant, path, file, windowSamples, annotation }: FdbRecording,
  { id, subset, targetRateHz }: { readonly id: string; readonly subset: string; readonly targetRateHz: number },
): InputClip {
  const { pcm, actions } = normalizeToPcm16(file.audio, targetRateHz)
  return makeInputClip({
    id,
    subset,
    variant,
    sampleRateHz: targetRateHz,
    pcm,
    source: { file: path, sha256: file.sha256 },
    normalization: actions,
    windowSamples,
    annotation,
  })
}

function countsOf(ids: ReadonlyMap<string, readonly string[]>): Record<string, number> {
  return Object.fromEntries([...ids].map(([subset, own]) => [subset, own.length]))
}

function invalidSamples(root: string, problems: readonly string[]): UserError {
  const count = problems.length === 1 ? '' : `${problems.length} problems: `
  return new UserError({
    code: 'DATASET_INVALID',
    message: `${root}: ${count}${joined(problems)}`,
    fix: 'unpack these samples again, or leave them out; nothing was sent',
  })
}

function joined(problems: readonly string[]): string {
  const unnamed = problems.length - PROBLEMS_NAMED_MAX
  const named = problems.slice(0, PROBLEMS_NAMED_MAX).join('; ')
  return unnamed > 0 ? `${named}; and ${unnamed} more` : named
}
