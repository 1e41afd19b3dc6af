/** The files of a local Parakeet model: which ones in a folder they are, and their hashes. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, UserError } from '../../base/errors.js'
import { fileSha256 } from './command-files.io.js'
import type { ParakeetFiles } from './parakeet-messages.js'

export interface ParakeetModel {
  readonly files: ParakeetFiles
  /** By file name. */
  readonly sha256: Readonly<Record<string, string>>
}

const PARTS = [
  { part: 'encoder', pattern: /^encoder.*\.onnx$/, shown: 'encoder*.onnx' },
  { part: 'decoder', pattern: /^decoder.*\.onnx$/, shown: 'decoder*.onnx' },
  { part: 'joiner', pattern: /^joiner.*\.onnx$/, shown: 'joiner*.onnx' },
  { part: 'tokens', pattern: /^tokens\.txt$/, shown: 'tokens.txt' },
] as const

/**
 * Finds `encoder*.onnx`, `decoder*.onnx`, `joiner*.onnx` and `tokens.txt`; of several that fit, the quantized one
 * (`.int8.`) is not guessed at: there must be one.
 * @throws UserError FILE_UNREADABLE naming what is missing, or what there is more than one of
 */
export async function parakeetModel(directory: string): Promise<ParakeetModel> {
  const names = await namesIn(directory)
  const found = PARTS.map(({ part, pattern, shown }) => {
    const fitting = names.filter((name) => pattern.test(name))
    const [name] = fitting
    if (name === undefined) throw modelError(`${directory} holds no ${shown}`)
    if (fitting.length > 1) throw modelError(`${directory} holds more than one ${shown}: ${fitting.join(', ')}`)
    return [part, name] as const
  })
  const sha256: Record<string, string> = {}
  for (const [, name] of found) sha256[name] = await fileSha256(join(directory, name))
  const files = Object.fromEntries(found.map(([part, name]) => [part, join(directory, name)]))
  return { files: files as unknown as ParakeetFiles, sha256 }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort()
  } catch (thrown) {
    throw modelError(`the model folder ${directory} cannot be read: ${messageOf(thrown)}`)
  }
}

function modelError(message: string): UserError {
  return new UserError({
    code: 'FILE_UNREADABLE',
    message,
    fix: 'give the unpacked folder of one sherpa-onnx export of Parakeet TDT (docs/transcripts.md)',
  })
}
