/** One stimulus: the audio that a session sends, ready for packets, and where it came from. */
import { createHash } from 'node:crypto'
import { assert } from '../base/errors.js'
import { ratioOfRates, resampledLength } from './resample.js'

export interface InputClip {
  /** Matches `CLIP_ID`, so it can name a folder. Unique together with `subset` and `variant`. */
  readonly id: string
  /** `audio` (the user's files), `speech` (built in), or a subset of a dataset. */
  readonly subset: string
  /** `input`, or the name of one of a sample's recordings (`overlap`, `clean`). */
  readonly variant: string
  readonly sampleRateHz: number
  /** Mono; at least one sample. */
  readonly pcm: Int16Array
  readonly source: {
    /** The file's path as given or found; null for built-in audio. */
    readonly file: string | null
    /** Of the file's bytes; for built-in audio, of its PCM before resampling. */
    readonly sha256: string
  }
  /** What was done to the source's samples, in order; empty where they are sent as they are. */
  readonly normalization: readonly string[]
  /** Of `pcm` as 16-bit little-endian bytes. */
  readonly pcmSha256: string
  /**
   * Length of the item itself at 16 kHz, in samples: that of the window in which replies are observed. Without the silence
   * that a profile appends.
   */
  readonly windowSamples: number
  /** What stands beside the item to score replies by; null where nothing does. */
  readonly annotation: ClipAnnotation | null
}

export interface ClipAnnotation {
  /** Its name without a folder: `pause.json`. */
  readonly file: string
  /** The file's whole text, byte for byte. */
  readonly text: string
  /** Of the text as UTF-8. */
  readonly sha256: string
}

/** The rate of observation windows, whatever the server's rates are. Source: docs/formats.md, "Reference tree". */
const WINDOW_RATE_HZ = 16_000

/** Source: docs/inputs.md, "Full-Duplex-Bench". */
export const CLIP_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** Leaves room for a suffix below the 255 bytes of a file name. */
const ID_LENGTH_MAX = 100

type MadeParts = 'pcmSha256' | 'windowSamples' | 'annotation'

/** A clip with its hash and its checks; the window is as long as the samples, and nothing stands beside it, unless told. */
export function makeInputClip(
  parts: Omit<InputClip, MadeParts> & Partial<Pick<InputClip, 'windowSamples' | 'annotation'>>,
): InputClip {
  const { windowSamples = Math.floor((parts.pcm.length * WINDOW_RATE_HZ) / parts.sampleRateHz), annotation = null } =
    parts
  assert(CLIP_ID.test(parts.id), `"${parts.id}" is no clip id`)
  assert(parts.pcm.length > 0, `clip ${parts.id} is empty`)
  return { ...parts, windowSamples, annotation, pcmSha256: sha256Hex(pcm16Bytes(parts.pcm)) }
}

/** An annotation as a clip carries it. @param file name without a folder */
export function clipAnnotation(file: string, text: string): ClipAnnotation {
  return { file, text, sha256: sha256Hex(Buffer.from(text, 'utf8')) }
}

/** Samples at 16 kHz of so many samples at another rate, rounded up as by the resampler that makes observation windows. */
export function windowSamplesOf(frames: number, sampleRateHz: number): number {
  return resampledLength(frames, ratioOfRates({ fromHz: sampleRateHz, toHz: WINDOW_RATE_HZ }))
}

/** For paper and manifests; inside the program, count `pcm.length`. */
export function clipDurationS(clip: Pick<InputClip, 'pcm' | 'sampleRateHz'>): number {
  return clip.pcm.length / clip.sampleRateHz
}

/** PCM16 as it goes on the wire and into files: little-endian, in a buffer of its own. */
export function pcm16Bytes(pcm: Int16Array): Uint8Array {
  const bytes = new Uint8Array(2 * pcm.length)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < pcm.length; index += 1) view.setInt16(2 * index, pcm[index] as number, true)
  return bytes
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * A clip id for a file name: the ending `.wav` dropped, every run of other characters than letters, digits, `.`, `_`, `-`
 * turned into one `-`, the ends trimmed, cut to 100 characters, and `-2`, `-3`, … appended where the id is taken. Two ids
 * that differ only in case count as taken, because some file systems hold only one of them.
 * @param fileName the last part of a path
 * @param taken ids given so far in lower case; the new one is added
 */
export function clipIdFromFileName(fileName: string, taken: Set<string>): string {
  const stem = fileName.replace(/\.wav$/i, '').replace(/[^A-Za-z0-9._-]+/g, '-')
  const trimmed = stem
    .replace(/^[._-]+/, '')
    .slice(0, ID_LENGTH_MAX)
    .replace(/[._-]+$/, '')
  const base = trimmed === '' ? 'clip' : trimmed
  let id = base
  for (let count = 2; taken.has(id.toLowerCase()); count += 1) id = `${base}-${count}`
  taken.add(id.toLowerCase())
  return id
}
