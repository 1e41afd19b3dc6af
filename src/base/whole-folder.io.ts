/** Folders that are written whole or not at all: built beside their place, then renamed to it. */
import { mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { makeFolder, outputError, writeFileWhole } from './atomic-file.io.js'
import { UserError } from './errors.js'

export interface FolderFile {
  /** Below the folder, with slashes. */
  readonly path: string
  readonly content: string | Uint8Array
}

/**
 * @param out new or empty; what is in it otherwise is never touched
 * @throws UserError OUTPUT_EXISTS, DISK_FULL or OUTPUT_UNWRITABLE, naming the folder; nothing is left behind then
 */
export async function writeFolderWhole(out: string, files: Iterable<FolderFile>): Promise<void> {
  await ensureFree(out)
  const target = resolve(out)
  let beside: string | undefined
  try {
    await makeFolder(dirname(target))
    beside = await mkdtemp(join(dirname(target), `.${basename(target)}.part-`))
    // One folder further down, since that of `mkdtemp` itself is closed to everybody else.
    const building = join(beside, basename(target))
    await makeFolder(building)
    for (const { path, content } of files) await writeFileWhole(join(building, path), content)
    await rmdir(target).catch(() => undefined)
    await rename(building, target)
  } catch (thrown) {
    throw thrown instanceof UserError ? thrown : outputError(out, thrown)
  } finally {
    if (beside !== undefined) await rm(beside, { recursive: true, force: true })
  }
}

/**
 * Asked before long work, so that it is not done in vain.
 * @throws UserError OUTPUT_EXISTS when something is in the folder, OUTPUT_UNWRITABLE when it is none or cannot be read
 */
export async function ensureFree(out: string): Promise<void> {
  let entries: string[]
  try {
    entries = await readdir(out)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return
    throw outputError(out, thrown)
  }
  if (entries.length === 0) return
  throw new UserError({
    code: 'OUTPUT_EXISTS',
    message: `the folder ${out} holds other files (${entries.slice(0, 3).join(', ')})`,
    fix: 'choose another --out, or remove it',
  })
}
