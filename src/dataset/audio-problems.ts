/** Bad audio files told to the user: all of them in one error, on one line. */
import { UserError } from '../base/errors.js'

export interface BadAudioFile {
  readonly path: string
  /** A phrase that follows the file's name. */
  readonly problem: string
  /** Whether converting the file helps. */
  readonly isConvertible: boolean
}

const FILES_NAMED_MAX = 5

/**
 * @param allowed what is accepted, as the user would say it
 * @param files at least one, in the order to name them in
 */
export function badAudioError(details: {
  readonly files: readonly BadAudioFile[]
  readonly allowed: string
  readonly targetRateHz: number
}): UserError {
  const { files, allowed, targetRateHz } = details
  const named = files.slice(0, FILES_NAMED_MAX).map(({ path, problem }) => `${path} ${problem}`)
  const unnamed = files.length - named.length
  if (unnamed > 0) named.push(`and ${unnamed} more`)
  const count = files.length === 1 ? '' : `${files.length} audio files cannot be used: `
  const first = files.find((file) => file.isConvertible)
  return new UserError({
    code: 'AUDIO_INVALID',
    message: oneLine(`${count}${named.join('; ')}; allowed: ${allowed}`),
    ...(files.length === 1 && files[0] !== undefined ? { at: oneLine(files[0].path) } : {}),
    fix:
      first === undefined
        ? 'record or copy the file again, or leave it out'
        : oneLine(`convert it: ${convertCommand(first.path, targetRateHz)}`),
  })
}

/** A command that turns any audio into what is accepted; it never writes over its input. */
function convertCommand(path: string, targetRateHz: number): string {
  const converted = `${path.replace(/\.[^./\\]*$/, '')}-converted.wav`
  return `ffmpeg -i ${quoted(path)} -ac 1 -ar ${targetRateHz} -c:a pcm_s16le ${quoted(converted)}`
}

function quoted(path: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(path) && !path.startsWith('-') ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** File names may hold line breaks. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}
