import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, writeFileWhole } from '../../src/base/atomic-file.io.js'
import { temporaryFolder } from '../helpers/temp-folders.js'

describe('folders', () => {
  it('are made with those above them, and kept where they are', async () => {
    const root = await temporaryFolder()
    const path = join(root, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(root, 'a', 'd'))])
    await makeFolder(path)
    expect(await readdir(join(root, 'a'))).toEqual(['b', 'd'])
  })

  it('end in an error where none can be made', async () => {
    const root = await temporaryFolder()
    await writeFile(join(root, 'file'), '')
    await expect(makeFolder(join(root, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
    // Linux has a file system in which no folder can be made, and says that the path is missing.
    const path = process.platform === 'linux' ? '/proc/floorload/x/y' : join(root, 'file', 'x')
    await expect(makeFolder(path)).rejects.toThrow()
  })
})

describe('files', () => {
  it('are whole or not there', async () => {
    const root = await temporaryFolder()
    await writeFileWhole(join(root, 'x', 'a.txt'), 'one')
    await writeFileWhole(join(root, 'x', 'a.txt'), 'two')
    expect(await readFile(join(root, 'x', 'a.txt'), 'utf8')).toBe('two')
    expect(await readdir(join(root, 'x'))).toEqual(['a.txt'])
  })

  it('name the path that cannot be written', async () => {
    const root = await temporaryFolder()
    await writeFile(join(root, 'file'), '')
    await expect(writeFileWhole(join(root, 'file', 'a.txt'), 'x')).rejects.toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
      message: expect.stringContaining('a.txt'),
    })
  })
})
