/** Files that are written whole or not at all: into a temporary name beside the target, then renamed over it. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, UserError } from './errors.js'

/**
 * @throws UserError DISK_FULL or OUTPUT_UNWRITABLE, naming the path
 */
export async function writeFileWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.part`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, content)
    await rename(temporary, path)
  } catch (thrown) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw outputError(path, thrown)
  }
}

/** What a failed write means for the person who gave the path. */
export function outputError(path: string, thrown: unknown): UserError {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new UserError({
      code: 'DISK_FULL',
      message: `the disk is full: cannot write ${path}`,
      fix: 'free some space or choose another --output',
      cause: thrown,
    })
  }
  return new UserError({
    code: 'OUTPUT_UNWRITABLE',
    message: `cannot write ${path}: ${code ?? messageOf(thrown)}`,
    fix: 'choose a folder that can be written',
    cause: thrown,
  })
}
