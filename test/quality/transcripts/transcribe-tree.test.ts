import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTranscripts } from '../../../src/quality/transcripts/read-transcripts.io.js'
import { transcribeTree } from '../../../src/quality/transcripts/transcribe-tree.io.js'
import { transcriptionError } from '../../../src/quality/transcripts/transcription-error.js'
import { countingWav, INTERRUPTION, PAUSE, smallTree, TURN, tableSource } from './small-tree.js'

const failed = transcriptionError({ sample: TURN, problem: 'no answer' })

describe('transcribeTree', () => {
  it('sends every eligible window, cuts at R, shifts the words back and leaves a receipt', async () => {
    const tree = await smallTree()
    const source = tableSource()
    const progress: number[] = []
    const onProgress = ({ done }: { done: number }) => progress.push(done)
    expect(await transcribeTree({ tree, source, place: 'tree', onProgress })).toEqual({ folder: tree, transcribed: 3 })

    expect(source.requests.map(({ sample, pcm }) => [sample, pcm.length])).toEqual([
      [PAUSE, 32_000],
      [TURN, 32_000],
      [INTERRUPTION, 12_000],
    ])
    // The counting audio of the third sample begins at -15998: its first sample from R on is number 20 000.
    expect(source.requests[2]?.pcm[0]).toBe(-15_998 + 20_000)
    expect(progress).toEqual([0, 1, 2, 3])
    const { transcripts, recognizer, asrSha256 } = await readTranscripts({ tree })
    expect(transcripts.get(PAUSE)?.words).toEqual([{ text: 'yes', startS: 0.1, endS: 0.3 }])
    expect(transcripts.get(INTERRUPTION)?.words).toEqual([{ text: 'yes', startS: 1.35, endS: 1.55 }])
    expect(recognizer).toEqual(source.identity)
    expect(asrSha256).toMatch(/^[0-9a-f]{64}$/)
    expect(existsSync(join(tree, 'asr.journal.jsonl'))).toBe(false)
  })

  it('goes on after a failure with what is missing, to the same bytes as in one go', async () => {
    const tree = await smallTree()
    const broken = tableSource({ [TURN]: failed })
    await expect(transcribeTree({ tree, source: broken, place: 'tree' })).rejects.toBe(failed)
    expect(broken.requests.map(({ sample }) => sample)).toEqual([PAUSE, TURN])
    expect(existsSync(join(tree, 'asr.json'))).toBe(false)

    const source = tableSource()
    await transcribeTree({ tree, source, place: 'tree' })
    expect(source.requests.map(({ sample }) => sample)).toEqual([TURN, INTERRUPTION])

    const other = await smallTree()
    await transcribeTree({ tree: other, source: tableSource({}, { concurrency: 3 }), place: 'tree' })
    expect(await readFile(join(tree, 'asr.json'))).toEqual(await readFile(join(other, 'asr.json')))
  })

  it('sends nothing when all is there; what was changed since is sent again', async () => {
    const tree = await smallTree()
    await transcribeTree({ tree, source: tableSource(), place: 'tree' })
    const receipt = await readFile(join(tree, 'asr.json'))
    const again = tableSource()
    expect(await transcribeTree({ tree, source: again, place: 'tree' })).toEqual({ folder: tree, transcribed: 0 })
    await writeFile(join(tree, TURN, 'output.json'), '{"text":"","chunks":[]}')
    await rm(join(tree, PAUSE, 'output.json'))
    await writeFile(join(tree, INTERRUPTION, 'interrupt.json'), JSON.stringify([{ timestamp: [0.5, 1.5] }]))
    await transcribeTree({ tree, source: again, place: 'tree' })
    expect(again.requests.map(({ sample }) => sample)).toEqual([PAUSE, TURN, INTERRUPTION])
    await writeFile(join(tree, INTERRUPTION, 'interrupt.json'), JSON.stringify([{ timestamp: [0.5, 1.25] }]))
    await transcribeTree({ tree, source: again, place: 'tree' })
    expect(await readFile(join(tree, 'asr.json'), 'utf8')).toBe(receipt.toString().replace('1.25000000000005', '1.25'))
  })

  it('refuses to mix recognizers in one place, during a run and after it, and keeps two beside each other', async () => {
    const tree = await smallTree()
    const other = tableSource({}, { name: 'other' })
    await expect(transcribeTree({ tree, source: tableSource({ [TURN]: failed }), place: 'tree' })).rejects.toBe(failed)
    const refusal = {
      code: 'OUTPUT_EXISTS',
      message: expect.stringMatching(/transcripts of command:fake .*command:other /),
    }
    await expect(transcribeTree({ tree, source: other, place: 'tree' })).rejects.toMatchObject(refusal)
    await transcribeTree({ tree, source: tableSource(), place: 'tree' })
    await expect(transcribeTree({ tree, source: other, place: 'tree' })).rejects.toMatchObject(refusal)
    const { folder } = await transcribeTree({ tree, source: other, place: 'beside' })
    expect(folder).toBe(join(tree, 'transcripts', 'other'))
    expect((await readTranscripts({ tree, folder })).recognizer.name).toBe('other')
    expect(other.requests).toHaveLength(3)
  })

  it('does not overwrite transcripts that nothing accounts for', async () => {
    const tree = await smallTree({ [`${TURN}/output.json`]: { text: '', chunks: [] } })
    const run = transcribeTree({ tree, source: tableSource(), place: 'tree' })
    await expect(run).rejects.toMatchObject({
      code: 'OUTPUT_EXISTS',
      message: expect.stringContaining('unknown origin'),
    })
    expect(await readdir(join(tree, PAUSE))).toEqual(['output.wav', 'pause.json'])
  })

  it('sends no audio shorter than 0.1 s', async () => {
    const tree = await smallTree({ [`${INTERRUPTION}/interrupt.json`]: [{ timestamp: [0.5, 1.95] }] })
    const source = tableSource()
    await transcribeTree({ tree, source, place: 'tree' })
    expect(source.requests).toHaveLength(2)
    expect((await readTranscripts({ tree })).transcripts.get(INTERRUPTION)?.words).toEqual([])
  })

  it('a word far outside of its audio is an error, not a word', async () => {
    const tree = await smallTree()
    const source = tableSource({ [INTERRUPTION]: [{ text: 'late', startS: 1, endS: 1.1 }] })
    await expect(transcribeTree({ tree, source, place: 'tree' })).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: expect.stringMatching(/^synthetic_user_interruption\/3: .*"late" starts at 1 s of 0.75 s/),
    })
  })

  it('stops when it is told to', async () => {
    const tree = await smallTree()
    const stop = new AbortController()
    const onProgress = ({ done }: { done: number }) => done === 1 && stop.abort()
    const source = tableSource()
    const run = transcribeTree({ tree, source, place: 'tree', signal: stop.signal, onProgress })
    await expect(run).rejects.toMatchObject({ name: 'AbortError' })
    expect(source.requests).toHaveLength(1)
  })

  it.each([
    [
      'a changed output.wav',
      { [`${TURN}/output.wav`]: countingWav(32_000, 5) },
      /candor_turn_taking\/7: output.wav is not the file/,
    ],
    [
      'a missing annotation',
      { [`${INTERRUPTION}/interrupt.json`]: '[]' },
      /interruption\/3: interrupt.json is not a list/,
    ],
    ['a broken manifest', { 'manifest.json': '{"samples": 3}' }, /manifest.json has no list of samples/],
    [
      'an id that leads out of the tree',
      { 'manifest.json': { samples: [{ sample_id: '../x', subset: '..', eligible: true }] } },
      /no sample id/,
    ],
  ])('refuses %s', async (_, files, message) => {
    const tree = await smallTree(files)
    await expect(transcribeTree({ tree, source: tableSource(), place: 'tree' })).rejects.toMatchObject({
      code: 'TREE_INVALID',
      message: expect.stringMatching(message),
    })
  })
})
