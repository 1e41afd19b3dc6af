/** The user's own audio files as stimuli. */
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../base/errors.js'
import { readAudioFile, unreadable } from './audio-file.io.js'
import { type BadAudioFile, badAudioError } from './audio-problems.js'
import { clipIdFromFileName, type InputClip, makeInputClip, windowSamplesOf } from './input-clip.js'
import { compareNatural } from './natural-order.js'
import { encodingName, normalizeToPcm16 } from './normalize.js'
import { summarizeActions } from './normalize-notes.js'
import type { WavAudio, WavEncoding } from './wav.js'

/** Float and 8-bit files are seldom meant as stimuli: the one may lie beyond full scale, the other is mostly noise. */
const REFUSED: Readonly<Partial<Record<WavEncoding, string>>> = {
  pcm8: 'whose noise would change what is measured',
  float32: 'whose full scale is not certain',
  float64: 'whose full scale is not certain',
}
const ALLOWED = 'WAV, PCM of 16, 24 or 32 bits, 8000 to 192000 Hz, mono or more channels'

export interface AudioInputOptions {
  /** Folders and WAV files, in the order in which they are used. */
  readonly paths: readonly string[]
  /** The server's input rate. */
  readonly targetRateHz: number
  /** Hears one line for each thing that was done to the samples of one file or of several. */
  readonly onNote: (note: string) => void
}

/**
 * Loads all files of all paths, in the order given; of a folder its files `*.wav`, not those of its subfolders nor hidden
 * ones, in natural order. PCM of 16, 24 or 32 bits at 8000 to 192000 Hz; channels are averaged.
 * @returns one clip for each file, subset `audio`, variant `input`, ids from the file names; at least one
 * @throws UserError FILE_UNREADABLE (a path is missing or cannot be read), AUDIO_NONE (a folder without WAV files, or no
 * path), AUDIO_INVALID (all files that cannot be used, together)
 */
export async function loadAudioInputs(options: AudioInputOptions): Promise<InputClip[]> {
  const { targetRateHz } = options
  const files: string[] = []
  for (const path of options.paths) files.push(...(await wavFilesOf(path)))
  if (files.length === 0) {
    throw new UserError({ code: 'AUDIO_NONE', message: 'no audio was given', fix: 'name a folder or a WAV file' })
  }

  const clips: InputClip[] = []
  const bad: BadAudioFile[] = []
  const takenIds = new Set<string>()
  for (const path of files) {
    const file = await readAudioFile(path)
    const problem = file.ok ? refusal(file.audio) : undefined
    if (!file.ok) {
      bad.push({ path, problem: file.problem, isConvertible: file.isConvertible })
    } else if (problem !== undefined) {
      bad.push({ path, problem, isConvertible: true })
    } else {
      const { pcm, actions } = normalizeToPcm16(file.audio, targetRateHz)
      clips.push(
        makeInputClip({
          id: clipIdFromFileName(basename(path), takenIds),
          subset: 'audio',
          variant: 'input',
          sampleRateHz: targetRateHz,
          pcm,
          source: { file: path, sha256: file.sha256 },
          normalization: actions,
          windowSamples: windowSamplesOf(file.audio.frames, file.audio.sampleRateHz),
        }),
      )
    }
  }
  if (bad.length > 0) throw badAudioError({ files: bad, allowed: ALLOWED, targetRateHz })
  for (const note of summarizeActions(clips)) options.onNote(note)
  return clips
}

function refusal(audio: WavAudio): string | undefined {
  const reason = REFUSED[audio.encoding]
  return reason === undefined ? undefined : `holds ${encodingName(audio.encoding)} samples, ${reason}`
}

async function wavFilesOf(path: string): Promise<string[]> {
  const found = await lookAt(path)
  if (found === 'file') return [path]
  const names = await namesOf(path)
  const files: string[] = []
  for (const name of names.sort(compareNatural)) {
    // Hidden files are left out: some systems keep a file `._name.wav` beside each `name.wav`.
    if (!/\.wav$/i.test(name) || name.startsWith('.')) continue
    const file = join(path, name)
    if ((await lookAt(file)) === 'file') files.push(file)
  }
  if (files.length > 0) return files
  throw new UserError({
    code: 'AUDIO_NONE',
    message: `${path} holds no WAV files (looked for *.wav among ${names.length} entries, not in subfolders)`,
    at: path,
    fix: 'name the folder that directly holds the files, or convert them to WAV',
  })
}

async function lookAt(path: string): Promise<'file' | 'folder'> {
  let found: Awaited<ReturnType<typeof stat>>
  try {
    found = await stat(path)
  } catch (cause) {
    throw unreadable(path, cause)
  }
  if (found.isDirectory()) return 'folder'
  // A device or a pipe may never end.
  if (!found.isFile()) throw unreadable(path, new Error('it is neither a file nor a folder'))
  return 'file'
}

async function namesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    throw unreadable(folder, cause)
  }
}
