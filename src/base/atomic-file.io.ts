/** Files that are written whole or not at all: into a temporary name beside the target, then renamed over it. */
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, UserError } from './errors.js'

/**
 * @throws UserError DISK_FULL or OUTPUT_UNWRITABLE, naming the path
 */
export async function writeFileWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.part`
  try {
    await makeFolder(dirname(path))
    await writeFile(temporary, content)
    await rename(temporary, path)
  } catch (thrown) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw outputError(path, thrown)
  }
}

/**
 * A folder and those above it, where they are missing. Node's own recursive form tries for ever on file systems that let no
 * folder be made, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw thrown
    await makeFolder(dirname(path))
    // Another process may have made it in between.
    await mkdir(path).catch(async (again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
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
