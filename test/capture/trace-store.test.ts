import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TraceStore } from '../../src/capture/trace-store.io.js'
import { folderWith, temporaryFolder } from '../helpers/temp-folders.js'

describe('the trace store', () => {
  it('writes every line in order, of many files at once, into folders it makes', async () => {
    const root = await temporaryFolder()
    const store = new TraceStore()
    const files = Array.from({ length: 5 }, (_, index) => store.create(join(root, `session-${index}`, 'a.jsonl')))
    for (let line = 0; line < 500; line += 1) {
      files.forEach((file, index) => {
        expect(file.append(`{"session":${index},"line":${line}}`)).toBe(true)
      })
      // Batches of different sizes: some lines are written while others come in.
      if (line % 97 === 0) await store.drain()
    }
    for (const file of files) file.finish()
    await store.drain()
    for (const [index, file] of files.entries()) {
      const expected = Array.from({ length: 500 }, (_, line) => `{"session":${index},"line":${line}}\n`).join('')
      expect(await readFile(file.path, 'utf8')).toBe(expected)
    }
    expect(store.failure).toBeUndefined()
  })

  it('counts bytes, not characters', async () => {
    const store = new TraceStore()
    const file = store.create(join(await temporaryFolder(), 'a.jsonl'))
    file.append('grün')
    file.finish()
    await store.drain()
    expect(store.bytesWritten).toBe(6)
    expect(await readFile(file.path, 'utf8')).toBe('grün\n')
  })

  it('lines that come while others are written follow them', async () => {
    const store = new TraceStore()
    const file = store.create(join(await temporaryFolder(), 'a.jsonl'))
    file.append('first')
    const drained = store.drain()
    file.append('second')
    file.finish()
    await drained
    await store.drain()
    expect(await readFile(file.path, 'utf8')).toBe('first\nsecond\n')
  })

  it('a session without a line leaves an empty trace', async () => {
    const store = new TraceStore()
    const file = store.create(join(await temporaryFolder(), 'a.jsonl'))
    file.finish()
    await store.drain()
    expect(await readFile(file.path, 'utf8')).toBe('')
  })

  it('refuses a line that finds no room and takes lines again once there is room', async () => {
    const store = new TraceStore()
    const file = store.create(join(await temporaryFolder(), 'a.jsonl'))
    // Far beyond the bound in one line, so that the test holds no such amount itself: repeated text is shared memory.
    const huge = 'x'.repeat(300 * 1024 * 1024)
    expect(file.append(huge)).toBe(false)
    expect(file.append('small')).toBe(true)
    file.finish()
    await store.drain()
    expect(await readFile(file.path, 'utf8')).toBe('small\n')
    expect(store.failure).toBeUndefined()
  })

  it('reports the first write that failed and refuses every line after it', async () => {
    // A file stands where the folder should be.
    const root = await folderWith({ blocked: 'a file' })
    const store = new TraceStore()
    const file = store.create(join(root, 'blocked', 'a.jsonl'))
    const other = store.create(join(root, 'b.jsonl'))
    expect(file.append('line')).toBe(true)
    await store.drain()
    expect(store.failure).toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    expect(store.failure?.message).toContain(file.path)
    expect(file.append('line')).toBe(false)
    expect(other.append('line')).toBe(false)
    await store.drain()
  })
})
