/** The windows of an exported tree as a recognizer needs them: which there are, their samples, and where they are cut. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, UserError } from '../../base/errors.js'
import { FDB_V10, isFdbV10Subset, parseAnnotation } from '../../dataset/annotation.js'
import { sha256Hex } from '../../dataset/input-clip.js'
import { parseWav } from '../../dataset/wav.js'
import { wavMonoPcm16 } from '../../dataset/wav-samples.js'
import {
  OUTPUT_WAV_FILE,
  sampleFolder,
  TREE_MANIFEST_FILE,
  type TreeSample,
  treeManifestSchema,
  WINDOW_RATE_HZ,
} from '../tree/tree-manifest.js'
import { parseScoredManifest } from '../unified/scored-manifest.js'

export interface TreeWindows {
  readonly manifestSha256: string
  /** In the manifest's order. */
  readonly eligible: readonly TreeSample[]
}

export interface TreeWindow {
  /** Mono, 16 kHz, the whole window. */
  readonly pcm: Int16Array
  /** Of the file. */
  readonly audioSha256: string
  /** R for user interruption, null for others. */
  readonly cutS: number | null
}

/**
 * @throws UserError TREE_INVALID where there is no manifest, or one that cannot be understood
 */
export async function treeWindows(tree: string): Promise<TreeWindows> {
  const path = join(tree, TREE_MANIFEST_FILE)
  const bytes = await bytesOf(path, `${tree} is no exported tree`)
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw treeError(`${path} is not valid JSON`)
  }
  const own = treeManifestSchema.safeParse(json)
  const samples = own.success ? own.data.samples : foreignSamples(path, bytes.toString('utf8'))
  const eligible = samples.filter((sample) => sample.eligible)
  for (const sample of eligible) {
    // The name becomes a path below the tree.
    if (sampleFolder(sample).split('/').length !== 2 || /(?:^|\/)\.\.?(?:\/|$)|[\\\0]/.test(sampleFolder(sample))) {
      throw treeError(`${path}: ${JSON.stringify(sample.sample_id)} is no sample id of the form SUBSET/ID`)
    }
  }
  return { manifestSha256: sha256Hex(bytes), eligible }
}

/** Manifests of other tools, in the forms that the scorer reads; of them only the samples that are scored. */
function foreignSamples(path: string, text: string): TreeSample[] {
  const parsed = parseScoredManifest(text)
  if (!parsed.ok) throw treeError(`${path} ${parsed.problem}`)
  return parsed.value.entries.map(({ key, subset, task, isEligible, reasons, hashes }) => ({
    sample_id: key,
    subset,
    task,
    eligible: isEligible,
    reasons: [...reasons],
    files: Object.fromEntries(hashes),
  }))
}

/**
 * @throws UserError TREE_INVALID with the sample and what is wrong with its audio or annotation
 */
export async function readWindow(tree: string, sample: TreeSample): Promise<TreeWindow> {
  const folder = sampleFolder(sample)
  const bytes = await bytesOf(join(tree, folder, OUTPUT_WAV_FILE), `${folder} has no ${OUTPUT_WAV_FILE}`)
  const audioSha256 = sha256Hex(bytes)
  const recorded = sample.files[OUTPUT_WAV_FILE]
  if (recorded !== undefined && recorded !== audioSha256) {
    throw treeError(`${folder}: ${OUTPUT_WAV_FILE} is not the file of the manifest (its SHA-256 differs)`)
  }
  const audio = parseWav(bytes)
  if (!audio.ok) throw treeError(`${folder}: ${OUTPUT_WAV_FILE} ${audio.problem}`)
  if (audio.encoding !== 'pcm16' || audio.channels !== 1 || audio.sampleRateHz !== WINDOW_RATE_HZ) {
    const { channels, encoding, sampleRateHz } = audio
    throw treeError(
      `${folder}: ${OUTPUT_WAV_FILE} is ${encoding}, ${channels} channel(s), ${sampleRateHz} Hz; it must be mono PCM16 at ${WINDOW_RATE_HZ} Hz`,
    )
  }
  return { pcm: wavMonoPcm16(audio), audioSha256, cutS: await cutSecondsOf(tree, sample) }
}

/** A tree that cannot be used as it is. */
export function treeError(message: string, fix = 'export the tree again'): UserError {
  return new UserError({ code: 'TREE_INVALID', message, fix })
}

/** R of an interruption window, null for others. @throws UserError TREE_INVALID */
export async function cutSecondsOf(tree: string, sample: TreeSample): Promise<number | null> {
  const folder = sampleFolder(sample)
  const task = isFdbV10Subset(sample.subset) ? FDB_V10[sample.subset].task : sample.task
  if (task !== 'user_interruption') return null
  const bytes = await bytesOf(join(tree, folder, 'interrupt.json'), `${folder} has no interrupt.json`)
  const parsed = parseAnnotation('interrupt.json', bytes.toString('utf8'))
  if (!parsed.ok) throw treeError(`${folder}: interrupt.json ${parsed.problem}`)
  return parsed.annotation.kind === 'interruption' ? parsed.annotation.endS : null
}

async function bytesOf(path: string, problem: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (thrown) {
    throw treeError(`${problem}: ${messageOf(thrown)}`)
  }
}
