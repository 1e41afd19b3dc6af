/** Recorded runs with labelled samples, as they stand on disk. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { SessionPlan } from '../../helpers/session-builder.js'
import { type FileTree, writeTree } from '../../helpers/temp-folders.js'
import { windowedSession } from '../window/windowed-sessions.js'

export interface RecordedSample {
  readonly subset: string
  readonly id: string
  /** The dataset's id, where the sample is a repeat of another. */
  readonly item?: string
  /** `input` alone unless given. */
  readonly variants?: readonly string[]
  readonly annotation?: { readonly file: string; readonly text: string } | null
  readonly plan?: Partial<SessionPlan>
  /** `pass` unless given. */
  readonly status?: string
  /** Of the dataset's audio file. */
  readonly sourceSha256?: string
  readonly windowSamples?: number
}

export const PAUSE = { file: 'pause.json', text: '[{"text":"[PAUSE]","timestamp":[0.25,0.5]}]\n' }
export const TURN = { file: 'turn_taking.json', text: '[{"text":"[TURN-TAKING]","timestamp":[0.5,0.6]}]' }

/** A session that answers 300 ms after the first packet. */
export const ANSWERED: Partial<SessionPlan> = { replies: [{ createdAtUs: 290_000, deltas: [{ atUs: 300_000 }] }] }

/** @param changes files by path below the run; undefined leaves one out */
export function runFilesOf(
  samples: readonly RecordedSample[],
  changes: Readonly<Record<string, FileTree[string] | undefined>> = {},
  manifest: object = {},
): FileTree {
  const files: Record<string, FileTree[string] | undefined> = {}
  const books = samples.map((sample) => {
    const { subset, id, item, variants = ['input'], annotation = null, plan = ANSWERED, status = 'pass' } = sample
    const entries = variants.map((variant) => {
      const directory = `samples/${subset}/${id}/${variant}`
      const built = windowedSession({ ...plan, name: `${id}_${variant}` })
      if (status !== 'pending') {
        files[`${directory}/continuous.jsonl`] = built.traceText
        files[`${directory}/input-send-receipts.json`] = built.receiptsText
        files[`${directory}/input.pcm`] = built.inputPcm
        if (annotation !== null) files[`${directory}/${annotation.file}`] = annotation.text
      }
      const entry = {
        directory,
        status,
        source: { file: '/data/input.wav', sha256: sample.sourceSha256 ?? sha256(built.inputPcm) },
        input: { sha256: sha256(built.inputPcm), duration_s: 1, window_samples: sample.windowSamples ?? 16_000 },
        annotation: annotation === null ? null : { file: annotation.file, sha256: sha256(annotation.text) },
      }
      return [variant, entry] as const
    })
    const directory = `samples/${subset}/${id}`
    return { id, item: item ?? id, subset, directory, variants: Object.fromEntries(entries) }
  })
  files['manifest.json'] = {
    profile: 'minicpmo-native',
    kind: 'full-duplex-bench-v1.0',
    config: { load: { concurrency: 1 }, transport: { input_send_receipts: true } },
    ...manifest,
  }
  files['run.json'] = { status: 'complete', samples: books }
  const kept = Object.entries({ ...files, ...changes }).flatMap(([path, content]) =>
    content === undefined ? [] : [[path, content] as const],
  )
  return Object.fromEntries(kept)
}

/** Writes a run below `root`. @returns its folder */
export async function writeRun(root: string, name: string, files: FileTree): Promise<string> {
  await writeTree(join(root, name), files)
  return join(root, name)
}

/** All files below a folder with their contents, by path. */
export async function filesBelow(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const contents = await Promise.all(
    paths.sort().map(async (path) => [relative(folder, path), (await readFile(path)).toString('base64')] as const),
  )
  return Object.fromEntries(contents)
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
