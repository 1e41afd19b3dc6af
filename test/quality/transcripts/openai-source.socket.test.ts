import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseWav } from '../../../src/dataset/wav.js'
import { openWordSource } from '../../../src/quality/transcripts/open-word-source.io.js'
import { openAiSource } from '../../../src/quality/transcripts/openai-source.io.js'
import { parseTranscriptSpec, type RecognizerSpec } from '../../../src/quality/transcripts/transcript-spec.js'

interface Seen {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
type Step = readonly [status: number, body: string, headers?: Record<string, string>] | 'cut' | 'silent'

/** Answers one step a request; the last one again and again. */
async function fakeEndpoint(steps: readonly Step[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const answer = (step: Step, response: ServerResponse) => {
    if (step === 'cut') response.destroy()
    if (step === 'cut' || step === 'silent') return
    response.writeHead(step[0], { 'content-type': 'application/json', ...step[2] })
    response.end(step[1])
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
      answer(steps[Math.min(seen.length, steps.length) - 1] ?? 'cut', response)
    })
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/transcriptions`, seen }
}

const OK: Step = [200, JSON.stringify({ text: 'Yes.', words: [{ word: 'yes', start: 0.5, end: 0.75 }] })]
const REQUEST = { sample: 's/1', pcm: Int16Array.of(1, -2, 3) }
const RETRIES = { attempts: 3, firstDelayMs: 500, delayMsMax: 60_000 }

function sourceAt(url: string, more: { key?: string; timeoutMs?: number } = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => waits.push(ms)
  return { waits, source: openAiSource({ url, model: 'm', retries: RETRIES, sleep, nowMs: () => 0, ...more }) }
}

describe('openAiSource', () => {
  it('sends a WAV and asks for word times', async () => {
    const { url, seen } = await fakeEndpoint([OK])
    const { source } = sourceAt(url, { key: 'sk-secret' })
    expect(await source.wordsOf(REQUEST)).toEqual({ text: 'Yes.', words: [{ text: 'yes', startS: 0.5, endS: 0.75 }] })

    const [request] = seen
    const form = await new Response(new Uint8Array(request?.body ?? []), {
      headers: { 'content-type': request?.headers['content-type'] ?? '' },
    }).formData()
    expect(['model', 'response_format', 'timestamp_granularities[]'].map((name) => form.get(name))).toEqual([
      ...['m', 'verbose_json', 'word'],
    ])
    const file = form.get('file') as unknown as File
    expect(file.name).toBe('window.wav')
    expect(parseWav(new Uint8Array(await file.arrayBuffer()))).toMatchObject({ sampleRateHz: 16_000, frames: 3 })
    expect(request?.headers.authorization).toBe('Bearer sk-secret')
    expect(JSON.stringify(source.identity)).not.toContain('sk-secret')
  })

  it('tries again what may pass, waiting as long as the server asks', async () => {
    const { url, seen } = await fakeEndpoint([[429, '', { 'retry-after': '7' }], [503, ''], OK])
    const { source, waits } = sourceAt(url)
    expect((await source.wordsOf(REQUEST)).words).toHaveLength(1)
    expect(waits).toEqual([7000, 1000])
    expect(seen).toHaveLength(3)
  })

  it('a cut connection is tried again', async () => {
    const { url } = await fakeEndpoint(['cut', OK])
    const { source, waits } = sourceAt(url)
    expect((await source.wordsOf(REQUEST)).words).toHaveLength(1)
    expect(waits).toEqual([500])
  })

  it.each<[string, Step, number, RegExp]>([
    [
      'an error that stays',
      [500, '{"error":{"message":"CUDA\\nout of memory"}}'],
      3,
      /HTTP 500: CUDA out of memory \(tried 3 times\)/,
    ],
    ['a wrong model', [404, '{"detail":"no such model"}'], 1, /HTTP 404: no such model/],
    [
      'a wrong key, which it repeats',
      [401, '{"error":{"message":"bad key sk-secret"}}'],
      1,
      /HTTP 401: bad key \*\*\*/,
    ],
    ['a page', [301, '<html>'], 1, /HTTP 301: <html>/],
    ['no JSON', [200, 'yes'], 1, /the answer of .* is not valid JSON: yes/],
    ['no words', [200, '{"text":"yes"}'], 1, /has no words with times/],
    ['words without times', [200, '{"words":[{"word":"yes"}]}'], 1, /has no usable times/],
    ['silence of the server', 'silent', 3, /no answer within 0.05 s \(tried 3 times\)/],
  ])('stops at %s, naming the sample', async (_, step, tries, message) => {
    const { url, seen } = await fakeEndpoint([step])
    const { source } = sourceAt(url, { key: 'sk-secret', ...(step === 'silent' ? { timeoutMs: 50 } : {}) })
    await expect(source.wordsOf(REQUEST)).rejects.toMatchObject({
      code: 'TRANSCRIPTION',
      message: expect.stringMatching(message),
    })
    await expect(source.wordsOf(REQUEST)).rejects.toThrow(/^s\/1: /)
    expect(seen).toHaveLength(2 * tries)
  })

  it('stops waiting when it is told to', async () => {
    const { url, seen } = await fakeEndpoint(['silent'])
    const stop = new AbortController()
    const words = sourceAt(url).source.wordsOf(REQUEST, stop.signal)
    const ended = expect(words).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => seen.length).toBe(1)
    stop.abort()
    await ended
  })

  it('user information of the URL becomes a header and is stored nowhere', async () => {
    const { url, seen } = await fakeEndpoint([OK])
    const { source } = sourceAt(url.replace('//', '//me:hunter22@'))
    await source.wordsOf(REQUEST)
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:hunter22').toString('base64')}`)
    expect(JSON.stringify(source.identity)).not.toContain('hunter22')
  })
})

describe('openWordSource, endpoint', () => {
  const spec = parseTranscriptSpec('openai:http://gpu:8000/v1') as RecognizerSpec

  it('takes the key from the named variable, and names model and host', async () => {
    const { url, seen } = await fakeEndpoint([OK])
    const options = { model: 'w', keyVariable: 'MY_KEY', environment: { MY_KEY: 'abc-def' } }
    const source = await openWordSource({ kind: 'openai', url, model: null }, options)
    await source.wordsOf(REQUEST)
    expect(seen[0]?.headers.authorization).toBe('Bearer abc-def')
    expect(source).toMatchObject({ concurrency: 4, identity: { name: `w@${new URL(url).host.replace(':', '-')}` } })
  })

  it.each([
    [{}, /needs a model name/],
    [{ model: 'w', keyVariable: 'MY_KEY', environment: {} }, /variable MY_KEY is not set/],
    [{ model: 'w', keyVariable: 'MY_KEY', environment: { MY_KEY: 'a\nb' } }, /no header may carry/],
  ])('refuses %j', async (options, message) => {
    await expect(openWordSource(spec, options)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message),
    })
  })
})
