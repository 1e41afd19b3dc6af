/** The child process with a module in the place of the library. Needs `npm run build`, as the child is compiled code. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parakeetSource } from '../../../src/quality/transcripts/parakeet-source.io.js'
import { type FileTree, folderWith } from '../../helpers/temp-folders.js'

const SCRIPT = fileURLToPath(new URL('../../../dist/quality/transcripts/parakeet-child.io.js', import.meta.url))
const REQUEST = { sample: 's/1', pcm: Int16Array.of(16_384, -32_768) }

const MODEL: FileTree = {
  'encoder.int8.onnx': 'e',
  'decoder.int8.onnx': 'd',
  'joiner.int8.onnx': 'j',
  'tokens.txt': 't',
  'package.json': { version: '9.9.9' },
}

/** A recognizer whose answer is the outcome of an expression over `samples`; `create` runs before. */
function fakeModule(decode: string, create = ''): string {
  return `exports.OfflineRecognizer = {
    async createAsync(config) {
      ${create}
      return {
        createStream: () => ({ acceptWaveform(audio) { this.samples = audio.samples } }),
        async decodeAsync({ samples }) { ${decode} },
      }
    },
  }`
}

async function open(files: FileTree, options: { timeoutMs?: number } = {}) {
  if (!existsSync(SCRIPT)) throw new Error('run `npm run build` first')
  const directory = await folderWith(files, 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8')
  const source = await parakeetSource({ directory, script: SCRIPT, module: join(directory, 'fake.cjs'), ...options })
  onTestFinished(() => source.close())
  return source
}

describe('parakeetSource', () => {
  it('turns tokens into words and knows its model by hashes and version', async () => {
    const answer = `return { text: ' ok.', tokens: [' ' + samples.join('/'), '.'], timestamps: [0.5, 1], durations: [0.25, 0.5] }`
    const source = await open({ ...MODEL, 'fake.cjs': fakeModule(answer) })
    expect(await source.wordsOf(REQUEST)).toEqual({ text: 'ok.', words: [{ text: '0.5/-1.', startS: 0.5, endS: 1.5 }] })
    expect(source.identity).toMatchObject({
      kind: 'parakeet',
      name: 'parakeet-tdt-0.6b-v2-int8',
      details: { version: '9.9.9', files: { 'encoder.int8.onnx': expect.stringMatching(/^[0-9a-f]{64}$/) } },
    })
  })

  it('answers one request after the other, in order', async () => {
    const answer = 'return { tokens: [" " + samples.length], timestamps: [0] }'
    const source = await open({ ...MODEL, 'fake.cjs': fakeModule(answer) })
    const lengths = [3, 1, 2]
    const answers = await Promise.all(
      lengths.map((length) => source.wordsOf({ sample: 's/1', pcm: new Int16Array(length) })),
    )
    expect(answers.map(({ words }) => words[0]?.text)).toEqual(['3', '1', '2'])
  })

  it('an error of one window names it, and the next one is answered', async () => {
    const answer = `if (samples.length === 2) throw new Error('too short'); return { tokens: [], timestamps: [] }`
    const source = await open({ ...MODEL, 'fake.cjs': fakeModule(answer) })
    await expect(source.wordsOf(REQUEST)).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: 's/1: the local recognizer failed: too short',
    })
    expect((await source.wordsOf({ ...REQUEST, pcm: new Int16Array(3) })).words).toEqual([])
  })

  it('a process that ends fails the window at hand and those after it', async () => {
    const answer = `process.stderr.write('bad alloc'); process.exit(7)`
    const source = await open({ ...MODEL, 'fake.cjs': fakeModule(answer) })
    const died = /^s\/1: the local recognizer failed: its process ended \(exit code 7\); it said: bad alloc/
    await expect(source.wordsOf(REQUEST)).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: expect.stringMatching(died),
    })
    await expect(source.wordsOf(REQUEST)).rejects.toThrow(died)
  })

  it.each([
    ['lists that do not fit', 'return { tokens: ["a"], timestamps: [] }', {}, /gives 1 tokens and 0 times/],
    ['no result at all', 'return 3', {}, /failed/],
    ['no answer in time', 'return new Promise(() => {})', { timeoutMs: 100 }, /no answer within 0.1 s/],
  ])('%s is an error with the sample', async (_, answer, options, message) => {
    const source = await open({ ...MODEL, 'fake.cjs': fakeModule(answer) }, options)
    await expect(source.wordsOf(REQUEST)).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: expect.stringMatching(message),
    })
  })

  it.each([
    ['the package is missing', MODEL, /needs the package sherpa-onnx-node/, 'npm install sherpa-onnx-node'],
    [
      'the library ends the process over the model',
      {
        ...MODEL,
        'fake.cjs': fakeModule('', `process.stderr.write("'vocab_size' does not exist"); process.exit(255)`),
      },
      /cannot use the model in .*\(exit code 255\); it said: 'vocab_size' does not exist/,
      undefined,
    ],
    [
      'the library refuses the model',
      { ...MODEL, 'fake.cjs': fakeModule('', `throw new Error('Please check your config!')`) },
      /cannot use the model in .*: Please check your config!/,
      undefined,
    ],
  ])('%s: an error before anything is sent', async (_, files, message, fix) => {
    await expect(open(files)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message),
      fix: fix ?? expect.any(String),
    })
  })

  it.each([
    ['no encoder', { ...MODEL, 'encoder.int8.onnx': undefined }, /holds no encoder\*\.onnx/],
    ['two joiners', { ...MODEL, 'joiner.onnx': 'j' }, /more than one joiner\*\.onnx: joiner.int8.onnx, joiner.onnx/],
  ])('%s: the folder is refused', async (_, files, message) => {
    const present = Object.fromEntries(
      Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    await expect(open(present)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringMatching(message),
    })
  })
})
