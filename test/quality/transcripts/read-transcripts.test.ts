import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTranscripts } from '../../../src/quality/transcripts/read-transcripts.io.js'
import { transcribeTree } from '../../../src/quality/transcripts/transcribe-tree.io.js'
import { INTERRUPTION, PAUSE, smallTree, TURN, tableSource } from './small-tree.js'

const EMPTY = '{"text":"","chunks":[]}'
const EMPTY_SHA256 = createHash('sha256').update(EMPTY).digest('hex')
const TRANSCRIPTS = {
  [`${PAUSE}/output.json`]: EMPTY,
  [`${TURN}/output.json`]: EMPTY,
  [`${INTERRUPTION}/output.json`]: EMPTY,
}

describe('readTranscripts', () => {
  it('reads a tree without a receipt, unless one is asked for', async () => {
    const tree = await smallTree(TRANSCRIPTS)
    const read = await readTranscripts({ tree })
    expect(read.recognizer).toEqual({ kind: 'tree', name: 'tree', details: { file: 'output.json' } })
    expect([...read.transcripts.keys()]).toEqual([PAUSE, TURN, INTERRUPTION])
    expect(read.asrSha256).toBe(null)
    await expect(readTranscripts({ tree, needsReceipt: true })).rejects.toMatchObject({ code: 'TREE_INVALID' })
  })

  it('reads another file beside output.wav, of which the receipt says nothing', async () => {
    const other = Object.fromEntries(
      Object.entries(TRANSCRIPTS).map(([path, text]) => [path.replace('output.json', 'output.w.json'), text]),
    )
    const tree = await smallTree({ ...other, 'asr.json': '{' })
    expect((await readTranscripts({ tree, file: 'output.w.json' })).recognizer.name).toBe('output.w')
  })

  it('takes the name of the recognizer from a receipt of the field’s tool, and checks its hashes', async () => {
    const transcripts = (ids: string[]) => Object.fromEntries(ids.map((id) => [id.split('/')[1], EMPTY_SHA256]))
    const subsets = Object.fromEntries(
      [PAUSE, TURN, INTERRUPTION].map((id) => [id.split('/')[0], { transcripts: transcripts([id]) }]),
    )
    const tree = await smallTree({
      ...TRANSCRIPTS,
      'asr.json': { config: { model_id: 'nvidia/parakeet-tdt-0.6b-v2' }, subsets },
    })
    expect((await readTranscripts({ tree })).recognizer.name).toBe('parakeet-tdt-0.6b-v2')
    await writeFile(join(tree, TURN, 'output.json'), `${EMPTY} `)
    await expect(readTranscripts({ tree })).rejects.toMatchObject({
      message: expect.stringMatching(`^${TURN}: its transcript`),
    })
  })

  it('refuses transcripts of another output.wav', async () => {
    const tree = await smallTree()
    await transcribeTree({ tree, source: tableSource(), place: 'tree' })
    const manifest = JSON.parse(await readFile(join(tree, 'manifest.json'), 'utf8'))
    manifest.samples[1].files['output.wav'].sha256 = 'f'.repeat(64)
    await writeFile(join(tree, 'manifest.json'), JSON.stringify(manifest))
    await expect(readTranscripts({ tree })).rejects.toMatchObject({
      code: 'TREE_INVALID',
      message: `${TURN} was transcribed from another output.wav`,
    })
  })

  it.each([
    [
      'none',
      { [`${PAUSE}/output.json`]: EMPTY, [`${INTERRUPTION}/output.json`]: EMPTY },
      /candor_turn_taking\/7 has no output.json/,
    ],
    [
      'a null start',
      { ...TRANSCRIPTS, [`${TURN}/output.json`]: '{"chunks":[{"text":"a","timestamp":[null,1]}]}' },
      /turn_taking\/7: output.json chunks/,
    ],
    ['a receipt that is none', { ...TRANSCRIPTS, 'asr.json': '[]' }, /asr.json is no receipt/],
    [
      'a sample that the receipt lacks',
      { ...TRANSCRIPTS, 'asr.json': { subsets: {} } },
      /pause_handling\/1 is not in asr.json/,
    ],
  ])('refuses %s', async (_, files, message) => {
    await expect(readTranscripts({ tree: await smallTree(files) })).rejects.toMatchObject({
      code: 'TREE_INVALID',
      message: expect.stringMatching(message),
    })
  })

  it('a backchannel sample needs no words', async () => {
    const tree = await smallTree({ ...TRANSCRIPTS, 'icc_backchannel/1/output.wav': '' })
    const path = join(tree, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    manifest.samples.push({ sample_id: 'icc_backchannel/1', subset: 'icc_backchannel', eligible: true })
    await writeFile(path, JSON.stringify(manifest))
    expect((await readTranscripts({ tree })).transcripts.size).toBe(3)
  })
})
