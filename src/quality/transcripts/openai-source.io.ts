/**
 * Words from an OpenAI-compatible endpoint, `POST …/v1/audio/transcriptions`: one window a request, word times asked for,
 * failures that may pass tried again.
 * Source: OpenAI API reference, "Create transcription".
 */
import { setTimeout as delay } from 'node:timers/promises'
import { FormData, request } from 'undici'
import { messageOf, UserError } from '../../base/errors.js'
import { isObject } from '../../base/json.js'
import { redactor, redactUrl, secretsOf } from '../../base/redact.js'
import { encodeWav16 } from '../../dataset/wav.js'
import { WINDOW_RATE_HZ } from '../tree/tree-manifest.js'
import { endpointName } from './recognizer-name.js'
import { DEFAULT_RETRIES, isRetried, type RetryPolicy, retryDelayMs } from './retry-delay.js'
import { shortLine, transcriptionError } from './transcription-error.js'
import { parseWordAnswer } from './word-answer.js'
import type { RecognizerIdentity, WordRequest, WordSource } from './word-source.js'

export interface OpenAiSourceOptions {
  /** The endpoint itself. User information becomes basic authentication where there is no key. */
  readonly url: string
  readonly model: string
  /** Never stored or printed. */
  readonly key?: string | undefined
  /** ISO-639-1 code; the model guesses where it is not given. */
  readonly language?: string | undefined
  readonly concurrency?: number | undefined
  /** Of one try, answer included. */
  readonly timeoutMs?: number | undefined
  readonly retries?: RetryPolicy
  /** Waits between tries; the real clock's by default. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
  readonly nowMs?: () => number
}

const DEFAULT_CONCURRENCY = 4
const DEFAULT_TIMEOUT_MS = 120_000

/** @throws UserError USAGE for a key that no header can carry */
export function openAiSource(options: OpenAiSourceOptions): WordSource {
  const { url, model, key, language, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options
  const { sleep = (ms, signal) => delay(ms, undefined, { signal }), nowMs = Date.now } = options
  const headers = authorization(url, key)
  const redact = redactor(secretsOf({ url, headers }))
  const target = withoutUserInformation(url)
  const shown = redactUrl(url)

  const send = async (wav: Uint8Array, signal: AbortSignal | undefined): Promise<Try> => {
    const form = new FormData()
    form.append('file', new Blob([wav as Uint8Array<ArrayBuffer>], { type: 'audio/wav' }), 'window.wav')
    form.append('model', model)
    form.append('response_format', 'verbose_json')
    form.append('timestamp_granularities[]', 'word')
    if (language !== undefined) form.append('language', language)
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await request(target, {
        method: 'POST',
        headers,
        body: form,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      const retryAfter = response.headers['retry-after']
      return {
        status: response.statusCode,
        body: await response.body.text(),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      }
    } catch (thrown) {
      signal?.throwIfAborted()
      const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : redact(messageOf(thrown))
      return { status: undefined, reason }
    }
  }

  const answerTo = async ({ sample, pcm }: WordRequest, signal: AbortSignal | undefined): Promise<string> => {
    const wav = encodeWav16({ samples: pcm, sampleRateHz: WINDOW_RATE_HZ })
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted()
      const tried = await send(wav, signal)
      if (tried.status !== undefined && tried.status >= 200 && tried.status < 300) return tried.body
      const isPassing = tried.status === undefined || isRetried(tried.status)
      if (isPassing && attempt < retries.attempts) {
        const retryAfter = tried.status === undefined ? undefined : tried.retryAfter
        await sleep(retryDelayMs(retries, { attempt, retryAfter, nowMs: nowMs() }), signal)
        continue
      }
      const times = attempt === 1 ? '' : ` (tried ${attempt} times)`
      if (tried.status === undefined) {
        const problem = `${shown} cannot be reached: ${tried.reason}${times}`
        throw transcriptionError({ sample, problem, fix: 'start the endpoint, or correct its URL; then run it again' })
      }
      const said = shortLine(redact(errorText(tried.body)))
      const problem = `${shown} answered HTTP ${tried.status}${said === '' ? '' : `: ${said}`}${times}`
      throw transcriptionError({ sample, problem, fix: STATUS_FIX[tried.status] ?? 'look at the log of the endpoint' })
    }
  }

  return {
    identity: openAiIdentity({ url, model, language }),
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    async wordsOf(wordRequest, signal) {
      const answer = parseWordAnswer(await answerTo(wordRequest, signal))
      if (answer.ok) return answer.transcript
      throw transcriptionError({
        sample: wordRequest.sample,
        problem: `the answer of ${shown} ${shortLine(redact(answer.problem))}`,
        fix: 'use an endpoint and model that give word times (verbose_json with timestamp_granularities[]=word)',
      })
    },
    async close() {},
  }
}

type Try =
  | { readonly status: number; readonly body: string; readonly retryAfter: string | undefined }
  /** No answer at all. */
  | { readonly status: undefined; readonly reason: string }

const STATUS_FIX: Record<number, string> = {
  400: 'correct the model name; the model must give word times',
  401: 'name the environment variable that holds the key with --asr-key-env',
  403: 'pass a key that may transcribe with --asr-key-env',
  404: 'give the base URL that ends in /v1, and a model that the endpoint serves',
  405: 'give the base URL that ends in /v1',
  413: 'the endpoint takes no file of this size',
  429: 'wait, or lower --asr-concurrency; finished samples are kept',
}

function openAiIdentity(source: { url: string; model: string; language: string | undefined }): RecognizerIdentity {
  const { url, model, language } = source
  return {
    kind: 'openai',
    name: endpointName(url, model),
    details: { url: redactUrl(url), model, ...(language === undefined ? {} : { language }) },
  }
}

function authorization(url: string, key: string | undefined): Record<string, string> {
  if (key !== undefined && key !== '') {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      const message = 'the key of the transcription endpoint has characters that no header may carry'
      throw new UserError({ code: 'USAGE', message, fix: 'check the environment variable for blanks and line ends' })
    }
    return { authorization: `Bearer ${key}` }
  }
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function withoutUserInformation(url: string): string {
  const target = new URL(url)
  target.username = ''
  target.password = ''
  return target.href
}

/** What an error body says: `error.message` of the OpenAI API, `detail` or `message` of others, else the text. */
function errorText(body: string): string {
  try {
    const json: unknown = JSON.parse(body)
    if (!isObject(json)) return body
    const { error, message, detail } = json
    const said = isObject(error) ? error.message : (error ?? message ?? detail)
    return typeof said === 'string' ? said : body
  } catch {
    return body
  }
}
