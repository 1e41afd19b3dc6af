/** Folders of a test's own, gone when it ends, and trees of files written from one description. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder; removed when the running test has ended. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'floorload-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export type FileTree = Readonly<Record<string, string | Uint8Array | object>>

/** Writes files by relative path; an object that is not bytes becomes JSON. */
export async function writeTree(root: string, files: FileTree): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(join(root, path), isRaw ? content : JSON.stringify(content))
  }
}

/** A folder with these files in it, named `run` or otherwise. */
export async function folderWith(files: FileTree, name = 'run'): Promise<string> {
  const folder = join(await temporaryFolder(), name)
  await mkdir(folder, { recursive: true })
  await writeTree(folder, files)
  return folder
}
