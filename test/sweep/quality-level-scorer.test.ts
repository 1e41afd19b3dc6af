import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { qualitySettingsSchema } from '../../src/profile/quality-settings.js'
import { openLevelScorer } from '../../src/sweep/level-scorer.io.js'
import { folderWith } from '../helpers/temp-folders.js'

const SETTINGS = qualitySettingsSchema.parse({})

describe('the scorer of levels', () => {
  it.each([
    { name: 'no tree', files: { 'notes.txt': 'mine' }, code: 'OUTPUT_EXISTS' },
    { name: 'a manifest of something else', files: { 'manifest.json': { mine: true } }, code: 'OUTPUT_EXISTS' },
  ])('never touches a folder that holds $name', async ({ files, code }) => {
    const tree = await folderWith(files, 'concurrency-2')
    const scorer = await openLevelScorer(SETTINGS)
    try {
      await expect(scorer.score({ run: '/nowhere', tree })).rejects.toMatchObject({ code })
    } finally {
      await scorer.close()
    }
    expect(await readdir(tree)).toEqual(Object.keys(files))
  })

  it('keeps a tree whose level cannot be exported again, and leaves nothing beside it', async () => {
    const tree = await folderWith({ 'manifest.json': { samples: [] } }, 'concurrency-2')
    const scorer = await openLevelScorer(SETTINGS)
    try {
      await expect(scorer.score({ run: '/nowhere', tree })).rejects.toMatchObject({ name: 'UserError' })
    } finally {
      await scorer.close()
    }
    expect(await readdir(join(tree, '..'))).toEqual(['concurrency-2'])
    expect(await readFile(join(tree, 'manifest.json'), 'utf8')).toBe('{"samples":[]}')
  })

  it.each([
    { transcripts: 'parakeet:/nowhere', code: 'FILE_UNREADABLE' },
    { transcripts: 'command:/nowhere/asr', code: 'USAGE' },
    { transcripts: 'openai:http://127.0.0.1:1/v1', code: 'USAGE' },
  ])('refuses $transcripts before any level', async ({ transcripts, code }) => {
    await expect(openLevelScorer({ ...SETTINGS, transcripts })).rejects.toMatchObject({ code })
  })
})
