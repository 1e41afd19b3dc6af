/** A folder for what a measurement writes, on the disk of the system's temporary files, removed whatever happens. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set()
const remove = (folder) => rmSync(folder, { recursive: true, force: true })

process.once('exit', () => {
  for (const folder of folders) remove(folder)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

export async function withTempFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'floorload-bench-'))
  folders.add(folder)
  try {
    return await use(folder)
  } finally {
    remove(folder)
    folders.delete(folder)
  }
}
