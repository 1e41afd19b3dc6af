import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandSource } from '../../../src/quality/transcripts/command-source.io.js'

const REQUEST = { sample: 's/1', pcm: new Int16Array(16_000) }

/** Node itself is the program; the WAV's path is its last argument. */
async function nodeSource(script: string, args: readonly string[] = [], timeoutMs?: number) {
  const source = await commandSource({ program: process.execPath, arguments: ['-e', script, ...args], timeoutMs })
  onTestFinished(() => source.close())
  return source
}

const WORDS = `{"words":[{"word":"yes","start":0.25,"end":0.5}]}`
const YES = [{ text: 'yes', startS: 0.25, endS: 0.5 }]

describe('commandSource', () => {
  it('gives the program a WAV file and reads its words', async () => {
    const source = await nodeSource(`
      const bytes = require('fs').statSync(process.argv.at(-1)).size
      console.log(JSON.stringify({ words: [{ word: String(bytes), start: 0.25 }] }))`)
    expect((await source.wordsOf(REQUEST)).words).toEqual([{ text: '32044', startS: 0.25, endS: null }])
  })

  it('puts the path where {wav} stands, and passes everything else as it is', async () => {
    const source = await nodeSource(
      'console.log(JSON.stringify({ text: process.argv.slice(1).join("|"), words: [{ word: "a", start: 0 }] }))',
      [...['in={wav}', '$HOME', 'a b']],
    )
    expect((await source.wordsOf(REQUEST)).text).toMatch(/^in=\/.*window-1\.wav\|\$HOME\|a b$/)
  })

  it.each([
    ['the words of another API', WORDS],
    ['output.json', '{"text":"yes","chunks":[{"text":"yes","timestamp":[0.25,0.5]}]}'],
  ])('reads %s', async (_, json) => {
    const source = await nodeSource(`process.stdout.write(${JSON.stringify(json)})`)
    expect((await source.wordsOf(REQUEST)).words).toEqual(YES)
  })

  it.each([
    ['an exit code', 'console.error("no\\nmodel"); process.exit(3)', /ended with exit code 3; it said: no model/],
    ['a signal', 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)', /was ended by SIGTERM/],
    ['no JSON', 'console.log("yes"); console.error("hm")', /is not valid JSON: yes; it said: hm/],
    ['no words', `console.log('{"text":"yes"}')`, /has no words with times/],
  ])('%s is an error with the sample', async (_, script, message) => {
    await expect((await nodeSource(script)).wordsOf(REQUEST)).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: expect.stringMatching(message),
    })
    await expect((await nodeSource(script)).wordsOf(REQUEST)).rejects.toThrow(/^s\/1: /)
  })

  it('a program that does not end is ended, with all that it has started', async () => {
    const script = `
      require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      setInterval(() => {}, 1000)`
    const source = await nodeSource(script, [], 300)
    await expect(source.wordsOf(REQUEST)).rejects.toMatchObject({
      message: expect.stringContaining('no answer within 0.3 s'),
    })
  })

  it('is ended when the run is', async () => {
    const stop = new AbortController()
    const words = (await nodeSource('setInterval(() => {}, 1000)')).wordsOf(REQUEST, stop.signal)
    stop.abort()
    await expect(words).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('leaves no file behind', async () => {
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('floorload-asr-'))
    const before = await folders()
    const source = await commandSource({ program: process.execPath, arguments: ['-e', `console.log('${WORDS}')`] })
    await source.wordsOf(REQUEST)
    await source.close()
    expect((await folders()).filter((name) => !before.includes(name))).toEqual([])
  })

  it('is known by its program, its settings and their files, secrets left out', async () => {
    const source = await commandSource({ program: 'node', arguments: ['package.json', '--api-key', 'hunter22'] })
    onTestFinished(() => source.close())
    expect(source.identity).toEqual({
      kind: 'command',
      name: expect.stringMatching(/^node-[0-9a-f]{6}$/),
      details: {
        program: 'node',
        arguments: ['package.json', '--api-key', '***'],
        files: {
          node: expect.stringMatching(/^[0-9a-f]{64}$/),
          'package.json': expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    })
  })

  it.each(['no-such-program-here', './package.json', './src'])('refuses %s, which cannot be run', async (program) => {
    await expect(commandSource({ program, arguments: [] })).rejects.toMatchObject({ code: 'USAGE' })
  })
})
