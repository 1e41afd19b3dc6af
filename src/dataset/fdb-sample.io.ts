/** One sample of Full-Duplex-Bench from the disk: its recordings and its annotation, or everything that is wrong with it. */
import type { Stats } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TextDecoder } from 'node:util'
import { messageOf } from '../base/errors.js'
import { type AudioFile, readAudioFile } from './audio-file.io.js'
import type { FdbSubset, FdbVersion } from './fdb-versions.js'
import { type ClipAnnotation, clipAnnotation, windowSamplesOf } from './input-clip.js'

/** The published ones have a few hundred bytes. */
const ANNOTATION_BYTES_MAX = 4 * 1024 * 1024

const WINDOW_RATE_HZ = 16_000

export interface FdbRecording {
  readonly variant: string
  readonly path: string
  readonly file: AudioFile
  /** Of this recording at 16 kHz. */
  readonly windowSamples: number
  readonly annotation: ClipAnnotation | null
}

export interface FdbSample {
  /** In the order in which they are sent; those that can be read. */
  readonly recordings: readonly FdbRecording[]
  /** Each a phrase that begins with the file's name: `pause.json is missing`. Empty for a sample that can be used. */
  readonly problems: readonly string[]
}

/** Reads a sample whole. Never throws on what the disk holds. */
export async function readFdbSample(
  root: string,
  version: FdbVersion,
  { subset, id }: { readonly subset: FdbSubset; readonly id: string },
): Promise<FdbSample> {
  const folder = join(root, subset.name, id)
  const folderState = await stateOf(folder)
  if (folderState !== 'a folder') return { recordings: [], problems: [`the sample ${folderState}`] }
  const problems: string[] = []
  const recordings: FdbRecording[] = []
  for (const [index, { variant, file: name }] of version.recordings.entries()) {
    const path = join(folder, name)
    const file = await audioOf(path)
    if (typeof file === 'string') problems.push(`${name} ${file}`)
    const windowSamples =
      typeof file === 'string' ? undefined : windowSamplesOf(file.audio.frames, file.audio.sampleRateHz)
    let annotation: ClipAnnotation | null = null
    if (index === 0 && subset.annotationFile !== null) {
      const text = await textOf(join(folder, subset.annotationFile))
      const durationS = windowSamples === undefined ? undefined : windowSamples / WINDOW_RATE_HZ
      const problem = text.ok ? version.problemOf(subset.annotationFile, text.text, durationS) : text.problem
      if (problem !== undefined) problems.push(`${subset.annotationFile} ${problem}`)
      else if (text.ok) annotation = clipAnnotation(subset.annotationFile, text.text)
    }
    if (typeof file !== 'string' && windowSamples !== undefined) {
      recordings.push({ variant, path, file, windowSamples, annotation })
    }
  }
  return { recordings, problems }
}

async function audioOf(path: string): Promise<AudioFile | string> {
  const state = await stateOf(path)
  if (state !== 'a file') return state === 'a folder' ? 'is a folder' : state
  try {
    const file = await readAudioFile(path)
    return file.ok ? file : file.problem
  } catch (thrown) {
    return `cannot be read: ${causeOf(thrown)}`
  }
}

async function textOf(path: string): Promise<{ ok: true; text: string } | { ok: false; problem: string }> {
  const state = await stateOf(path)
  if (state !== 'a file') return { ok: false, problem: state === 'a folder' ? 'is a folder' : state }
  try {
    const { size } = await lstat(path)
    if (size > ANNOTATION_BYTES_MAX) return { ok: false, problem: `has ${size} bytes` }
    const bytes = await readFile(path)
    // Kept byte for byte, its mark of byte order too, so that its hash is that of the file.
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (thrown) {
    const isNoText = thrown instanceof TypeError
    return { ok: false, problem: isNoText ? 'is not UTF-8 text' : `cannot be read: ${messageOf(thrown)}` }
  }
}

/** What stands there: `a file`, `a folder`, or else a phrase that says what is wrong. Links are not followed. */
async function stateOf(path: string): Promise<string> {
  let found: Stats
  try {
    found = await lstat(path)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'is missing' : `cannot be read: ${messageOf(thrown)}`
  }
  if (found.isSymbolicLink()) return 'is a symbolic link'
  if (found.isDirectory()) return 'a folder'
  return found.isFile() ? 'a file' : 'is neither a file nor a folder'
}

function causeOf(thrown: unknown): string {
  return messageOf(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown)
}
