/** The files behind a recorded session: is its input still the one of the dataset, and where is its annotation? */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../../base/errors.js'
import { FDB_V10, isFdbV10Subset } from '../../dataset/annotation.js'
import { readAudioFile } from '../../dataset/audio-file.io.js'
import { pcm16Bytes, sha256Hex, windowSamplesOf } from '../../dataset/input-clip.js'
import { normalizeToPcm16 } from '../../dataset/normalize.js'
import type { Reason } from '../window/reasons.js'
import type { RunSample } from './run-samples.io.js'

export interface ItemFiles {
  readonly reasons: readonly Reason[]
  /** Null where the subset needs none. */
  readonly annotation: { readonly file: string; readonly bytes: Uint8Array } | null
  /** Length of the dataset's item at 16 kHz, where the dataset was looked at. */
  readonly windowSamples: number | undefined
}

export interface ItemOptions {
  readonly datasetRoot: string | undefined
  readonly inputPcm: Uint8Array | undefined
  readonly inputRateHz: number
}

/**
 * @throws UserError USAGE where the run keeps no annotation of a scored subset, and no dataset was given
 */
export async function itemFiles(sample: RunSample, options: ItemOptions): Promise<ItemFiles> {
  const reasons: Reason[] = []
  const { inputPcm } = options
  const inputSha256 = sample.books.input?.sha256
  if (inputPcm !== undefined && inputSha256 != null && sha256Hex(inputPcm) !== inputSha256) {
    reasons.push({ code: 'input_hash_differs', detail: `${INPUT} has another SHA-256 than the run's books say` })
  }
  const item = await datasetItem(sample, options)
  if (item?.problem !== undefined) reasons.push({ code: 'source_changed', detail: item.problem })
  const annotation = await annotationOf(sample, options.datasetRoot)
  if (annotation.problem !== undefined) reasons.push({ code: 'annotation_changed', detail: annotation.problem })
  return { reasons, annotation: annotation.found, windowSamples: item?.windowSamples }
}

const INPUT = 'input.pcm'

/** The dataset's own file, where a dataset was given: unchanged, and still the audio that was sent. */
async function datasetItem(
  { subset, item, books }: RunSample,
  { datasetRoot, inputPcm, inputRateHz }: ItemOptions,
): Promise<{ readonly problem?: string; readonly windowSamples?: number } | undefined> {
  const { file, sha256 } = books.source ?? {}
  if (datasetRoot === undefined || file == null) return undefined
  const path = join(datasetRoot, subset, item, basename(file))
  if (!existsSync(path)) return { problem: `${join(subset, item, basename(file))} is missing` }
  const audio = await readAudioFile(path)
  if (!audio.ok) return { problem: `${join(subset, item, basename(file))} ${audio.problem}` }
  if (sha256 != null && audio.sha256 !== sha256) {
    return { problem: `${join(subset, item, basename(file))} is not the file that was sent` }
  }
  const { pcm } = normalizeToPcm16(audio.audio, inputRateHz)
  const bytes = pcm16Bytes(pcm)
  const sent = inputPcm?.subarray(0, bytes.byteLength)
  if (sent !== undefined && Buffer.compare(sent, bytes) !== 0) {
    return { problem: `${join(subset, item, basename(file))}, normalized again, is not the recorded input` }
  }
  return { windowSamples: windowSamplesOf(audio.audio.frames, audio.audio.sampleRateHz) }
}

interface FoundAnnotation {
  readonly found: ItemFiles['annotation']
  readonly problem?: string
}

/** From the run, which keeps a copy beside each session; else from the dataset. */
async function annotationOf(sample: RunSample, datasetRoot: string | undefined): Promise<FoundAnnotation> {
  const { subset, item, books, session, sample: sampleBooks } = sample
  const needed = isFdbV10Subset(subset) ? FDB_V10[subset].annotationFile : null
  const file = books.annotation?.file ?? (needed === null ? undefined : needed)
  if (file === undefined) return { found: null }
  const recorded = books.annotation?.sha256 ?? sampleBooks.sha256?.annotation ?? sampleBooks.sha256?.[file]
  const name = join(subset, item, file)
  const inDataset = datasetRoot === undefined ? undefined : await readIfThere(join(datasetRoot, subset, item, file))
  const inRun = session === undefined ? undefined : await readIfThere(join(session.directory, file))
  const bytes = inRun ?? inDataset
  if (bytes === undefined) {
    if (session === undefined) return { found: null }
    if (books.annotation != null || datasetRoot !== undefined) return { found: null, problem: `${name} is missing` }
    const message = `the run keeps no annotation of ${subset}/${item}`
    throw new UserError({ code: 'USAGE', message, fix: 'pass --dataset-root DIR' })
  }
  for (const copy of [inRun, inDataset]) {
    if (copy !== undefined && recorded != null && sha256Hex(copy) !== recorded) {
      return { found: null, problem: `${name} has another SHA-256 than the run's books say` }
    }
  }
  if (datasetRoot !== undefined && inDataset === undefined)
    return { found: null, problem: `${name} is not in the dataset` }
  return { found: { file, bytes } }
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch {
    return undefined
  }
}
