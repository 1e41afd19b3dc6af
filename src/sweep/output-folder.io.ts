/** The folder of a sweep: claimed before the first session, checked for room, and read again by `--resume`. */
import { readdir, readFile, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, outputError } from '../base/atomic-file.io.js'
import { UserError } from '../base/errors.js'
import { RUN_FILE, runBooksSchema } from '../capture/run-manifest.js'
import { SWEEP_MANIFEST_FILE, type SweepManifest, sweepManifestSchema } from './sweep-manifest.js'

/** @throws UserError OUTPUT_EXISTS when the folder holds anything, OUTPUT_UNWRITABLE when it is a file */
export async function ensureOutputIsFree(output: string): Promise<void> {
  let entries: string[]
  try {
    entries = await readdir(output)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return
    throw outputError(output, thrown)
  }
  if (entries.length === 0) return
  const isSweep = entries.includes(SWEEP_MANIFEST_FILE)
  throw new UserError({
    code: 'OUTPUT_EXISTS',
    message: `the output folder ${output} holds ${isSweep ? 'another sweep' : `other files (${entries.slice(0, 3).join(', ')})`}`,
    fix: isSweep ? `choose another --output, or go on with --resume ${output}` : 'choose another --output',
  })
}

/**
 * @param neededBytes what the sweep will write, at most
 * @throws UserError DISK_FULL before anything is written
 */
export async function ensureRoom(output: string, neededBytes: number): Promise<void> {
  let folder = resolve(output)
  for (;;) {
    try {
      const { bavail, bsize } = await statfs(folder)
      const freeBytes = Number(bavail) * Number(bsize)
      if (freeBytes >= neededBytes) return
      throw new UserError({
        code: 'DISK_FULL',
        message: `the disk has ${megabytes(freeBytes)} MB free at ${output}; this sweep may write ${megabytes(neededBytes)} MB of traces`,
        fix: 'free some space, choose another --output, or run fewer levels or sessions',
      })
    } catch (thrown) {
      if (thrown instanceof UserError) throw thrown
      if (dirname(folder) === folder) return
      folder = dirname(folder)
    }
  }
}

export async function createFolder(path: string): Promise<void> {
  try {
    await makeFolder(path)
  } catch (thrown) {
    throw outputError(path, thrown)
  }
}

/** Puts a finished folder in the place of another. */
export async function renameFolder(from: string, to: string): Promise<void> {
  try {
    await rm(to, { recursive: true, force: true })
    await rename(from, to)
  } catch (thrown) {
    throw outputError(to, thrown)
  }
}

/** @throws UserError RUN_UNREADABLE when the folder holds no sweep that this version can go on with */
export async function readSweepManifest(output: string): Promise<SweepManifest> {
  const file = join(output, SWEEP_MANIFEST_FILE)
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new UserError({
      code: 'RUN_UNREADABLE',
      message: `${output} holds no sweep: ${SWEEP_MANIFEST_FILE} is missing or broken`,
      fix: 'give the --output folder of an earlier sweep',
    })
  }
  const parsed = sweepManifestSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new UserError({
    code: 'RUN_UNREADABLE',
    message: `${file}: ${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`,
    fix: 'it was written by another version, or changed by hand',
  })
}

/** Whether a level was recorded and judged to its end. */
export async function isLevelComplete(runDirectory: string): Promise<boolean> {
  try {
    const books = runBooksSchema.safeParse(JSON.parse(await readFile(join(runDirectory, RUN_FILE), 'utf8')))
    return books.data?.status === 'complete'
  } catch {
    return false
  }
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6)
}
