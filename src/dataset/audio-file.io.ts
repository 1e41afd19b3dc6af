/** One audio file from the disk to samples, or the reason why not; used for the user's files and for datasets. */
import { readFile, stat } from 'node:fs/promises'
import { messageOf, UserError } from '../base/errors.js'
import { sha256Hex } from './input-clip.js'
import { parseWav, type WavAudio } from './wav.js'

/** Over two hours at 16 kHz and 16 bits; a file is read whole, and converting one takes many times its size in memory. */
export const AUDIO_FILE_BYTES_MAX = 256 * 1024 * 1024

const SAMPLE_RATE_HZ_MIN = 8_000
const SAMPLE_RATE_HZ_MAX = 192_000

export interface AudioFileProblem {
  readonly ok: false
  /** A phrase that follows the file's name: `is cut short (…)`. */
  readonly problem: string
  /** Whether converting the file helps; otherwise it has to be made or copied again. */
  readonly isConvertible: boolean
}

export interface AudioFile {
  readonly ok: true
  readonly audio: WavAudio
  /** Of the file's bytes. */
  readonly sha256: string
}

/**
 * Reads a WAV file and checks its sample rate, 8000 to 192000 Hz.
 * @throws UserError FILE_UNREADABLE where the file cannot be read
 */
export async function readAudioFile(path: string): Promise<AudioFile | AudioFileProblem> {
  const bytes = await readBytes(path)
  if (typeof bytes === 'number') {
    const problem = `has ${bytes} bytes (at most ${AUDIO_FILE_BYTES_MAX} are read)`
    return { ok: false, problem, isConvertible: false }
  }
  const audio = parseWav(bytes)
  if (!audio.ok) return { ok: false, problem: audio.problem, isConvertible: audio.kind === 'unsupported' }
  if (audio.sampleRateHz < SAMPLE_RATE_HZ_MIN || audio.sampleRateHz > SAMPLE_RATE_HZ_MAX) {
    return { ok: false, problem: `has a sample rate of ${audio.sampleRateHz} Hz`, isConvertible: true }
  }
  return { ok: true, audio, sha256: sha256Hex(bytes) }
}

/** Wraps a failed look at the disk. */
export function unreadable(path: string, cause: unknown): UserError {
  return new UserError({
    code: 'FILE_UNREADABLE',
    message: `${path} cannot be read: ${messageOf(cause)}`,
    at: path,
    fix: 'check the path and its permissions',
    cause,
  })
}

/** The bytes, or the file's size where it is beyond the bound. */
async function readBytes(path: string): Promise<Uint8Array | number> {
  try {
    const { size } = await stat(path)
    return size > AUDIO_FILE_BYTES_MAX ? size : await readFile(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
}
