/**
 * Recorded runs to a tree of observation windows, in the field's layout: `SUBSET/ID/output.wav` with the annotation and
 * `manifest.json` (v1.0 and samples without labels), or pairs with `reference-manifest.json` (v1.5). The same runs give
 * the same bytes; the tree appears whole or not at all.
 * Source: docs/formats.md, "Reference tree".
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../base/errors.js'
import { jsonText } from '../../base/json.js'
import { toolVersion } from '../../base/version.io.js'
import { ensureFree, writeFolderWhole } from '../../base/whole-folder.io.js'
import { MANIFEST_FILE, RUN_FILE } from '../../capture/run-manifest.js'
import { profileOfRun } from '../../capture/run-profile.io.js'
import { type RecordedRun, readRun } from '../../capture/run-reader.io.js'
import { unreadable } from '../../dataset/audio-file.io.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import type { Profile } from '../../profile/profile.js'
import { chooseWindows } from './choose-windows.js'
import { type PairManifest, pairFiles, pairManifest } from './pair-tree.js'
import { isOfPair, type RecordedWindow, recordedWindow } from './recorded-window.io.js'
import { runSamples } from './run-samples.io.js'
import type { TreeFile } from './tree-file.js'
import { PAIR_MANIFEST_FILE, TREE_MANIFEST_FILE, type TreeManifest } from './tree-manifest.js'
import { type TreeHead, windowFiles, windowManifest } from './window-tree.js'

export interface ExportOptions {
  /** Folders of runs. Several shards feed one tree; a session with a window takes the place of an earlier one without. */
  readonly runs: readonly string[]
  /** New or empty. */
  readonly out: string
  /** The dataset that was sent: its files are then compared with what was sent. */
  readonly datasetRoot?: string | undefined
  /** Judge by this profile instead of the recorded one. */
  readonly profile?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined
}

export interface ExportedTree {
  readonly manifest: TreeManifest | PairManifest
  readonly manifestFile: string
}

/**
 * @throws UserError FILE_UNREADABLE (no such run or dataset), RUN_UNREADABLE (no run, runs of different profiles or
 * layouts, no session), OUTPUT_EXISTS, USAGE (an annotation that only the dataset has); nothing is written then
 */
export async function exportRuns(options: ExportOptions): Promise<ExportedTree> {
  const { out, signal } = options
  await ensureFree(out)
  await ensureDataset(options.datasetRoot)
  const opened = await openRuns(options)
  const { windows, repeats } = await readWindows(opened, options)
  const isPaired = arePairs(windows, opened)
  const chosen = chooseWindows(windows)
  const head = treeHead(opened, { superseded: chosen.superseded, repeats })
  const built = isPaired
    ? { file: PAIR_MANIFEST_FILE, manifest: pairManifest(head, chosen.windows), files: pairFiles(chosen.windows) }
    : { file: TREE_MANIFEST_FILE, manifest: windowManifest(head, chosen.windows), files: windowFiles(chosen.windows) }
  await writeTree(out, built, signal)
  return { manifest: built.manifest, manifestFile: join(out, built.file) }
}

interface BuiltTree {
  readonly file: string
  readonly manifest: TreeManifest | PairManifest
  readonly files: Iterable<TreeFile>
}

/** Whole or, when it is interrupted, not at all. */
async function writeTree(out: string, { file, manifest, files }: BuiltTree, signal: AbortSignal | undefined) {
  function* untilAborted(): Generator<TreeFile> {
    for (const one of files) {
      signal?.throwIfAborted()
      yield one
    }
    yield { path: file, content: jsonText(manifest) }
  }
  try {
    await writeFolderWhole(out, untilAborted())
  } catch (thrown) {
    signal?.throwIfAborted()
    throw thrown
  }
}

interface OpenedRun {
  readonly run: RecordedRun
  readonly profile: Profile
  readonly source: { readonly run: string; readonly manifest_sha256: string; readonly run_sha256: string | null }
  readonly kind: string | undefined
}

async function openRuns({ runs, profile: override }: ExportOptions): Promise<OpenedRun[]> {
  const opened = await Promise.all(
    runs.map(async (directory) => {
      const run = await readRun(directory)
      const [manifest, books] = await Promise.all([
        readFile(join(directory, MANIFEST_FILE)),
        readFile(join(directory, RUN_FILE)).catch(() => undefined),
      ])
      return {
        run,
        profile: await profileOfRun(run, override),
        source: {
          run: run.name,
          manifest_sha256: sha256Hex(manifest),
          run_sha256: books === undefined ? null : sha256Hex(books),
        },
        kind: (JSON.parse(manifest.toString('utf8')) as { kind?: string }).kind,
      }
    }),
  )
  const [first, ...rest] = opened
  if (first === undefined) {
    throw new UserError({ code: 'USAGE', message: 'no run was given', fix: 'name one with --run DIR' })
  }
  for (const other of rest) {
    if (JSON.stringify(other.profile) !== JSON.stringify(first.profile)) {
      throw new UserError({
        code: 'RUN_UNREADABLE',
        message: `${other.run.directory} was recorded with another profile or other settings than ${first.run.directory}`,
        fix: 'export them into two trees',
      })
    }
  }
  return opened
}

async function readWindows(
  opened: readonly OpenedRun[],
  options: ExportOptions,
): Promise<{ readonly windows: RecordedWindow[]; readonly repeats: number }> {
  const plans = await Promise.all(opened.map(async (one) => ({ ...one, ...(await runSamples(one.run)) })))
  const total = plans.reduce((sum, { samples }) => sum + samples.length, 0)
  if (total === 0) {
    throw new UserError({
      code: 'RUN_UNREADABLE',
      message: `${opened[0]?.run.directory} holds no session`,
      fix: 'give the folder of a level',
    })
  }
  const windows: RecordedWindow[] = []
  for (const { run, profile, samples } of plans) {
    for (const sample of samples) {
      options.signal?.throwIfAborted()
      windows.push(await recordedWindow(sample, { run, profile, datasetRoot: options.datasetRoot }))
      options.onProgress?.({ done: windows.length, of: total })
    }
  }
  return { windows, repeats: plans.reduce((sum, plan) => sum + plan.repeats, 0) }
}

/**
 * A tree holds one window for each sample, or pairs.
 * @throws UserError RUN_UNREADABLE where the sessions would need trees of both layouts
 */
function arePairs(windows: readonly RecordedWindow[], opened: readonly OpenedRun[]): boolean {
  const layouts = new Set(windows.map(({ variant }) => (isOfPair(variant) ? 'overlap and clean' : variant)))
  if (layouts.size === 1) return windows.some(({ variant }) => isOfPair(variant))
  throw new UserError({
    code: 'RUN_UNREADABLE',
    message: `${opened.map(({ run }) => run.directory).join(' and ')}: one tree cannot hold sessions of ${[...layouts].join(' and ')}`,
    fix: 'export runs of v1.0 and of v1.5 into two trees',
  })
}

function treeHead(opened: readonly OpenedRun[], left: Pick<TreeHead, 'superseded' | 'repeats'>): TreeHead {
  const profile = (opened[0] as OpenedRun).profile
  const sources = opened.map(({ source }) => source)
  return {
    toolVersion: toolVersion(),
    profile,
    isPublishedDataset: opened.every(({ kind }) => kind?.startsWith('full-duplex-bench-') === true),
    // In an order of their own, so that it does not matter in which the runs were named.
    sources: sources.sort((a, b) => (a.run + a.manifest_sha256 < b.run + b.manifest_sha256 ? -1 : 1)),
    ...left,
  }
}

/** A mistyped folder would make every sample look changed. */
async function ensureDataset(root: string | undefined): Promise<void> {
  if (root === undefined) return
  try {
    await readdir(root)
  } catch (cause) {
    throw unreadable(root, cause)
  }
}
